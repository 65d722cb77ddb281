#include "engine/server/inference_server.h"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>
#include <vector>

#include "base/rng.h"
#include "engine/ipc/shm_evaluator.h"
#include "engine/server/batch_policy.h"
#include "tests/support/fake_runner.h"
#include "tests/support/segment_fixture.h"

namespace az {
namespace {

using fakes::FakeRunners;
using fakes::FillRows;
using fakes::MakeNetwork;
using fakes::MakeSegment;
using fakes::TestSpec;
using fakes::WrongRows;

constexpr auto kLong = std::chrono::seconds(20);  // a test that waits so long has failed

// A server over a fake network; the worker's side is the test's.
class InferenceServerTest : public ::testing::TestWithParam<bool> {
 protected:
  void Start(ServerOptions options, int runners, std::uint32_t epoch = 1) {
    options.gpu_pipeline = GetParam();
    auto started = InferenceServer::Start(*segment_, epoch, FakeRunners(*network_, runners),
                                          std::move(options), log_);
    ASSERT_TRUE(started.has_value()) << started.error().message;
    server_ = *std::move(started);
  }
  void StartReady(const ServerOptions& options = {.buckets = {8, 32}}, int runners = 2) {
    Start(options, runners);
    server_->SetModel(kBestModel, ModelState::kReady, 1);
    server_->SetModel(kCandidateModel, ModelState::kReady, 2);
  }
  EvalBatch Submitted(ShmEvaluator& evaluator, ModelId model, int rows, std::uint64_t seed) {
    auto batch = evaluator.Reserve(model, rows, Deadline::In(kLong));
    AZ_CHECK(batch.has_value()) << batch.error().message;
    FillRows(*batch, seed);
    AZ_CHECK(evaluator.Submit(*batch).has_value());
    return *std::move(batch);
  }

