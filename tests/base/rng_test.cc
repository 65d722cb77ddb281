#include "base/rng.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <set>

namespace az {
namespace {

constexpr int kDraws = 200'000;

TEST(Rng, AStreamIsAFunctionOfItsSeed) {
  Rng a(42);
  Rng b(42);
  for (int i = 0; i < 100; ++i) EXPECT_EQ(a.Next(), b.Next());
  EXPECT_NE(Rng(42).Next(), Rng(43).Next());
}

TEST(Rng, ForksDoNotDependOnThePositionOfTheParent) {
  Rng parent(7);
  const std::uint64_t before = parent.Fork(3).Next();
  for (int i = 0; i < 10; ++i) parent.Next();
  EXPECT_EQ(parent.Fork(3).Next(), before);
  EXPECT_NE(parent.Fork(4).Next(), before);
  EXPECT_NE(Rng(1).Fork(2).Fork(3).Next(), Rng(1).Fork(3).Fork(2).Next());
}

TEST(Rng, NeighbouringStreamsShareNoDraw) {
  std::set<std::uint64_t> seen;
  for (std::uint64_t stream = 0; stream < 200; ++stream) {
    Rng rng = Rng(5).Fork(stream);
    for (int i = 0; i < 100; ++i) EXPECT_TRUE(seen.insert(rng.Next()).second);
  }
}

TEST(Rng, ACopyContinuesTheStream) {
  Rng rng(9);
  for (int i = 0; i < 5; ++i) rng.Next();
  Rng copy = rng;
  for (int i = 0; i < 5; ++i) EXPECT_EQ(copy.Next(), rng.Next());
}

TEST(Rng, BelowIsUniform) {
  Rng rng(1);
  std::array<int, 7> counts{};
  for (int i = 0; i < kDraws; ++i) ++counts[rng.Below(7)];
  double chi_square = 0;
  for (const int count : counts) chi_square += std::pow(count - kDraws / 7.0, 2) / (kDraws / 7.0);
  EXPECT_LT(chi_square, 22.46);  // 6 degrees of freedom, 1 in 1000
  EXPECT_EQ(Rng(3).Below(1), 0u);
}

// Mean and variance of the distributions, each within five standard errors.
TEST(Rng, DistributionsHaveTheirMoments) {
  Rng rng(2);
  const auto expect = [&rng](auto draw, double mean, double variance) {
    double sum = 0;
    double squares = 0;
    for (int i = 0; i < kDraws; ++i) {
      const double value = draw(rng);
      sum += value;
      squares += value * value;
    }
    const double measured = sum / kDraws;
    EXPECT_NEAR(measured, mean, 5 * std::sqrt(variance / kDraws));
    EXPECT_NEAR(squares / kDraws - measured * measured, variance, 0.05 * variance);
  };
  expect([](Rng& r) { return r.Uniform(); }, 0.5, 1.0 / 12);
  expect([](Rng& r) { return r.Normal(); }, 0, 1);
  expect([](Rng& r) { return r.Exponential(); }, 1, 1);
  for (const double shape : {0.03, 0.4, 1.0, 10.83}) {
    expect([shape](Rng& r) { return r.Gamma(shape); }, shape, shape);
  }
}

// The draws of old runs must stay what they were.
TEST(Rng, DrawsAreGolden) {
  Rng rng = Rng(1).Fork(2);
  EXPECT_EQ(rng.Next(), 13375803269436426565u);
  EXPECT_EQ(rng.Next(), 14947959573444132481u);
  EXPECT_DOUBLE_EQ(Rng(7).Normal(), -0.94225766538407707);
  EXPECT_DOUBLE_EQ(Rng(7).Gamma(0.4), 0.035419310128519808);
}

}  // namespace
}  // namespace az
