#include "engine/ipc/shm_evaluator.h"

#include <gtest/gtest.h>

#include <optional>
#include <thread>
#include <vector>

#include "tests/support/segment_fixture.h"

namespace az {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

// The server's part is the test's: blocks change state by hand.
class ShmEvaluatorTest : public ::testing::Test {
 protected:
  EvalBatch Submitted(ModelId model = kBestModel) {
    auto batch = evaluator_->Reserve(model, 2, Deadline::In(seconds(20)));
    AZ_CHECK(batch.has_value()) << batch.error().message;
    AZ_CHECK(evaluator_->Submit(*batch).has_value());
    return *std::move(batch);
  }
  BlockLine& line(int block) { return segment_->block(0, static_cast<std::uint32_t>(block)); }
  void Answer(int block, BlockStatus status = BlockStatus::kOk) {
    if (LoadState(line(block)) == BlockState::kSubmitted) {
      StoreState(line(block), BlockState::kTaken, Role::kServer, 1);
    }
    line(block).version = 9;
    line(block).status = static_cast<std::uint16_t>(status);
    StoreState(line(block), status == BlockStatus::kOk ? BlockState::kDone : BlockState::kFailed,
               Role::kServer);
    segment_->lane(0).bell.Ring();
  }
  static Errc CodeOf(const Result<void>& result) {
    AZ_CHECK(!result.has_value());
    return result.error().code;
  }

