#include "engine/net/capped_cpu_allocator.h"

#include <c10/util/Exception.h>
#include <gtest/gtest.h>
#include <torch/torch.h>

#include <stdexcept>

#include "engine/net/network.h"
#include "engine/net/torch_guard.h"
#include "scheduler/oom_figures.h"
#include "tests/engine/net/net_testing.h"

namespace az {
namespace {

TEST(CappedCpuAllocator, CountsTensorsToTheByte) {
  CappedHeap& heap = InstallCappedCpuAllocator();
  EXPECT_EQ(&InstallCappedCpuAllocator(), &heap);
  EXPECT_EQ(InstalledCpuHeap(), &heap);
  const Bytes before = heap.stats().requested;
  {
    const torch::Tensor tensor = torch::zeros({1000, 1000});
    const torch::Tensor empty = torch::empty({0});
    EXPECT_EQ(heap.stats().requested - before, Bytes(4'000'000));
    const torch::Tensor view = tensor.narrow(0, 0, 10);
    EXPECT_EQ(heap.stats().requested - before, Bytes(4'000'000));
  }
  EXPECT_EQ(heap.stats().requested, before);
}

TEST(CappedCpuAllocator, ARefusedTensorThrowsLibTorchsOwnOutOfMemory) {
  CappedHeap& heap = InstallCappedCpuAllocator();
  heap.EmptyCache();
  heap.SetCap(heap.stats().reserved + MiB(1));
  EXPECT_THROW(torch::empty({1 << 20}), c10::OutOfMemoryError);
  const Result<void> result = GuardTorch("make a tensor", []() -> Result<void> {
    torch::empty({1 << 20});
    return {};
  });
  const std::optional<HeapRefusal> kept = heap.last_refusal();
  heap.SetCap(std::nullopt);
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code, Errc::kNoMemory);
  EXPECT_NE(result.error().message.find("tried to allocate 4 MiB"), std::string::npos)
      << result.error().message;
  const OomFigures read = FiguresOf(result.error().message);
  EXPECT_EQ(read.requested, MiB(4));
  EXPECT_EQ(read.cached, Bytes());
  EXPECT_EQ(read.below_cap, MiB(1));
  EXPECT_EQ(CauseOfOom(read), OomCause::kTooLarge);
  ASSERT_TRUE(kept);
  EXPECT_EQ(kept->requested, MiB(4));
  EXPECT_EQ(kept->stats.cap, kept->stats.reserved + MiB(1));
  EXPECT_EQ(torch::ones({1 << 20}).sum().item<float>(), 1 << 20);
}

TEST(TorchGuard, ADeviceThatDoesNotEvenTellItsRoomIsAnErrorAllTheSame) {
  const auto fail = []() -> Result<void> { C10_THROW_ERROR(Error, "unable to find an engine"); };
  const auto ask = []() -> MemoryRoom { throw std::runtime_error("lost"); };
  const Result<void> result = GuardTorch("convolve", fail, ask);
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code, Errc::kUnavailable);
  EXPECT_EQ(result.error().message, "convolve: unable to find an engine");
}

// Each allocation of a forward and backward fails once; each failure surfaces as an exception, and
// when everything is dropped nothing is left behind.
TEST(CappedCpuAllocator, EveryAllocationOfAStepCanFail) {
  CappedHeap& heap = InstallCappedCpuAllocator();
  torch::set_num_threads(1);
  Network network = testing::TrainedLikeNetwork(testing::SmallShape(), 3);
  network->train();
  const torch::Tensor planes = torch::rand({8, 3, 4, 5});
  const auto step = [&] {
    const NetworkOutput out = network->forward(planes);
    (out.policy_logits.sum() + out.value_logits.sum()).backward();
  };
  step();  // gradients exist from here on
  const std::int64_t before = heap.stats().allocations;
  step();
  const std::int64_t count = heap.stats().allocations - before;
  EXPECT_GT(count, 50);
  for (std::int64_t nth = 1; nth <= count; ++nth) {
    heap.FailAt(nth);
    EXPECT_THROW(step(), c10::OutOfMemoryError) << nth;
    // A stale task in the autograd queue may hold activations until the thread's next backward.
    const torch::Tensor drain = torch::ones({1}, torch::requires_grad());
    (drain * 2).sum().backward();
  }
  heap.FailAt(0);
  const Bytes live = heap.stats().requested;
  step();
  EXPECT_EQ(heap.stats().requested, live);
}

}  // namespace
}  // namespace az
