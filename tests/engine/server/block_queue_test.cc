#include "engine/server/block_queue.h"

#include <gtest/gtest.h>

#include "tests/support/segment_fixture.h"

namespace az {
namespace {

using std::chrono::milliseconds;

// Lane by lane, block by block, as workers would have left them.
class BlockQueueTest : public ::testing::Test {
 protected:
  BlockQueueTest() {
    models_.Set(kBestModel, ModelState::kReady, 1);
    models_.Set(kCandidateModel, ModelState::kReady, 2);
  }
  BlockLine& Submit(std::uint32_t lane, std::uint32_t block, Duration age, std::uint16_t rows = 8) {
    BlockLine& line = segment_->block(lane, block);
    line.rows = rows;
    line.model = 0;
    line.attempts = 0;
    line.submit_ns = ToNs(now_ - age);
    line.state = StateWord(BlockState::kSubmitted);
    segment_->MarkPending(lane);
    return line;
  }
  BlockStatus StatusOf(const BlockLine& line) { return static_cast<BlockStatus>(line.status); }
  bool Take(int rows, SealReason reason = SealReason::kReady) {
    return queue_.Take({.model = 0, .rows = rows, .reason = reason}, buckets_, now_, batch_);
  }

  const TimePoint now_{std::chrono::seconds(1000)};
  const std::vector<int> buckets_ = {8, 64};
  std::unique_ptr<Segment> segment_ = fakes::MakeSegment(fakes::TestSpec(3));
  ModelSlots models_{*segment_};
  const Log log_{-1, "test"};
  BlockQueue queue_{*segment_, models_, {.device_epoch = 5}, log_};
  SealedBatch batch_;
};

TEST_F(BlockQueueTest, TakesWholeBlocksOldestFirst) {
  Submit(0, 0, milliseconds(1), 8);
  Submit(1, 2, milliseconds(3), 5);
  Submit(2, 1, milliseconds(2), 8);
  queue_.Collect(now_);
  EXPECT_EQ(queue_.queues()[0].rows, 21);
  EXPECT_EQ(queue_.queues()[0].oldest, now_ - milliseconds(3));
  ASSERT_TRUE(Take(14));
  ASSERT_EQ(batch_.blocks.size(), 2u);
  EXPECT_EQ(batch_.blocks[0].lane, 1);
  EXPECT_EQ(batch_.blocks[1].lane, 2);
  EXPECT_EQ(batch_.rows, 13);
  EXPECT_EQ(batch_.bucket, 64);
  const BlockLine& taken = segment_->block(1, 2);
  EXPECT_EQ(taken.state.load(), StateWord(BlockState::kTaken, 5));
  EXPECT_EQ(taken.attempts, 1u);
  EXPECT_EQ(queue_.queues()[0].blocks, 1);
}

TEST_F(BlockQueueTest, OneBlockIsTakenHoweverSmallTheLimit) {
  Submit(0, 0, milliseconds(1), 8);
  queue_.Collect(now_);
  ASSERT_TRUE(Take(1));
  EXPECT_EQ(batch_.rows, 8);
}

TEST_F(BlockQueueTest, BadDescriptorsFailAndOthersAreServed) {
  struct Garbage {
    std::uint16_t rows;
    std::uint16_t model;
  };
  std::uint32_t block = 0;
  for (const Garbage bad : {Garbage{65535, 0}, Garbage{0, 0}, Garbage{9, 0}, Garbage{8, 999}}) {
    Submit(1, block++, milliseconds(1), bad.rows).model = bad.model;
  }
  segment_->lane(1).bell.word = 0xDEADBEEF;
  segment_->lane(1).counters[0] = ~std::uint64_t{0};
  segment_->header().pending[3] = ~std::uint64_t{0};  // lanes that do not exist
  Submit(0, 0, milliseconds(1));
  queue_.Collect(now_);
  for (std::uint32_t k = 0; k < 4; ++k) {
    EXPECT_EQ(LoadState(segment_->block(1, k)), BlockState::kFailed);
    EXPECT_EQ(StatusOf(segment_->block(1, k)), BlockStatus::kBadRequest);
  }
  EXPECT_EQ(queue_.queues()[0].rows, 8);
}

TEST_F(BlockQueueTest, ATimeInTheFutureCountsAsNow) {
  Submit(0, 0, -std::chrono::hours(1));
  queue_.Collect(now_);
  EXPECT_EQ(queue_.queues()[0].oldest, now_);
}

TEST_F(BlockQueueTest, AStateThatAWorkerStoleIsLeftAlone) {
  Submit(0, 0, milliseconds(1));
  queue_.Collect(now_);
  segment_->block(0, 0).state = StateWord(BlockState::kFree);
  EXPECT_FALSE(Take(8));
  EXPECT_EQ(segment_->counter(ServerCounter::kViolations), 1u);
  EXPECT_EQ(LoadState(segment_->block(0, 0)), BlockState::kFree);
}

TEST_F(BlockQueueTest, ALostHintIsFoundByTheSweep) {
  Submit(2, 3, milliseconds(4));
  segment_->header().pending[0] = 0;
  queue_.Collect(now_);  // the first look is a sweep
  EXPECT_EQ(queue_.queues()[0].blocks, 1);
  EXPECT_EQ(segment_->counter(ServerCounter::kSwept), 1u);
  Submit(2, 2, milliseconds(4));
  segment_->header().pending[0] = 0;
  queue_.Collect(now_ + milliseconds(1));
  EXPECT_EQ(queue_.queues()[0].blocks, 1);
  queue_.Collect(now_ + milliseconds(5));
  EXPECT_EQ(queue_.queues()[0].blocks, 2);
}

TEST_F(BlockQueueTest, RecoverySendsBackWhatWasTakenAsSuspects) {
  BlockLine& line = Submit(1, 1, milliseconds(1));
  line.attempts = 1;
  line.state = StateWord(BlockState::kTaken, 4);
  segment_->header().pending[0] = 0;
  const std::uint32_t rings = segment_->lane(1).bell.word;
  queue_.Recover();
  EXPECT_EQ(LoadState(line), BlockState::kSubmitted);
  EXPECT_EQ(segment_->header().pending[0].load(), 7u);
  EXPECT_NE(segment_->lane(1).bell.word.load(), rings);
  Submit(0, 0, milliseconds(2));
  queue_.Collect(now_);
  EXPECT_EQ(queue_.suspects(), 1);
  ASSERT_TRUE(Take(1, SealReason::kSuspect));
  ASSERT_EQ(batch_.blocks.size(), 1u);
  EXPECT_EQ(batch_.blocks[0].lane, 1);
  EXPECT_EQ(line.attempts, 2u);
}

TEST_F(BlockQueueTest, TheThirdAttemptWasTheLast) {
  Submit(0, 0, milliseconds(1)).attempts = 3;
  Submit(0, 1, milliseconds(1)).attempts = 2;
  queue_.Collect(now_);
  EXPECT_EQ(LoadState(segment_->block(0, 0)), BlockState::kFailed);
  EXPECT_EQ(StatusOf(segment_->block(0, 0)), BlockStatus::kPoisoned);
  EXPECT_EQ(queue_.suspects(), 1);
}

TEST_F(BlockQueueTest, BlocksOfASlotThatIsEmptiedFail) {
  Submit(0, 0, milliseconds(1));
  Submit(0, 1, milliseconds(1)).attempts = 1;
  queue_.Collect(now_);
  models_.Set(kBestModel, ModelState::kLoading, 0);
  queue_.Collect(now_);
  EXPECT_FALSE(queue_.queues()[0].is_ready);
  EXPECT_EQ(queue_.suspects(), 0);
  models_.Set(kBestModel, ModelState::kEmpty, 0);
  queue_.Collect(now_);
  EXPECT_EQ(StatusOf(segment_->block(0, 0)), BlockStatus::kNoModel);
  EXPECT_EQ(segment_->CountBlocks(BlockState::kFailed), 2);
}

}  // namespace
}  // namespace az
