#include "engine/server/device_pipeline.h"

#include <gtest/gtest.h>

#include <mutex>
#include <thread>
#include <vector>

#include "engine/ipc/shm_evaluator.h"
#include "engine/server/inference_server.h"
#include "tests/support/evaluator_conformance.h"
#include "tests/support/segment_fixture.h"

namespace az {
namespace {

using fakes::FillRows;
using fakes::Soon;
using fakes::WrongRows;

// A device that works its launches off one after the other, each for `service`.
struct FakeDevice {
  explicit FakeDevice(Duration time) : service(time) {}
  // When a launch made now will be done.
  TimePoint Enqueue() {
    const std::lock_guard lock(mutex);
    free_at = std::max(free_at, std::chrono::steady_clock::now()) + service;
    most_in_flight = std::max(most_in_flight, ++in_flight);
    ++launches;
    return free_at;
  }
  void Done() {
    const std::lock_guard lock(mutex);
    --in_flight;
  }
  const Duration service;
  std::mutex mutex;
  TimePoint free_at{};
  int in_flight = 0;
  int most_in_flight = 0;
  int launches = 0;
};

// Launch returns at once; Finish when the device is done.
class AsyncRunner final : public fakes::FakeRunner {
 public:
  AsyncRunner(fakes::FakeNetwork& network, FakeDevice& device)
      : FakeRunner(network), device_(device) {}
  Result<WeightsVersion> Launch(ModelId model, int bucket,
                                std::span<const BlockView> blocks) override {
    auto launched = FakeRunner::Launch(model, bucket, blocks);
    if (launched.has_value()) done_at_ = device_.Enqueue();
    return launched;
  }
  Result<void> Finish() override {
    std::this_thread::sleep_until(done_at_);
    auto finished = FakeRunner::Finish();
    device_.Done();
    return finished;
  }

 private:
  FakeDevice& device_;
  TimePoint done_at_{};
};

class DevicePipelineTest : public ::testing::Test {
 protected:
  void Start(FakeDevice& device, const ServerOptions& changes = {.buckets = {8, 32}}) {
    std::vector<std::unique_ptr<BatchRunner>> slots;
    for (int i = 0; i < 2; ++i) slots.push_back(std::make_unique<AsyncRunner>(*network_, device));
    ServerOptions options = changes;
    options.gpu_pipeline = true;
    server_ = *InferenceServer::Start(*segment_, 1, std::move(slots), std::move(options), log_);
    server_->SetModel(kBestModel, ModelState::kReady, 1);
  }
  // Keeps all blocks of a lane in flight until `batches` are answered; rows that were wrong.
  int Work(std::uint32_t lane, std::uint64_t batches) {
    ShmEvaluator evaluator(*segment_, lane, 1);
    std::vector<EvalBatch> open(4);
    int wrong = 0;
    for (std::uint64_t seed = 0; seed < batches + 4; ++seed) {
      EvalBatch& slot = open[seed % 4];
      if (slot.valid()) {
        AZ_CHECK(evaluator.Wait(slot, Soon()).has_value());
        wrong += WrongRows(slot, seed - 4);
        slot.Reset();
      }
      if (seed >= batches) continue;
      auto batch = evaluator.Reserve(kBestModel, 8, Soon());
      AZ_CHECK(batch.has_value());
      slot = *std::move(batch);
      FillRows(slot, seed);
      AZ_CHECK(evaluator.Submit(slot).has_value());
    }
    return wrong;
  }

  Log log_{-1, "test"};
  std::unique_ptr<Segment> segment_ = fakes::MakeSegment(fakes::TestSpec(2));
  std::unique_ptr<fakes::FakeNetwork> network_ = fakes::MakeNetwork(segment_->shape());
  std::unique_ptr<InferenceServer> server_;
};

TEST_F(DevicePipelineTest, OverlapsTwoBatchesAndFillsThem) {
  FakeDevice device(std::chrono::milliseconds(2));
  Start(device);
  std::thread other([this] { EXPECT_EQ(Work(1, 60), 0); });
  EXPECT_EQ(Work(0, 60), 0);
  other.join();
  server_->Stop();
  EXPECT_EQ(device.most_in_flight, 2);
  // 120 blocks of 8 rows: sealed late they share batches of up to four; sealed at once, 120
  // batches.
  EXPECT_LE(device.launches, 100);
  EXPECT_EQ(segment_->counter(ServerCounter::kRows), 960u);
}

TEST_F(DevicePipelineTest, AnIdleDeviceWaitsForEnoughRowsOnlyWhileItLingers) {
  FakeDevice device(std::chrono::microseconds(100));
  Start(device, {.buckets = {8, 32}, .min_rows = 32, .linger = std::chrono::seconds(10)});
  ShmEvaluator evaluator(*segment_, 0, 1);
  const TimePoint start = std::chrono::steady_clock::now();
  std::vector<EvalBatch> batches;
  for (std::uint64_t i = 0; i < 2; ++i) {
    batches.push_back(fakes::Reserved(evaluator, 8));
    ASSERT_TRUE(evaluator.Submit(batches.back()).has_value());
  }
  // The only worker sleeps: no more rows can come, so nothing is waited for.
  for (EvalBatch& batch : batches) ASSERT_TRUE(evaluator.Wait(batch, Soon()).has_value());
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(8));
  EXPECT_EQ(device.launches, 1);
}

TEST_F(DevicePipelineTest, StopWaitsForTheDevice) {
  FakeDevice device(std::chrono::milliseconds(30));
  Start(device);
  ShmEvaluator evaluator(*segment_, 0, 1);
  EvalBatch batch = fakes::Reserved(evaluator, 8);
  ASSERT_TRUE(evaluator.Submit(batch).has_value());
  while (segment_->CountBlocks(BlockState::kTaken) == 0) std::this_thread::yield();
  server_->Stop();
  EXPECT_EQ(segment_->CountBlocks(BlockState::kDone), 1);
}

}  // namespace
}  // namespace az
