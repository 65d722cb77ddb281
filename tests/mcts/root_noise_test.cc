#include "mcts/root_noise.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <numeric>
#include <vector>

namespace az {
namespace {

TEST(RootTemperature, FlattensAndSharpens) {
  std::array<float, 3> priors = {0.5f, 0.3f, 0.2f};
  ApplyRootTemperature(priors, 2.0);
  const double sum = std::sqrt(0.5) + std::sqrt(0.3) + std::sqrt(0.2);
  EXPECT_NEAR(priors[0], std::sqrt(0.5) / sum, 1e-6);
  EXPECT_NEAR(priors[1], std::sqrt(0.3) / sum, 1e-6);
  EXPECT_NEAR(priors[2], std::sqrt(0.2) / sum, 1e-6);
  priors = {0.5f, 0.5f, 0.0f};
  ApplyRootTemperature(priors, 0.5);
  EXPECT_NEAR(priors[0], 0.5, 1e-6);
  EXPECT_EQ(priors[2], 0.0f);
}

TEST(ShapedAlphas, SplitTheTotal) {
  constexpr double kTotal = 10.83;
  std::array<double, 3> alphas;
  // ln(min(P, 0.01)) lies above its mean by the same for the first two, below it for the third.
  ShapedAlphas(std::array{0.989f, 0.01f, 0.001f}, kTotal, alphas);
  EXPECT_NEAR(alphas[0], kTotal * (1.0 / 3 + 0.5) / 2, 1e-5);
  EXPECT_NEAR(alphas[1], kTotal * (1.0 / 3 + 0.5) / 2, 1e-5);
  EXPECT_NEAR(alphas[2], kTotal * (1.0 / 3) / 2, 1e-5);
  // None stands out: all alike.
  ShapedAlphas(std::array{0.5f, 0.3f, 0.2f}, kTotal, alphas);
  for (const double alpha : alphas) EXPECT_NEAR(alpha, kTotal / 3, 1e-9);
  std::vector<double> empty_board(25);
  ShapedAlphas(std::vector<float>(25, 0.04f), kTotal, empty_board);
  for (const double alpha : empty_board) EXPECT_NEAR(alpha, 0.4332, 1e-4);
}

TEST(Dirichlet, HasItsMeanAndVariance) {
  const std::array<double, 3> alphas = {0.2, 1.0, 2.8};
  const double total = 4.0;
  std::array<double, 3> mean{};
  std::array<double, 3> square{};
  Rng rng(11);
  constexpr int kDraws = 40'000;
  for (int i = 0; i < kDraws; ++i) {
    std::array<double, 3> drawn = alphas;
    DrawDirichlet(drawn, rng);
    EXPECT_NEAR(std::accumulate(drawn.begin(), drawn.end(), 0.0), 1.0, 1e-9);
    for (std::size_t k = 0; k < 3; ++k) {
      mean[k] += drawn[k] / kDraws;
      square[k] += drawn[k] * drawn[k] / kDraws;
    }
  }
  for (std::size_t k = 0; k < 3; ++k) {
    const double share = alphas[k] / total;
    EXPECT_NEAR(mean[k], share, 0.006);
    EXPECT_NEAR(square[k] - mean[k] * mean[k], share * (1 - share) / (total + 1), 0.003);
  }
}

TEST(Dirichlet, GivesAllToOneWhenEveryGammaUnderflows) {
  Rng rng(2);
  std::array<int, 3> winners{};
  for (int i = 0; i < 300; ++i) {
    std::array<double, 3> drawn = {1e-9, 1e-9, 1e-9};
    DrawDirichlet(drawn, rng);
    for (std::size_t k = 0; k < 3; ++k) winners[k] += drawn[k] == 1.0 ? 1 : 0;
  }
  EXPECT_EQ(winners[0] + winners[1] + winners[2], 300);
  for (const int count : winners) EXPECT_GT(count, 60);
}

TEST(RootNoise, MixesAndKeepsTheSum) {
  std::array<float, 4> priors = {0.7f, 0.2f, 0.1f, 0.0f};
  const std::array<float, 4> raw = priors;
  std::array<double, 4> scratch;
  Rng rng(4);
  AddRootNoise(priors, {.fraction = 0.25, .total = 10.83}, rng, scratch);
  for (std::size_t k = 0; k < 4; ++k) {
    EXPECT_NEAR(priors[k], 0.75 * raw[k] + 0.25 * scratch[k], 1e-6);
  }
  EXPECT_NEAR(std::accumulate(priors.begin(), priors.end(), 0.0), 1.0, 1e-5);
}

// The mean of a Dirichlet is in proportion to its parameters.
TEST(RootNoise, IsEvenUnlessShaped) {
  constexpr int kDraws = 4000;
  for (const bool shaped : {false, true}) {
    std::array<double, 3> sums{};
    for (std::uint64_t i = 0; i < kDraws; ++i) {
      std::array<float, 3> priors = {0.989f, 0.01f, 0.001f};
      std::array<double, 3> scratch;
      Rng rng(i);
      AddRootNoise(priors, {.fraction = 1.0, .shaped = shaped}, rng, scratch);
      for (std::size_t a = 0; a < 3; ++a) sums[a] += static_cast<double>(priors[a]) / kDraws;
    }
    EXPECT_NEAR(sums[0], shaped ? (1.0 / 3 + 0.5) / 2 : 1.0 / 3, 0.01);
    EXPECT_NEAR(sums[2], shaped ? (1.0 / 3) / 2 : 1.0 / 3, 0.01);
  }
}

}  // namespace
}  // namespace az
