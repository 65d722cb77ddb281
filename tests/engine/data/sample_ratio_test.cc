#include "engine/data/sample_ratio.h"

#include <gtest/gtest.h>

#include <cmath>

#include "base/rng.h"

namespace az {
namespace {

SampleRatioOptions Options() {
  return {.samples_per_position = 4,
          .min_to_sample = 100,
          .slack = 200,
          .largest_sample = 64,
          .largest_insert = 50};
}

TEST(SampleRatio, RefusesWhatWouldBlockBothSides) {
  struct Case {
    double ratio;
    double slack;
    std::int64_t sample;
    std::int64_t insert;
    bool valid;
  };
  const Case cases[] = {
      {4, 200, 64, 50, true},           {4, 199, 64, 50, false},   // 4 * 50
      {0.5, 64, 64, 50, true},          {0.5, 63, 64, 50, false},  // one sample
      {0, 200, 64, 50, false},          {-1, 200, 64, 50, false},
      {4, std::nan(""), 64, 50, false}, {std::nan(""), 200, 64, 50, false},
      {4, 200, 0, 50, false},           {4, 200, 64, -1, false},
  };
  for (const Case& c : cases) {
    SampleRatioOptions options = Options();
    options.samples_per_position = c.ratio;
    options.slack = c.slack;
    options.largest_sample = c.sample;
    options.largest_insert = c.insert;
    const auto ratio = SampleRatio::Create(options);
    EXPECT_EQ(ratio.has_value(), c.valid) << c.ratio << " " << c.slack;
    if (!ratio) {
      EXPECT_EQ(ratio.error().code, Errc::kInvalid);
    }
  }
}

TEST(SampleRatio, NothingIsSampledBeforeTheMinimum) {
  SampleRatio ratio = SampleRatio::Create(Options()).value();
  EXPECT_FALSE(ratio.CanSample(1));
  EXPECT_TRUE(ratio.CanInsert(50));
  ratio.OnInsert(99);
  EXPECT_FALSE(ratio.CanSample(1));
  EXPECT_TRUE(ratio.CanInsert(50)) << "nothing can hold the first positions up";
  EXPECT_EQ(ratio.StepsDue(64), 0);
  ratio.OnInsert(1);
  EXPECT_TRUE(ratio.CanSample(64));
  EXPECT_FALSE(ratio.CanInsert(1)) << "400 samples are owed, more than the slack";
}

TEST(SampleRatio, StepsDueFollowsTheTable) {
  struct Case {
    std::int64_t inserted, sampled, batch, steps;
  };
  const Case cases[] = {{99, 0, 64, 0},    {100, 0, 64, 6},   {100, 0, 400, 1},
                        {100, 0, 401, 0},  {100, 384, 64, 0}, {116, 384, 64, 1},
                        {100, 500, 64, 0}, {1000, 0, 1, 4000}};
  for (const Case& c : cases) {
    const SampleRatio ratio =
        SampleRatio::Restore(Options(), {.inserted = c.inserted, .sampled = c.sampled}).value();
    EXPECT_EQ(ratio.StepsDue(c.batch), c.steps) << c.inserted << " " << c.sampled;
  }
}

TEST(SampleRatio, PhasesHitTheRatioWithoutDrift) {
  // Iterations of uneven size, each followed by what is due: never a batch apart, over any number
  // of iterations.
  SampleRatio ratio = SampleRatio::Create(Options()).value();
  Rng rng(7);
  for (int iteration = 0; iteration < 1000; ++iteration) {
    ratio.OnInsert(100 + static_cast<std::int64_t>(rng.Below(400)));
    const std::int64_t steps = ratio.StepsDue(64);
    ratio.OnSample(steps * 64);
    ASSERT_GE(ratio.debt(), 0);
    ASSERT_LT(ratio.debt(), 64);
  }
}

TEST(SampleRatio, WhatIsForgoneIsOwedNoMore) {
  SampleRatio ratio = SampleRatio::Create(Options()).value();
  ratio.OnInsert(100);
  ASSERT_EQ(ratio.StepsDue(64), 6);
  ratio.OnSample(2 * 64);
  ratio.Forgo(4 * 64);
  EXPECT_EQ(ratio.debt(), 400 - 6 * 64);
  ratio.OnInsert(12);
  EXPECT_EQ(ratio.StepsDue(64), 1) << "16 of before and 48 of now";
}

TEST(SampleRatio, InvariantHoldsUnderAnySchedule) {
  for (const double samples_per_position : {0.25, 1.0, 4.0}) {
    SampleRatioOptions options = Options();
    options.samples_per_position = samples_per_position;
    SampleRatio ratio = SampleRatio::Create(options).value();
    Rng rng(11);
    bool settled = false;
    for (int step = 0; step < 20'000; ++step) {
      const auto insert = static_cast<std::int64_t>(1 + rng.Below(50));
      const auto sample = static_cast<std::int64_t>(1 + rng.Below(64));
      ASSERT_TRUE(ratio.CanInsert(insert) || ratio.CanSample(sample)) << "both sides wait";
      const bool insert_first = rng.Below(2) == 0;
      if (insert_first && ratio.CanInsert(insert)) {
        ratio.OnInsert(insert);
      } else if (ratio.CanSample(sample)) {
        ratio.OnSample(sample);
      }
      settled = settled || (ratio.state().sampled > 0 && ratio.debt() <= options.slack);
      if (settled) {
        ASSERT_LE(std::abs(ratio.debt()), options.slack);
      }
    }
    EXPECT_TRUE(settled);
    EXPECT_GT(ratio.state().inserted, 1000);
  }
}

TEST(SampleRatio, RestoresWhatItSaved) {
  SampleRatio ratio = SampleRatio::Create(Options()).value();
  ratio.OnInsert(300);
  ratio.OnSample(1000);
  const SampleRatio again = SampleRatio::Restore(Options(), ratio.state()).value();
  EXPECT_EQ(again.state(), ratio.state());
  EXPECT_EQ(again.debt(), 200);
  EXPECT_FALSE(SampleRatio::Restore(Options(), {.inserted = -1, .sampled = 0}).has_value());
}

}  // namespace
}  // namespace az
