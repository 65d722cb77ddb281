#include "engine/apps/device_probe.h"

#include <gtest/gtest.h>

#include <memory>
#include <span>
#include <string>

#include "games/registry.h"
#include "scheduler/simulated_device.h"

namespace az {
namespace {

// Takes a piece of the card a batch.
class HungryRunner final : public BatchRunner {
 public:
  explicit HungryRunner(SimulatedDevice& card) : card_(card) {}
  Result<WeightsVersion> Launch(ModelId, int, std::span<const BlockView>) override {
    AZ_ASSIGN_OR_RETURN(piece_, card_.Allocate(MiB(30)));
    return WeightsVersion{1};
  }
  Result<void> Finish() override {
    card_.Free(piece_);
    return {};
  }

 private:
  SimulatedDevice& card_;
  SimulatedDevice::Piece piece_ = 0;
};

class FakeDevice final : public InferenceDevice {
 public:
  FakeDevice(SimulatedDevice& card, bool is_gpu) : card_(card), is_gpu_(is_gpu) {}
  Result<void> Load(ModelId, const std::filesystem::path&, WeightsVersion) override { return {}; }
  void Unload(ModelId) override {}
  Result<std::unique_ptr<BatchRunner>> MakeRunner(int) override {
    return std::unique_ptr<BatchRunner>(std::make_unique<HungryRunner>(card_));
  }
  bool is_asynchronous() const override { return is_gpu_; }
  std::string Describe() const override { return "fake"; }
  DeviceMemory& memory() override { return card_; }

 private:
  SimulatedDevice& card_;
  const bool is_gpu_;
};

Result<ProbedMessage> ProbeOneBatch(SimulatedDevice& card, bool is_gpu) {
  const GameInfo& game = FindGame("tic_tac_toe").value()->info();
  const NetShape net{.planes = game.shape.planes,
                     .rows = game.shape.rows,
                     .cols = game.shape.cols,
                     .actions = game.num_actions};
  FakeDevice device(card, is_gpu);
  return RunProbe({.planes = game.shape,
                   .net = net,
                   .learner = {},
                   .inference = device,
                   .runners = 1,
                   .memory = &card},
                  {.phase = "inference", .rows = 4, .steps = 2});
}

TEST(DeviceProbe, TellsWhatTheDriverTookBesideTheAllocator) {
  SimulatedDevice card({.name = "card", .total = GiB(4), .context = MiB(317), .others = MiB(99)});
  const Result<ProbedMessage> probed = ProbeOneBatch(card, /*is_gpu=*/true);
  ASSERT_TRUE(probed) << probed.error().message;
  EXPECT_FALSE(probed->out_of_memory);
  EXPECT_EQ(probed->context_bytes, MiB(317).count());
  EXPECT_GE(probed->peak_bytes, MiB(30).count());
}

TEST(DeviceProbe, TellsItWhereABatchHadNoRoomToo) {
  SimulatedDevice card({.name = "card", .total = MiB(340), .context = MiB(317)});
  const Result<ProbedMessage> probed = ProbeOneBatch(card, /*is_gpu=*/true);
  ASSERT_TRUE(probed) << probed.error().message;
  EXPECT_TRUE(probed->out_of_memory);
  EXPECT_EQ(probed->context_bytes, MiB(317).count());
}

TEST(DeviceProbe, AProcessorHasNoContext) {
  SimulatedDevice card({.name = "card", .total = GiB(4), .context = MiB(317)});
  const Result<ProbedMessage> probed = ProbeOneBatch(card, /*is_gpu=*/false);
  ASSERT_TRUE(probed) << probed.error().message;
  EXPECT_EQ(probed->context_bytes, -1);
}

}  // namespace
}  // namespace az
