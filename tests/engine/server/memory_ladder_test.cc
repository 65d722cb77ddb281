#include "engine/server/memory_ladder.h"

#include <gtest/gtest.h>

namespace az {
namespace {

// A batch that was sealed after everything that is asked for was done.
MemoryStep Refuse(MemoryLadder& ladder, int bucket) {
  ladder.CleanedUp();
  return ladder.OutOfMemory(bucket, ladder.clean_ups());
}

TEST(MemoryLadder, CleansUpThenHalvesThenGivesUp) {
  MemoryLadder ladder({8, 16, 24, 32});
  EXPECT_EQ(Refuse(ladder, 32), MemoryStep::kCleanUp);
  EXPECT_EQ(Refuse(ladder, 32), MemoryStep::kSmallerBucket);
  EXPECT_EQ(ladder.buckets(), (std::vector<int>{8, 16}));
  EXPECT_EQ(Refuse(ladder, 32), MemoryStep::kGivenUpAlready);  // launched before the step
  EXPECT_EQ(ladder.buckets(), (std::vector<int>{8, 16}));
  EXPECT_EQ(Refuse(ladder, 16), MemoryStep::kCleanUp);
  EXPECT_EQ(Refuse(ladder, 16), MemoryStep::kSmallerBucket);
  EXPECT_EQ(ladder.buckets(), (std::vector<int>{8}));
  EXPECT_EQ(Refuse(ladder, 8), MemoryStep::kCleanUp);
  EXPECT_EQ(Refuse(ladder, 8), MemoryStep::kExhausted);
  EXPECT_EQ(Refuse(ladder, 8), MemoryStep::kCleanUp);  // memory may come back
}

TEST(MemoryLadder, AnswersBetweenRefusalsStartWithACleanUpAgain) {
  MemoryLadder ladder({8, 32});
  EXPECT_EQ(Refuse(ladder, 32), MemoryStep::kCleanUp);
  ladder.Success(8);  // says nothing of 32
  EXPECT_EQ(Refuse(ladder, 32), MemoryStep::kSmallerBucket);
  EXPECT_EQ(Refuse(ladder, 8), MemoryStep::kCleanUp);
  ladder.Success(8);
  EXPECT_EQ(Refuse(ladder, 8), MemoryStep::kCleanUp);
}

TEST(MemoryLadder, ASmallBucketRefusedHalvesFromThere) {
  MemoryLadder ladder({8, 16, 32, 64});
  EXPECT_EQ(Refuse(ladder, 32), MemoryStep::kCleanUp);
  EXPECT_EQ(Refuse(ladder, 32), MemoryStep::kSmallerBucket);
  EXPECT_EQ(ladder.buckets(), (std::vector<int>{8, 16}));
}

// Two runners: what was in flight before the clean-up says nothing of what fits after it.
TEST(MemoryLadder, ARefusalOfBeforeTheCleanUpIsRunAgain) {
  for (const std::vector<int>& buckets : {std::vector{8, 128}, std::vector{8}}) {
    MemoryLadder ladder(buckets);
    const int largest = buckets.back();
    const int sealed = ladder.clean_ups();
    EXPECT_EQ(ladder.OutOfMemory(largest, sealed), MemoryStep::kCleanUp);
    EXPECT_EQ(ladder.OutOfMemory(largest, sealed), MemoryStep::kGivenUpAlready);
    const int meanwhile = ladder.clean_ups();  // sealed while caches go back
    ladder.CleanedUp();
    EXPECT_EQ(ladder.OutOfMemory(largest, meanwhile), MemoryStep::kGivenUpAlready);
    EXPECT_EQ(ladder.OutOfMemory(largest, ladder.clean_ups()),
              buckets.size() == 1 ? MemoryStep::kExhausted : MemoryStep::kSmallerBucket);
  }
}

}  // namespace
}  // namespace az
