#include <gtest/gtest.h>

#include <atomic>
#include <mutex>
#include <new>
#include <thread>
#include <utility>
#include <vector>

#include "engine/ipc/shm_evaluator.h"
#include "engine/server/completion.h"
#include "engine/server/inference_server.h"
#include "tests/support/evaluator_conformance.h"
#include "tests/support/segment_fixture.h"

namespace az {
namespace {

using fakes::FillRows;
using fakes::Soon;
using fakes::WrongRows;

// A runner that fails; every wait must return.
class RunnerFaults : public ::testing::TestWithParam<bool> {
 protected:
  void Start(ServerOptions options, int runners = 2) {
    options.gpu_pipeline = GetParam();
    options.release_memory = [this] { ++releases_; };
    options.on_fault = [this](const Error& error) {
      const std::lock_guard lock(mutex_);
      faults_.push_back(error.code);
    };
    server_ = *InferenceServer::Start(*segment_, 1, fakes::FakeRunners(*network_, runners),
                                      std::move(options), log_);
    server_->SetModel(kBestModel, ModelState::kReady, 1);
  }
  EvalBatch Submitted(int rows, std::uint64_t seed) {
    auto batch = evaluator_.Reserve(kBestModel, rows, Soon());
    AZ_CHECK(batch.has_value()) << batch.error().message;
    FillRows(*batch, seed);
    AZ_CHECK(evaluator_.Submit(*batch).has_value());
    return *std::move(batch);
  }
  Errc CodeOf(EvalBatch& batch) {
    const auto waited = evaluator_.Wait(batch, Soon());
    AZ_CHECK(!waited.has_value());
    return waited.error().code;
  }
  std::vector<Errc> faults() {
    const std::lock_guard lock(mutex_);
    return faults_;
  }

