#include "engine/server/memory_ladder.h"

#include <gtest/gtest.h>

namespace az {
namespace {

TEST(MemoryLadder, CleansUpThenHalvesThenGivesUp) {
  MemoryLadder ladder({8, 16, 24, 32});
  EXPECT_EQ(ladder.OutOfMemory(32), MemoryStep::kCleanUp);
  EXPECT_EQ(ladder.OutOfMemory(32), MemoryStep::kSmallerBucket);
  EXPECT_EQ(ladder.buckets(), (std::vector<int>{8, 16}));
  EXPECT_EQ(ladder.OutOfMemory(32), MemoryStep::kGivenUpAlready);  // launched before the step
  EXPECT_EQ(ladder.buckets(), (std::vector<int>{8, 16}));
  EXPECT_EQ(ladder.OutOfMemory(16), MemoryStep::kCleanUp);
  EXPECT_EQ(ladder.OutOfMemory(16), MemoryStep::kSmallerBucket);
  EXPECT_EQ(ladder.buckets(), (std::vector<int>{8}));
  EXPECT_EQ(ladder.OutOfMemory(8), MemoryStep::kCleanUp);
  EXPECT_EQ(ladder.OutOfMemory(8), MemoryStep::kExhausted);
  EXPECT_EQ(ladder.OutOfMemory(8), MemoryStep::kCleanUp);  // memory may come back
}

TEST(MemoryLadder, AnswersBetweenRefusalsStartWithACleanUpAgain) {
  MemoryLadder ladder({8, 32});
  EXPECT_EQ(ladder.OutOfMemory(32), MemoryStep::kCleanUp);
  ladder.Success(8);  // says nothing of 32
  EXPECT_EQ(ladder.OutOfMemory(32), MemoryStep::kSmallerBucket);
  EXPECT_EQ(ladder.OutOfMemory(8), MemoryStep::kCleanUp);
  ladder.Success(8);
  EXPECT_EQ(ladder.OutOfMemory(8), MemoryStep::kCleanUp);
}

TEST(MemoryLadder, ASmallBucketRefusedHalvesFromThere) {
  MemoryLadder ladder({8, 16, 32, 64});
  EXPECT_EQ(ladder.OutOfMemory(32), MemoryStep::kCleanUp);
  EXPECT_EQ(ladder.OutOfMemory(32), MemoryStep::kSmallerBucket);
  EXPECT_EQ(ladder.buckets(), (std::vector<int>{8, 16}));
}

}  // namespace
}  // namespace az