  Log log_{-1, "test"};
  std::unique_ptr<Segment> segment_ = MakeSegment(TestSpec(2));
  std::unique_ptr<fakes::FakeNetwork> network_ = MakeNetwork(segment_->shape());
  std::unique_ptr<InferenceServer> server_;
};

INSTANTIATE_TEST_SUITE_P(Engines, InferenceServerTest, ::testing::Bool(),
                         [](const auto& test) { return test.param ? "Pipeline" : "Pool"; });

TEST_P(InferenceServerTest, AnswersEachBatchWithItsOwnModel) {
  StartReady();
  ShmEvaluator evaluator(*segment_, 0, 1);
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    EvalBatch best = Submitted(evaluator, kBestModel, 1 + static_cast<int>(seed % 8), seed);
    EvalBatch candidate = Submitted(evaluator, kCandidateModel, 3, ~seed);
    ASSERT_TRUE(evaluator.Wait(best, Deadline::In(kLong)).has_value());
    ASSERT_TRUE(evaluator.Wait(candidate, Deadline::In(kLong)).has_value());
    EXPECT_EQ(best.version(), 1u);
    EXPECT_EQ(candidate.version(), 2u);
    EXPECT_EQ(WrongRows(best, seed), 0);
    EXPECT_EQ(WrongRows(candidate, ~seed), 0);
  }
  EXPECT_GE(segment_->counter(ServerCounter::kBatches), 200u);
}

TEST_P(InferenceServerTest, ServesWorkersAtTheSameTime) {
  StartReady();
  std::vector<std::thread> workers;
  std::vector<int> wrong(2, 0);
  for (std::uint32_t lane = 0; lane < 2; ++lane) {
    workers.emplace_back([this, lane, &wrong] {
      ShmEvaluator evaluator(*segment_, lane, 1);
      std::vector<EvalBatch> batches(4);
      for (std::uint64_t seed = 0; seed < 2000; ++seed) {
        auto& slot = batches[seed % 4];
        if (slot.valid()) {
          AZ_CHECK(evaluator.Wait(slot, Deadline::In(kLong)).has_value());
          wrong[lane] += WrongRows(slot, seed - 4);
          slot.Reset();
        }
        slot = Submitted(evaluator, ModelId(seed % 2), 8, seed);
      }
    });
  }
  for (auto& worker : workers) worker.join();
  EXPECT_EQ(wrong, (std::vector<int>{0, 0}));
  server_->Stop();
  EXPECT_EQ(segment_->counter(ServerCounter::kViolations), 0u);
}

TEST_P(InferenceServerTest, BlocksWaitForALoadingModelAndFailWithoutOne) {
  Start({.buckets = {8}}, 1);
  ShmEvaluator evaluator(*segment_, 0, 1);
  EvalBatch none = Submitted(evaluator, kBestModel, 2, 1);
  const auto failed = evaluator.Wait(none, Deadline::In(kLong));
  ASSERT_FALSE(failed.has_value());
  EXPECT_EQ(failed.error().code, Errc::kNoModel);

  server_->SetModel(kBestModel, ModelState::kLoading, 0);
  EvalBatch waits = Submitted(evaluator, kBestModel, 2, 2);
  const auto later = evaluator.Wait(waits, Deadline::In(std::chrono::milliseconds(20)));
  ASSERT_FALSE(later.has_value());
  EXPECT_EQ(later.error().code, Errc::kTimeout);
  server_->SetModel(kBestModel, ModelState::kReady, 1);
  EXPECT_TRUE(evaluator.Wait(waits, Deadline::In(kLong)).has_value());
  EXPECT_EQ(WrongRows(waits, 2), 0);
}

TEST_P(InferenceServerTest, BatchesSealedAfterAPublicationUseItsVersion) {
  StartReady();
  ShmEvaluator evaluator(*segment_, 0, 1);
  for (WeightsVersion version = 10; version < 60; ++version) {
    EvalBatch before = Submitted(evaluator, kBestModel, 8, version);
    network_->versions[0] = version;
    server_->SetModel(kBestModel, ModelState::kReady, version);
    EvalBatch after = Submitted(evaluator, kBestModel, 8, version + 1000);
    ASSERT_TRUE(evaluator.Wait(before, Deadline::In(kLong)).has_value());
    ASSERT_TRUE(evaluator.Wait(after, Deadline::In(kLong)).has_value());
    EXPECT_EQ(after.version(), version);
    EXPECT_GE(before.version(), version == 10 ? 1 : version - 1);
    EXPECT_EQ(WrongRows(before, version), 0);
    EXPECT_EQ(WrongRows(after, version + 1000), 0);
  }
}

TEST_P(InferenceServerTest, TakesOverWhatAnOlderServerHadTaken) {
  {
    ShmEvaluator evaluator(*segment_, 0, 1);
    EvalBatch batch = Submitted(evaluator, kBestModel, 8, 7);
    // As an older server would have left it.
    segment_->header().models[0].state = static_cast<std::uint32_t>(ModelState::kReady);
    BlockLine& line = segment_->block(0, static_cast<std::uint32_t>(batch.block()));
    line.attempts = 1;
    StoreState(line, BlockState::kTaken, Role::kServer, 1);
    Start({.buckets = {8}}, 1, 2);
    const auto early = evaluator.Wait(batch, Deadline::In(std::chrono::milliseconds(10)));
    ASSERT_FALSE(early.has_value());  // kLoading, not kEmpty
    EXPECT_EQ(early.error().code, Errc::kTimeout);
    server_->SetModel(kBestModel, ModelState::kReady, 1);
    ASSERT_TRUE(evaluator.Wait(batch, Deadline::In(kLong)).has_value());
    EXPECT_EQ(WrongRows(batch, 7), 0);
    EXPECT_EQ(segment_->counter(ServerCounter::kSealFull, static_cast<int>(SealReason::kSuspect)),
              1u);
  }
  server_->Stop();
  EXPECT_EQ(segment_->CountBlocks(BlockState::kFree), 8);
}

// Whatever one lane holds, the server lives and the others' answers are exact.
TEST_P(InferenceServerTest, GarbageInOneLaneHurtsNoOther) {
  StartReady();
  std::atomic<bool> stop{false};
  std::thread vandal([&] {
    Rng rng(7);
    LaneHeader& lane = segment_->lane(1);
    while (!stop) {
      for (std::uint32_t k = 0; k < 4; ++k) {
        BlockLine& line = segment_->block(1, k);
        const BlockState state = LoadState(line);
        if (state == BlockState::kSubmitted || state == BlockState::kTaken) continue;
        line.rows = static_cast<std::uint16_t>(rng.Below(3) == 0 ? rng.Next() : rng.Below(12));
        line.model = static_cast<std::uint16_t>(rng.Below(3) == 0 ? rng.Next() : rng.Below(4));
        line.lane_epoch = static_cast<std::uint32_t>(rng.Next());
        line.attempts = static_cast<std::uint32_t>(rng.Below(5));
        line.request = rng.Next();
        line.submit_ns = rng.Below(2) == 0 ? rng.Next() : 0;
        line.state.store(StateWord(BlockState::kSubmitted), std::memory_order_release);
      }
      lane.bell.word = static_cast<std::uint32_t>(rng.Next());
      for (auto& counter : lane.counters) counter = rng.Next();
      segment_->MarkPending(1);
      segment_->header().bell.Ring();
    }
  });
  ShmEvaluator evaluator(*segment_, 0, 1);
  for (std::uint64_t seed = 0; seed < 2000; ++seed) {
    EvalBatch batch = Submitted(evaluator, kBestModel, 1 + static_cast<int>(seed % 8), seed);
    ASSERT_TRUE(evaluator.Wait(batch, Deadline::In(kLong)).has_value());
    ASSERT_EQ(WrongRows(batch, seed), 0);
  }
  stop = true;
  vandal.join();
  EXPECT_GT(segment_->counter(ServerCounter::kFailed, static_cast<int>(BlockStatus::kBadRequest)),
            0u);
}

}  // namespace
}  // namespace az
