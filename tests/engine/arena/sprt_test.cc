#include "engine/arena/sprt.h"

#include <gtest/gtest.h>

#include <cstdio>

#include "tests/engine/arena/simulated_pairs.h"

namespace az {
namespace {

Sprt MustCreate(const SprtOptions& options) {
  Result<Sprt> sprt = Sprt::Create(options);
  EXPECT_TRUE(sprt.has_value());
  return std::move(sprt).value();
}

TEST(Sprt, LogRatioAgreesWithPublishedTests) {
  struct Case {
    PairCounts pairs;
    double elo0;
    double elo1;
    double log_ratio;
    double tolerance;  // of what was published
  };
  const Case cases[] = {
      // Raw statistics of test 69d3c8dc7c5b3724e29d2712 on montytest.muzhen.org (Fishtest's code),
      // "Logistic (exact)" between 0 and 2.716.
      {{13, 37, 50, 25, 3}, 0, 2.716, -0.53772, 1e-4},
      // fastchess, app/tests/sprt_test.cpp, "logistic pentanomial 1" and "2".
      {{223, 9863, 21279, 10037, 246}, 0.5, 2.5, -3.07, 0.005},
      {{871, 26175, 55983, 26678, 821}, 0, 2, -4.98, 0.005}};
  for (const Case& c : cases) {
    const Sprt sprt = MustCreate({.elo0 = c.elo0, .elo1 = c.elo1});
    EXPECT_NEAR(sprt.LogRatio(c.pairs), c.log_ratio, c.tolerance) << c.pairs[0];
  }
}

TEST(Sprt, BoundsAreWalds) {
  const Sprt usual = MustCreate({.alpha = 0.05, .beta = 0.05});
  EXPECT_NEAR(usual.lower_bound(), -2.944, 1e-3);
  EXPECT_NEAR(usual.upper_bound(), 2.944, 1e-3);
  const Sprt other = MustCreate({.alpha = 0.05, .beta = 0.10});
  EXPECT_NEAR(other.lower_bound(), -2.251, 1e-3);
  EXPECT_NEAR(other.upper_bound(), 2.890, 1e-3);
}

TEST(Sprt, VerdictFollowsThePairs) {
  const Sprt sprt = MustCreate({.elo0 = 0, .elo1 = 50});
  EXPECT_EQ(sprt.Verdict({}), SprtVerdict::kContinue);
  EXPECT_EQ(sprt.Verdict({0, 0, 0, 0, 1}), SprtVerdict::kContinue);
  EXPECT_EQ(sprt.Verdict({0, 0, 0, 0, 40}), SprtVerdict::kAcceptElo1);
  EXPECT_EQ(sprt.Verdict({40, 0, 0, 0, 0}), SprtVerdict::kAcceptElo0);
  EXPECT_EQ(sprt.Verdict({0, 0, 40, 0, 0}), SprtVerdict::kAcceptElo0);
  EXPECT_EQ(sprt.Verdict({5, 6, 10, 7, 6}), SprtVerdict::kContinue);
  EXPECT_EQ(EnumName(SprtVerdict::kAcceptElo1), "elo1");
}

TEST(Sprt, RefusesBadOptions) {
  const SprtOptions bad[] = {{.elo0 = 10, .elo1 = 10}, {.elo0 = 10, .elo1 = 0},
                             {.elo0 = -2000},          {.alpha = 0},
                             {.alpha = 0.6},           {.beta = -1},
                             {.elo1 = 0.0 / 0.0}};
  for (const SprtOptions& options : bad) {
    const Result<Sprt> sprt = Sprt::Create(options);
    ASSERT_FALSE(sprt.has_value());
    EXPECT_EQ(sprt.error().code, Errc::kInvalid);
    EXPECT_EQ(sprt.error().message.rfind("sprt: ", 0), 0U) << sprt.error().message;
  }
}

// The share of wrong verdicts over 10,000 matches with the truth exactly on a hypothesis. Its own
// standard error is 0.2 %; the seeds are fixed and the limits are alpha and beta themselves.
TEST(Sprt, ErrsAsSeldomAsPromised) {
  struct Case {
    SprtOptions options;
    PairWorld world;
  };
  const Case cases[] = {{{.elo0 = 0, .elo1 = 60}, {0, 0}},
                        {{.elo0 = 0, .elo1 = 60, .alpha = 0.1, .beta = 0.02}, {200, 0.1}},
                        {{.elo0 = -30, .elo1 = 30}, {100, 0.5}},
                        {{.elo0 = 0, .elo1 = 50}, {0, 0.8}},
                        {{.elo0 = 100, .elo1 = 200}, {50, 0.2}}};
  constexpr int kMatches = 10'000;
  Rng rng(11);
  for (const Case& c : cases) {
    const Sprt sprt = MustCreate(c.options);
    for (const bool truth_is_1 : {false, true}) {
      const SimulatedPairs simulated(ScoreOfElo(truth_is_1 ? c.options.elo1 : c.options.elo0),
                                     c.world);
      int wrong = 0;
      for (int match = 0; match < kMatches; ++match) {
        PairCounts pairs{};
        SprtVerdict verdict = SprtVerdict::kContinue;
        while (verdict == SprtVerdict::kContinue) {
          ++pairs[simulated.Draw(rng)];
          verdict = sprt.Verdict(pairs);
        }
        wrong += (verdict == SprtVerdict::kAcceptElo1) != truth_is_1;
      }
      const double rate = wrong / static_cast<double>(kMatches);
      EXPECT_LE(rate, truth_is_1 ? c.options.beta : c.options.alpha)
          << c.options.elo0 << " to " << c.options.elo1 << ", truth " << truth_is_1;
      std::printf("wrong verdicts %.4f: %g to %g, truth elo%d\n", rate, c.options.elo0,
                  c.options.elo1, truth_is_1 ? 1 : 0);
    }
  }
}

}  // namespace
}  // namespace az