  std::unique_ptr<Segment> segment_ = fakes::MakeSegment(fakes::TestSpec(1));
  std::optional<ShmEvaluator> evaluator_{std::in_place, *segment_, 0u, 3u};
};

TEST_F(ShmEvaluatorTest, SubmitWritesTheDescriptorAndLeavesAHint) {
  const EvalBatch batch = Submitted(kCandidateModel);
  const BlockLine& written = line(batch.block());
  EXPECT_EQ(LoadState(written), BlockState::kSubmitted);
  EXPECT_EQ(written.lane_epoch, 3u);
  EXPECT_EQ(written.rows, 2);
  EXPECT_EQ(written.model, 1);
  EXPECT_EQ(written.attempts, 0u);
  EXPECT_GT(written.submit_ns, 0u);
  EXPECT_EQ(segment_->header().pending[0].load(), 1u);
}

TEST_F(ShmEvaluatorTest, EachStatusHasItsError) {
  const std::vector<std::pair<BlockStatus, Errc>> cases = {
      {BlockStatus::kBadRequest, Errc::kInvalid},  {BlockStatus::kNoModel, Errc::kNoModel},
      {BlockStatus::kNotFinite, Errc::kNotFinite}, {BlockStatus::kNoMemory, Errc::kNoMemory},
      {BlockStatus::kPoisoned, Errc::kCorrupt},
  };
  for (const auto& [status, code] : cases) {
    EvalBatch batch = Submitted();
    Answer(batch.block(), status);
    EXPECT_EQ(CodeOf(evaluator_->Wait(batch, Deadline::In(seconds(20)))), code);
  }
  EXPECT_EQ(segment_->counter(0, LaneCounter::kFailedBlocks), cases.size());
}

TEST_F(ShmEvaluatorTest, WaitAnyFindsTheOneThatIsAnswered) {
  EvalBatch first = Submitted();
  EvalBatch second = Submitted();
  std::thread server([&] { Answer(second.block()); });
  std::vector<EvalBatch*> both = {&first, &second};
  const auto which = evaluator_->WaitAny(both, Deadline::In(seconds(20)));
  server.join();
  ASSERT_TRUE(which.has_value());
  EXPECT_EQ(*which, 1);
  EXPECT_EQ(second.version(), 9u);
}

TEST_F(ShmEvaluatorTest, WaitAnyNamesTheOneThatFailedAndWaitSaysWhy) {
  EvalBatch first = Submitted();
  EvalBatch second = Submitted();
  Answer(second.block(), BlockStatus::kPoisoned);
  std::vector<EvalBatch*> both = {&first, &second};
  const auto which = evaluator_->WaitAny(both, Deadline::In(seconds(20)));
  ASSERT_TRUE(which.has_value()) << which.error().message;
  EXPECT_EQ(*which, 1);
  EXPECT_EQ(CodeOf(evaluator_->Wait(second, Deadline::In(seconds(20)))), Errc::kCorrupt);
  EXPECT_EQ(segment_->counter(0, LaneCounter::kFailedBlocks), 1u);
}

TEST_F(ShmEvaluatorTest, AnAnswerTakenTwiceCountsOnce) {
  EvalBatch batch = Submitted();
  Answer(batch.block());
  std::vector<EvalBatch*> one = {&batch};
  ASSERT_TRUE(evaluator_->WaitAny(one, Deadline::In(seconds(20))).has_value());
  ASSERT_TRUE(evaluator_->Wait(batch, Deadline::In(seconds(20))).has_value());
  EXPECT_EQ(segment_->counter(0, LaneCounter::kRows), 2u);
}

TEST_F(ShmEvaluatorTest, ANoticeEndsOneWaitHoweverEarlyItCame) {
  EvalBatch batch = Submitted();
  std::vector<EvalBatch*> one = {&batch};
  segment_->NotifyLane(0);
  const auto start = std::chrono::steady_clock::now();
  const auto noticed = evaluator_->WaitAny(one, Deadline::In(seconds(20)));
  ASSERT_FALSE(noticed.has_value());
  EXPECT_EQ(noticed.error().code, Errc::kTimeout);
  EXPECT_LT(std::chrono::steady_clock::now() - start, seconds(10));
  // The next wait lasts.
  const auto later = std::chrono::steady_clock::now();
  EXPECT_FALSE(evaluator_->WaitAny(one, Deadline::In(milliseconds(20))).has_value());
  EXPECT_GE(std::chrono::steady_clock::now() - later, milliseconds(19));
}

TEST_F(ShmEvaluatorTest, AnAnswerComesBeforeANotice) {
  EvalBatch batch = Submitted();
  std::vector<EvalBatch*> one = {&batch};
  segment_->NotifyLane(0);
  Answer(batch.block());
  EXPECT_TRUE(evaluator_->WaitAny(one, Deadline::In(seconds(20))).has_value());
}

TEST_F(ShmEvaluatorTest, ADrainIsANoticeAndAnswersStillCome) {
  EvalBatch batch = Submitted();
  segment_->SetStop(StopWord::kDrain);
  EXPECT_EQ(CodeOf(evaluator_->Wait(batch, Deadline::In(seconds(20)))), Errc::kTimeout);
  std::thread server([&] { Answer(batch.block()); });
  EXPECT_TRUE(evaluator_->Wait(batch, Deadline::In(seconds(20))).has_value());
  server.join();
}

TEST_F(ShmEvaluatorTest, ADroppedBatchFreesItsBlockWhenAnswered) {
  int block = -1;
  {
    const EvalBatch batch = Submitted();
    block = batch.block();
  }
  EXPECT_EQ(LoadState(line(block)), BlockState::kSubmitted);
  std::vector<EvalBatch> others;
  for (int i = 0; i < 3; ++i) others.push_back(Submitted());
  EXPECT_FALSE(evaluator_->Reserve(kBestModel, 1, Deadline::In(milliseconds(5))).has_value());
  std::thread server([&] { Answer(block); });
  const auto again = evaluator_->Reserve(kBestModel, 1, Deadline::In(seconds(20)));
  server.join();
  ASSERT_TRUE(again.has_value());
  EXPECT_EQ(again->block(), block);
}

TEST_F(ShmEvaluatorTest, ASuccessorRingsForWhatIsOpenAndFreesWhatIsAnswered) {
  std::vector<EvalBatch> left;
  for (int i = 0; i < 3; ++i) left.push_back(Submitted());
  Answer(left[0].block());
  StoreState(line(left[1].block()), BlockState::kTaken, Role::kServer, 1);
  segment_->header().pending[0] = 0;  // the predecessor died before its hint
  const std::uint32_t rings = segment_->header().bell.word;

  ShmEvaluator successor(*segment_, 0, 4);
  EXPECT_EQ(segment_->worker(0).epoch.load(), 4u);
  EXPECT_EQ(segment_->counter(0, LaneCounter::kAdopted), 3u);
  EXPECT_EQ(LoadState(line(left[0].block())), BlockState::kFree);
  EXPECT_EQ(LoadState(line(left[1].block())), BlockState::kTaken);
  EXPECT_EQ(segment_->header().pending[0].load(), 1u);
  EXPECT_NE(segment_->header().bell.word.load(), rings);
  // The two blocks that are the server's come free only when they are answered.
  std::vector<EvalBatch> mine;
  for (int i = 0; i < 2; ++i) {
    auto batch = successor.Reserve(kBestModel, 1, Deadline::In(seconds(20)));
    ASSERT_TRUE(batch.has_value());
    mine.push_back(*std::move(batch));
  }
  EXPECT_FALSE(successor.Reserve(kBestModel, 1, Deadline::In(milliseconds(5))).has_value());
  Answer(left[1].block());
  EXPECT_TRUE(successor.Reserve(kBestModel, 1, Deadline::In(seconds(20))).has_value());
}

TEST_F(ShmEvaluatorTest, WhoWaitsIsAlive) {
  EvalBatch batch = Submitted();
  segment_->worker(0).heartbeat_ns = 1;
  (void)evaluator_->Wait(batch, Deadline::In(milliseconds(2)));
  const auto age = Segment::SinceBeat(segment_->worker(0), std::chrono::steady_clock::now());
  EXPECT_LT(*age, seconds(10));
}

TEST_F(ShmEvaluatorTest, AnAnswerToAnotherRequestEndsTheProcess) {
  EvalBatch batch = Submitted();
  line(batch.block()).request += 1;
  Answer(batch.block());
  EXPECT_DEATH((void)evaluator_->Wait(batch, Deadline::In(seconds(20))), "request");
}

}  // namespace
}  // namespace az