  Log log_{-1, "test"};
  std::unique_ptr<Segment> segment_ = fakes::MakeSegment(fakes::TestSpec(1));
  std::unique_ptr<Segment> replaced_;  // by a test; evaluator_ still uses it
  std::unique_ptr<fakes::FakeNetwork> network_ = fakes::MakeNetwork(segment_->shape());
  std::atomic<int> releases_{0};
  std::mutex mutex_;
  std::vector<Errc> faults_;
  std::unique_ptr<InferenceServer> server_;
  ShmEvaluator evaluator_{*segment_, 0, 1};
};

INSTANTIATE_TEST_SUITE_P(Engines, RunnerFaults, ::testing::Bool(),
                         [](const auto& test) { return test.param ? "Pipeline" : "Pool"; });

TEST_P(RunnerFaults, ConformsAsAnEvaluator) {
  Start({});
  fakes::CheckEvaluatorConformance(evaluator_);
}

TEST_P(RunnerFaults, AThrowIsAnAttemptAndTheNextOneAnswers) {
  Start({});
  network_->FailNext(Errc::kIo);
  EvalBatch batch = Submitted(8, 1);
  ASSERT_TRUE(evaluator_.Wait(batch, Soon()).has_value());
  EXPECT_EQ(WrongRows(batch, 1), 0);
  EXPECT_EQ(faults(), std::vector<Errc>{Errc::kIo});
  EXPECT_EQ(segment_->counter(ServerCounter::kRunnerErrors), 1u);
}

TEST_P(RunnerFaults, ABlockThatFailsThreeTimesIsPoisoned) {
  Start({});
  network_->FailNext(Errc::kIo, 3);
  EvalBatch batch = Submitted(8, 1);
  EXPECT_EQ(CodeOf(batch), Errc::kCorrupt);
  batch.Reset();
  EvalBatch next = Submitted(8, 2);
  ASSERT_TRUE(evaluator_.Wait(next, Soon()).has_value());
  EXPECT_EQ(WrongRows(next, 2), 0);
}

TEST_P(RunnerFaults, NotFiniteFailsItsBlock) {
  Start({});
  network_->FailNext(Errc::kNotFinite);
  EvalBatch batch = Submitted(3, 1);
  EXPECT_EQ(CodeOf(batch), Errc::kNotFinite);
  EXPECT_EQ(faults(), std::vector<Errc>{Errc::kNotFinite});
}

TEST_P(RunnerFaults, OutOfMemoryCleansUpThenHalvesTheBucket) {
  Start({.buckets = {8, 16, 32}}, 1);
  network_->FailNext(Errc::kNoMemory, 2);
  std::vector<EvalBatch> batches;
  for (std::uint64_t seed = 0; seed < 4; ++seed) batches.push_back(Submitted(8, seed));
  for (std::uint64_t seed = 0; seed < 4; ++seed) {
    ASSERT_TRUE(evaluator_.Wait(batches[seed], Soon()).has_value());
    EXPECT_EQ(WrongRows(batches[seed], seed), 0);
  }
  EXPECT_EQ(releases_.load(), 2);
  EXPECT_EQ(segment_->counter(ServerCounter::kOutOfMemory), 2u);
  EXPECT_TRUE(faults().empty());
}

TEST_P(RunnerFaults, ReportsWhatMemoryMadeItGiveUp) {
  std::vector<std::pair<MemoryStep, int>> reports;  // read when all is answered
  Start({.buckets = {8, 16, 32},
         .on_out_of_memory =
             [&](const ServerOom& oom) {
               EXPECT_EQ(oom.error.code, Errc::kNoMemory);
               const std::lock_guard lock(mutex_);
               reports.emplace_back(oom.step, oom.largest_rows);
             }},
        1);
  network_->FailNext(Errc::kNoMemory, 2);
  EvalBatch batch = Submitted(8, 1);
  ASSERT_TRUE(evaluator_.Wait(batch, Soon()).has_value());
  const std::lock_guard lock(mutex_);
  ASSERT_EQ(reports.size(), 2u);
  EXPECT_EQ(reports[0], std::pair(MemoryStep::kCleanUp, 32));
  EXPECT_EQ(reports[1], std::pair(MemoryStep::kSmallerBucket, 8));
}

// A hundred refusals among the batches of several workers: thrown by the runner or answered by it.
// Every batch is answered, and with its own rows.
TEST_P(RunnerFaults, AHundredRefusalsLeaveNobodyWaiting) {
  constexpr int kWorkers = 3;
  constexpr int kRefusals = 100;
  replaced_ = std::exchange(segment_, fakes::MakeSegment(fakes::TestSpec(kWorkers)));
  std::atomic<int> refused{0};
  network_->during = [&] {  // outputs are half written
    if (network_->forwards.load() % 2 == 1 && refused.load() < kRefusals) {
      ++refused;
      ++network_->forwards;
      throw std::bad_alloc();
    }
  };
  Start({.buckets = {8, 16, 32}}, 1);
  std::atomic<int> wrong{0};
  std::atomic<int> lost{0};
  std::vector<std::thread> workers;
  for (int lane = 0; lane < kWorkers; ++lane) {
    workers.emplace_back([&, lane] {
      ShmEvaluator evaluator(*segment_, static_cast<std::uint32_t>(lane), 1);
      for (std::uint64_t seed = 0; refused.load() < kRefusals || seed < 20; ++seed) {
        auto batch = evaluator.Reserve(kBestModel, 8, Soon());
        AZ_CHECK(batch.has_value()) << batch.error().message;
        FillRows(*batch, seed);
        AZ_CHECK(evaluator.Submit(*batch).has_value());
        if (!evaluator.Wait(*batch, Soon())) {
          ++lost;
          return;
        }
        wrong += WrongRows(*batch, seed);
      }
    });
  }
  for (std::thread& worker : workers) worker.join();
  EXPECT_EQ(lost.load(), 0);
  EXPECT_EQ(wrong.load(), 0);
  EXPECT_EQ(refused.load(), kRefusals);
  EXPECT_EQ(segment_->counter(ServerCounter::kOutOfMemory), 100u);
  EXPECT_TRUE(faults().empty());
}

TEST_P(RunnerFaults, OutOfMemoryInTheSmallestBucketFailsTheBlocksAndAsksForHelp) {
  Start({.buckets = {8}}, 1);
  network_->FailNext(Errc::kNoMemory, 2);
  EvalBatch batch = Submitted(8, 1);
  EXPECT_EQ(CodeOf(batch), Errc::kNoMemory);
  EXPECT_EQ(faults(), std::vector<Errc>{Errc::kNoMemory});
}

// A device that is lost answers every batch so: trying again would poison every block in flight.
TEST_P(RunnerFaults, OrLeavesThemToASuccessor) {
  for (const Errc code : {Errc::kNoMemory, Errc::kUnavailable}) {
    network_->FailNext(code, 2);
    Start({.buckets = {8}, .restart_on_fault = true}, 1);
    EvalBatch batch = Submitted(8, 1);
    const Deadline deadline = Deadline::In(std::chrono::seconds(20));
    while (faults().empty() && !deadline.Passed()) std::this_thread::yield();
    EXPECT_EQ(faults(), std::vector<Errc>{code});
    const auto waited = evaluator_.Wait(batch, Deadline::In(std::chrono::milliseconds(20)));
    ASSERT_FALSE(waited.has_value());
    EXPECT_EQ(waited.error().code, Errc::kTimeout);
    server_->Stop();
    EXPECT_EQ(segment_->CountBlocks(BlockState::kSubmitted), 1);

    {
      const std::lock_guard lock(network_->mutex);
      network_->faults.clear();
    }
    {
      const std::lock_guard lock(mutex_);
      faults_.clear();
    }
    server_.reset();
    Start({.buckets = {8}}, 1);
    ASSERT_TRUE(evaluator_.Wait(batch, Soon()).has_value());
    EXPECT_EQ(WrongRows(batch, 1), 0);
    batch.Reset();
    server_.reset();
  }
}

TEST_P(RunnerFaults, ABlockLargerThanTheBucketRunsInSlices) {
  Start({.buckets = {3}}, 1);
  EvalBatch batch = Submitted(8, 5);
  ASSERT_TRUE(evaluator_.Wait(batch, Soon()).has_value());
  EXPECT_EQ(WrongRows(batch, 5), 0);
  EXPECT_EQ(network_->forwards.load(), 3);
  EXPECT_LE(network_->largest_rows.load(), 3);
}

TEST_P(RunnerFaults, SlicesOfOneBlockHaveOneVersion) {
  int calls = 0;
  network_->during = [&] {
    if (++calls == 2) network_->versions[0] = 7;  // published while the second of three runs
  };
  Start({.buckets = {3}}, 1);
  EvalBatch batch = Submitted(8, 5);
  ASSERT_TRUE(evaluator_.Wait(batch, Soon()).has_value());
  EXPECT_EQ(batch.version(), 7u);
  EXPECT_EQ(WrongRows(batch, 5), 0);
}

TEST_P(RunnerFaults, StopFinishesWhatIsInFlightAndLeavesTheRest) {
  Start({.buckets = {8}}, 1);
  std::vector<EvalBatch> batches;
  for (std::uint64_t seed = 0; seed < 4; ++seed) batches.push_back(Submitted(8, seed));
  server_->Stop();
  EXPECT_EQ(segment_->CountBlocks(BlockState::kTaken), 0);
  EXPECT_EQ(
      segment_->CountBlocks(BlockState::kDone) + segment_->CountBlocks(BlockState::kSubmitted), 4);
}

TEST(AllFinite, SeesEachKindAtEachPlace) {
  for (const float bad : {HUGE_VALF, -HUGE_VALF, NAN}) {
    for (std::size_t at = 0; at < 37; ++at) {
      std::vector<float> values(37, 3e38f);
      EXPECT_TRUE(AllFinite(values));
      values[at] = bad;
      EXPECT_FALSE(AllFinite(values)) << bad << " at " << at;
    }
  }
}

TEST(ServerOptions, BadOnesAreRefused) {
  EXPECT_TRUE(CheckOptions({}).has_value());
  EXPECT_FALSE(CheckOptions({.buckets = {}}).has_value());
  EXPECT_FALSE(CheckOptions({.buckets = {8, 8}}).has_value());
  EXPECT_FALSE(CheckOptions({.buckets = {0, 8}}).has_value());
  EXPECT_FALSE(CheckOptions({.min_rows = 0}).has_value());
  EXPECT_FALSE(CheckOptions({.max_attempts = -1}).has_value());
}

}  // namespace
}  // namespace az
