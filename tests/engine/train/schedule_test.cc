#include "engine/train/schedule.h"

#include <gtest/gtest.h>

#include <cmath>

namespace az {
namespace {

TEST(PlanSamples, ExtrapolatesTheIterationsSoFar) {
  EXPECT_DOUBLE_EQ(PlanSamples(1'000, 1, 100).whole, 100'000);
  EXPECT_DOUBLE_EQ(PlanSamples(30'000, 20, 100).whole, 150'000);
  EXPECT_DOUBLE_EQ(PlanSamples(150'000, 100, 100).whole, 150'000);
  EXPECT_DOUBLE_EQ(PlanSamples(150'000, 120, 100).whole, 150'000);  // longer than it is to be now
  EXPECT_DOUBLE_EQ(PlanSamples(0, 1, 100).whole, 1);
  EXPECT_DOUBLE_EQ(PlanSamples(30'000, 20, 100).behind, 0.19);
  EXPECT_DOUBLE_EQ(PlanSamples(1'000, 1, 100).behind, 0);
}

TEST(LearningRate, WarmsUpThenFollowsTheCosineToItsEnd) {
  TrainOptions options;
  options.lr = 1e-3f;
  options.warmup_fraction = 0.1f;
  options.lr_final_fraction = 0.02f;
  struct Case {
    std::int64_t samples;
    double rate;
  };
  for (const Case& c : {Case{0, 0.0}, Case{50, 0.5e-3}, Case{100, 1e-3}, Case{550, 0.51e-3},
                        Case{1000, 0.02e-3}, Case{5000, 0.02e-3}}) {
    EXPECT_NEAR(LearningRate(options, c.samples, {.whole = 1000}), c.rate, 1e-9) << c.samples;
  }
}

TEST(LearningRate, StaysAtThePeakWhenConstant) {
  TrainOptions options;
  options.lr = 0.5f;
  options.lr_schedule = LrSchedule::kConstant;
  options.warmup_fraction = 0.0f;
  for (const std::int64_t samples : {0, 1, 500, 1000, 2000}) {
    EXPECT_DOUBLE_EQ(LearningRate(options, samples, {.whole = 1000}), 0.5);
  }
}

TEST(LearningRate, DropsByTheSameFactorAfterEqualSpans) {
  TrainOptions options;
  options.lr = 1e-2f;
  options.lr_schedule = LrSchedule::kSteps;
  options.lr_steps = 3;
  options.lr_final_fraction = 1e-3f;
  options.warmup_fraction = 0.2f;
  struct Case {
    std::int64_t samples;
    double rate;
  };
  for (const Case& c :
       {Case{100, 0.5e-2}, Case{200, 1e-2}, Case{399, 1e-2}, Case{401, 1e-3}, Case{599, 1e-3},
        Case{601, 1e-4}, Case{799, 1e-4}, Case{801, 1e-5}, Case{1000, 1e-5}, Case{5000, 1e-5}}) {
    EXPECT_NEAR(LearningRate(options, c.samples, {.whole = 1000}) / c.rate, 1.0, 1e-6) << c.samples;
  }
}

// Iterations of 1,000 samples, one of 2,000: with it the whole run looks longer than before.
TEST(LearningRate, IsNotSetBackByALargerIteration) {
  TrainOptions options;
  options.warmup_fraction = 0.0f;
  for (const LrSchedule schedule : {LrSchedule::kCosine, LrSchedule::kSteps}) {
    options.lr_schedule = schedule;
    double last = options.lr;
    std::int64_t samples = 0;
    for (std::uint32_t iteration = 1; iteration <= 20; ++iteration) {
      const std::int64_t after = samples + (iteration == 6 ? 2'000 : 1'000);
      const SamplePlan plan = PlanSamples(after, iteration, 20);
      while (samples < after) {
        samples += 100;
        const double rate = LearningRate(options, samples, plan);
        EXPECT_LE(rate, last * (1 + 1e-9))
            << "iteration " << iteration << ", " << samples << " samples";
        last = rate;
      }
    }
    EXPECT_NEAR(last, options.lr * options.lr_final_fraction, 1e-9);
  }
}

TEST(LearningRate, IsFiniteAtTheEdgesOfItsOptions) {
  TrainOptions options;
  options.lr_final_fraction = 0.0f;
  for (const LrSchedule schedule :
       {LrSchedule::kConstant, LrSchedule::kCosine, LrSchedule::kSteps}) {
    options.lr_schedule = schedule;
    for (const float warmup : {0.0f, 1.0f}) {
      options.warmup_fraction = warmup;
      for (const std::int64_t samples : {0, 1, 2}) {
        const double rate = LearningRate(options, samples, {.whole = 1});
        EXPECT_TRUE(std::isfinite(rate) && rate >= 0.0 && rate <= options.lr) << warmup;
      }
    }
  }
}

TEST(EmaDecay, IsTheSmallerOfSpanAndWarmUp) {
  TrainOptions options;
  options.batch = 500;
  options.ema_span = 100'000.0f;
  EXPECT_DOUBLE_EQ(EmaDecay(options, 1), 2.0 / 11.0);
  EXPECT_DOUBLE_EQ(EmaDecay(options, 10), 11.0 / 20.0);
  EXPECT_NEAR(EmaDecay(options, 1'000'000), std::exp(-0.005), 1e-7);
  options.ema_span = 0.0f;
  EXPECT_EQ(EmaDecay(options, 1'000'000), 0.0);
}

}  // namespace
}  // namespace az
