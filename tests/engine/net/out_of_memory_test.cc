// Every allocation of an inference batch and of a load fails in turn: an error, nothing half
// written, no byte left behind, the old model in play, and the same batch answered afterwards.

#include <ATen/core/grad_mode.h>
#include <ATen/ops/from_blob.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/strings.h"
#include "engine/net/aten_net.h"
#include "engine/net/capped_cpu_allocator.h"
#include "engine/net/cpu_runner.h"
#include "engine/net/direct_net.h"
#include "engine/net/net_spec.h"
#include "engine/net/torch_guard.h"
#include "tests/engine/net/answers_testing.h"
#include "tests/engine/net/net_testing.h"

namespace az {
namespace {

using testing::SmallShape;
using testing::TemporaryFolder;
using testing::TrainedLikeNetwork;

constexpr int kRows = 11;
constexpr int kBucket = 16;
constexpr float kUnwritten = -77.0f;

NetShape WideShape() {  // wide enough for the direct kernels
  NetShape shape = SmallShape();
  shape.filters = 32;
  return shape;
}

Weights MakeWeights(unsigned seed) {
  WeightsInfo info;
  info.game = "toy";
  info.iteration = seed;
  return WeightsOf(*TrainedLikeNetwork(WideShape(), seed), info);
}

struct Rows {
  std::vector<std::uint64_t> planes = testing::RandomBits(WideShape(), kRows, 1);
  std::vector<float> logits = std::vector<float>(kRows * 21, kUnwritten);
  std::vector<float> values = std::vector<float>(kRows, kUnwritten);
  BlockView View() { return {planes.data(), logits.data(), values.data(), kRows}; }
  bool Untouched() const {
    return logits == std::vector<float>(kRows * 21, kUnwritten) &&
           values == std::vector<float>(kRows, kUnwritten);
  }
};

Result<Rows> Evaluate(CpuRunner& runner) {
  Rows rows;
  const BlockView view = rows.View();
  AZ_ASSIGN_OR_RETURN([[maybe_unused]] const WeightsVersion version,
                      runner.Launch(kBestModel, kBucket, {&view, 1}));
  const Result<void> finished = runner.Finish();
  EXPECT_EQ(rows.Untouched(), !finished.has_value());
  if (!finished) return finished.error();
  return rows;
}

class InferenceOutOfMemory : public ::testing::TestWithParam<InferenceOptions> {};

std::string NameOf(const ::testing::TestParamInfo<InferenceOptions>& test) {
  const NetKernels kernels = test.param.kernels;
  return StrCat(EnumName(test.param.precision), kernels == NetKernels::kDirect  ? "_direct"
                                                : kernels == NetKernels::kTiles ? "_tiles"
                                                                                : "_onednn");
}
bool RunsHere(const InferenceOptions& options) {
  if (options.kernels == NetKernels::kOnednn) {
    return options.precision == Precision::kFp32 || OnednnHasBf16();
  }
  return DirectNetRuns(WideShape()) && (options.kernels == NetKernels::kDirect || CpuHasTiles());
}
INSTANTIATE_TEST_SUITE_P(Forms, InferenceOutOfMemory,
                         ::testing::Values(InferenceOptions{Precision::kFp32, NetKernels::kOnednn},
                                           InferenceOptions{Precision::kBf16, NetKernels::kOnednn},
                                           InferenceOptions{Precision::kBf16, NetKernels::kDirect},
                                           InferenceOptions{Precision::kBf16, NetKernels::kTiles}),
                         NameOf);

TEST_P(InferenceOutOfMemory, EveryAllocationOfABatchMayFail) {
  const bool is_direct = GetParam().kernels != NetKernels::kOnednn;
  if (!RunsHere(GetParam())) GTEST_SKIP() << "not on this processor";
  CappedHeap& heap = InstallCappedCpuAllocator();
  ModelStore store({WideShape(), "toy", GetParam()});
  ASSERT_TRUE(store.Publish(kBestModel, MakeWeights(1), 1));
  CpuRunner runner(store);
  ASSERT_TRUE(Evaluate(runner));  // warm
  const Result<Rows> undisturbed = Evaluate(runner);
  ASSERT_TRUE(undisturbed);

  int points = 0;
  for (;; ++points) {
    const Bytes before = heap.stats().allocated;
    heap.FailAt(points + 1);
    const Result<Rows> refused = Evaluate(runner);
    heap.FailAt(0);
    if (refused) break;  // a batch has no allocation of this number
    EXPECT_EQ(refused.error().code, Errc::kNoMemory) << refused.error().message;
    EXPECT_EQ(heap.stats().allocated.count(), before.count()) << points;
    const Result<Rows> again = Evaluate(runner);
    ASSERT_TRUE(again) << points;
    EXPECT_EQ(again->logits, undisturbed->logits) << points;
    EXPECT_EQ(again->values, undisturbed->values) << points;
  }
  RecordProperty("points", points);
  if (is_direct) {
    EXPECT_EQ(points, 0);  // it works in its runner's scratch memory, which is there
  } else {
    EXPECT_GE(points, 20);
  }
}

// The form of a GPU, which runs on any device.
TEST(AtenNet, EveryAllocationOfABatchMayFail) {
  CappedHeap& heap = InstallCappedCpuAllocator();
  const AtenNet net(Fold(MakeWeights(1)), at::kFloat, at::kCPU);
  std::vector<std::uint64_t> bits = testing::RandomBits(WideShape(), kRows, 1);
  const at::Tensor planes = at::from_blob(
      bits.data(), {kRows, static_cast<std::int64_t>(bits.size()) / kRows}, at::kLong);
  const at::NoGradGuard no_grad;
  const auto forward = [&] {
    return GuardTorch("forward", [&]() -> Result<AtenNet::Output> { return net.Forward(planes); });
  };
  const Result<AtenNet::Output> undisturbed = forward();
  ASSERT_TRUE(undisturbed);
  int points = 0;
  for (;; ++points) {
    const Bytes before = heap.stats().allocated;
    heap.FailAt(points + 1);
    const Result<AtenNet::Output> refused = forward();
    heap.FailAt(0);
    if (refused) break;
    EXPECT_EQ(refused.error().code, Errc::kNoMemory) << refused.error().message;
    EXPECT_EQ(heap.stats().allocated.count(), before.count()) << points;
    const Result<AtenNet::Output> again = forward();
    ASSERT_TRUE(again) << points;
    EXPECT_TRUE(again->logits.equal(undisturbed->logits)) << points;
  }
  RecordProperty("points", points);
  EXPECT_GE(points, 30);
}

TEST_P(InferenceOutOfMemory, EveryAllocationOfALoadMayFailAndTheOldModelPlaysOn) {
  if (!RunsHere(GetParam())) GTEST_SKIP() << "not on this processor";
  CappedHeap& heap = InstallCappedCpuAllocator();
  const TemporaryFolder folder;
  ASSERT_TRUE(SaveWeights(folder / "weights.safetensors", MakeWeights(2)));
  ModelStore store({WideShape(), "toy", GetParam()});
  ASSERT_TRUE(store.Publish(kBestModel, MakeWeights(1), 1));
  ASSERT_TRUE(store.Load(ModelId(1), folder / "weights.safetensors", 7));  // warm
  CpuRunner runner(store);
  const std::vector<float> old_values = Evaluate(runner)->values;

  int points = 0;
  for (;; ++points) {
    const Bytes before = heap.stats().allocated;
    heap.FailAt(points + 1);
    const Result<void> loaded = store.Load(kBestModel, folder / "weights.safetensors", 2);
    heap.FailAt(0);
    if (loaded) break;
    EXPECT_EQ(loaded.error().code, Errc::kNoMemory) << loaded.error().message;
    EXPECT_EQ(heap.stats().allocated.count(), before.count()) << points;
    EXPECT_EQ(store.Get(kBestModel)->version, 1u) << points;
    if (points % 16 != 0) continue;
    EXPECT_EQ(Evaluate(runner)->values, old_values) << points;
  }
  RecordProperty("points", points);
  EXPECT_GE(points, 50);
  EXPECT_EQ(store.Get(kBestModel)->version, 2u);
  EXPECT_NE(Evaluate(runner)->values, old_values);
}

}  // namespace
}  // namespace az
