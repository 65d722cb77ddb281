#include "scheduler/step_ladder.h"

#include <gtest/gtest.h>

#include "scheduler/checkpointing.h"

namespace az {
namespace {

TEST(StepLadder, GoesDownInTheOrderOfItsHeader) {
  StepLadder ladder({.micro_batch = 512, .checkpoint_stages = 0}, /*stages=*/8);
  EXPECT_EQ(ladder.OutOfMemory(256), StepRung::kCleanUp);
  EXPECT_EQ(ladder.sizes(), (StepSizes{512, 0}));
  EXPECT_EQ(ladder.OutOfMemory(256), StepRung::kSmallerBatch);  // what ran, not what was allowed
  EXPECT_EQ(ladder.sizes(), (StepSizes{128, 0}));
  EXPECT_EQ(ladder.OutOfMemory(128), StepRung::kSmallerBatch);
  EXPECT_EQ(ladder.OutOfMemory(64), StepRung::kCheckpointing);
  EXPECT_EQ(ladder.sizes(), (StepSizes{64, 1}));
  EXPECT_EQ(ladder.OutOfMemory(64), StepRung::kTinyBatch);
  EXPECT_EQ(ladder.sizes(), (StepSizes{32, 1}));
  EXPECT_EQ(ladder.OutOfMemory(32), StepRung::kTinyBatch);
  EXPECT_EQ(ladder.OutOfMemory(16), StepRung::kTinyBatch);
  EXPECT_EQ(ladder.OutOfMemory(8), StepRung::kExhausted);
  EXPECT_EQ(ladder.sizes(), (StepSizes{8, 1}));
}

TEST(StepLadder, NeverSkipsTheGoodSizesNorGrows) {
  for (int rows = 1; rows <= 2000; ++rows) {
    StepLadder ladder({.micro_batch = rows, .checkpoint_stages = 2}, 8);
    StepSizes last = ladder.sizes();
    StepRung rung = ladder.OutOfMemory(rows);
    for (int tries = 0; rung != StepRung::kExhausted; ++tries) {
      ASSERT_LT(tries, 12) << rows;
      EXPECT_LE(ladder.sizes().micro_batch, last.micro_batch);
      EXPECT_EQ(rung == StepRung::kTinyBatch,
                ladder.sizes().micro_batch < last.micro_batch && ladder.sizes().micro_batch < 64);
      EXPECT_EQ(ladder.sizes().checkpoint_stages, 2);  // is on: nothing to take there
      last = ladder.sizes();
      rung = ladder.OutOfMemory(last.micro_batch);
    }
  }
}

TEST(StepLadder, CleansUpAgainOnlyAfterManySteps) {
  StepLadder ladder({.micro_batch = 512, .checkpoint_stages = 0}, 8);
  EXPECT_EQ(ladder.OutOfMemory(512), StepRung::kCleanUp);
  for (int step = 0; step < 10; ++step) ladder.Success();
  EXPECT_EQ(ladder.OutOfMemory(512), StepRung::kSmallerBatch);  // cleaning up was not enough
  for (int step = 0; step < 50; ++step) ladder.Success();
  EXPECT_EQ(ladder.OutOfMemory(256), StepRung::kCleanUp);
  EXPECT_EQ(ladder.OutOfMemory(256), StepRung::kSmallerBatch);
}

TEST(StepLadder, OneStageHasNothingToCheckpoint) {
  StepLadder ladder({.micro_batch = 16, .checkpoint_stages = 0}, 1);
  EXPECT_EQ(ladder.OutOfMemory(16), StepRung::kCleanUp);
  EXPECT_EQ(ladder.OutOfMemory(16), StepRung::kTinyBatch);
  EXPECT_EQ(ladder.OutOfMemory(8), StepRung::kExhausted);
}

TEST(BestSegment, MakesInputsAndActivationsTogetherLeast) {
  // A segment of k keeps about 4k tensors of a stage's size, and there are n / k inputs.
  for (int n = 1; n <= 64; ++n) {
    const int k = BestSegment(n);
    const double cost = static_cast<double>(n) / k + 4.0 * k;
    for (int other = 1; other <= n; ++other) {
      EXPECT_LE(cost, 1.07 * (static_cast<double>(n) / other + 4.0 * other)) << n << " " << other;
    }
  }
}

}  // namespace
}  // namespace az
