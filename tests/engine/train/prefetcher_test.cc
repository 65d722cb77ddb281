#include "engine/train/prefetcher.h"

#include <gtest/gtest.h>

#include <atomic>

namespace az {
namespace {

TEST(BatchPrefetcher, GivesEveryBatchOnceAndInOrder) {
  constexpr int kSteps = 200;
  BatchPrefetcher prefetcher(2, kSteps, [](std::int64_t step, TrainBatch& batch) -> Result<void> {
    batch.rows = static_cast<int>(step);
    return {};
  });
  for (int step = 0; step < kSteps; ++step) {
    const Result<const TrainBatch*> batch = prefetcher.Next();
    ASSERT_TRUE(batch);
    EXPECT_EQ((*batch)->rows, step);
  }
}

TEST(BatchPrefetcher, IsNeverMoreThanItsDepthAhead) {
  std::atomic<std::int64_t> made = 0;
  BatchPrefetcher prefetcher(3, 100, [&](std::int64_t step, TrainBatch&) -> Result<void> {
    made = step + 1;
    return {};
  });
  for (int taken = 1; taken <= 100; ++taken) {
    ASSERT_TRUE(prefetcher.Next());
    EXPECT_LE(made.load(), taken + 3);
  }
}

TEST(BatchPrefetcher, FailsForGood) {
  BatchPrefetcher prefetcher(2, 10, [](std::int64_t step, TrainBatch&) -> Result<void> {
    if (step == 2) return Error{Errc::kCorrupt, "a bad game"};
    return {};
  });
  EXPECT_TRUE(prefetcher.Next());
  EXPECT_TRUE(prefetcher.Next());
  for (int i = 0; i < 5; ++i) EXPECT_EQ(prefetcher.Next().error().message, "a bad game");
}

TEST(BatchPrefetcher, EndsWhenNobodyTakes) {
  for (int taken = 0; taken < 4; ++taken) {
    BatchPrefetcher prefetcher(1, 100,
                               [](std::int64_t, TrainBatch&) -> Result<void> { return {}; });
    for (int i = 0; i < taken; ++i) ASSERT_TRUE(prefetcher.Next());
  }
}

}  // namespace
}  // namespace az
