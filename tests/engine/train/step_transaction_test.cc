// Every allocation of a training step's forwards and backwards fails in turn. Whatever was done by
// then is undone to the bit, and no byte stays behind.

#include "engine/train/step_transaction.h"

#include <gtest/gtest.h>
#include <torch/torch.h>

#include <string>
#include <tuple>

#include "base/strings.h"
#include "engine/net/capped_cpu_allocator.h"
#include "engine/net/cpu_device_memory.h"
#include "engine/net/network.h"
#include "engine/net/torch_guard.h"
#include "engine/train/optimizer.h"
#include "tests/engine/train/training_fixtures.h"

namespace az {
namespace {

class Steps {
 public:
  Steps(Precision precision, int checkpoint_stages) {
    torch::manual_seed(3);
    Network network(kSmallShape);
    layout_ = FlatLayout::Of(*network);
    weights_ = torch::zeros({layout_.weight_count});
    statistics_ = torch::zeros({layout_.statistics_count});
    CopyToFlat(*network, layout_, weights_, statistics_);
    weights_.add_(torch::randn_like(weights_), 0.1);
    compute_.emplace(layout_, weights_, precision);
    replicas_.push_back(
        std::make_unique<Replica>(kSmallShape, layout_, *compute_, Replica::Use::kTrain));
    replicas_[0]->SetCheckpointStages(checkpoint_stages);
    transaction_.emplace(team_, replicas_, torch::kCPU, memory_.get());
    batch_ = RandomBatch(12, compute_->type());
  }

  // Two micro-batches, the second with planes that the generator draws: it is part of the step.
  Result<torch::Tensor> Accumulate() {
    return GuardTorch("step", [&]() -> Result<torch::Tensor> {
      replica().BeginStep(statistics_, 2);
      replica().Accumulate(Cut(batch_, 0, 6), WeightsFor(12));
      MicroBatch second = Cut(batch_, 6, 6);
      second.planes = second.planes * torch::rand_like(second.planes);
      return replica().Accumulate(second, WeightsFor(12));
    });
  }
  Replica& replica() { return *replicas_[0]; }
  StepTransaction& transaction() { return *transaction_; }
  CappedHeap& heap() { return heap_; }

 private:
  CappedHeap& heap_ = InstallCappedCpuAllocator();
  const std::unique_ptr<DeviceMemory> memory_ = MakeCpuDeviceMemory(&heap_);
  ShardTeam team_{1};
  FlatLayout layout_;
  torch::Tensor weights_;
  torch::Tensor statistics_;
  std::optional<ComputeWeights> compute_;
  std::vector<std::unique_ptr<Replica>> replicas_;
  std::optional<StepTransaction> transaction_;
  MicroBatch batch_;
};

struct Seen {
  torch::Tensor gradient, statistics, sums, next_draw;
  std::vector<torch::Tensor> counters;
};
Seen Look(Steps& steps, const torch::Tensor& sums) {
  Seen seen{steps.replica().gradient().clone(),
            steps.replica().statistics().clone(),
            sums.clone(),
            torch::rand({1}),
            {}};
  for (const auto& item : steps.replica().network().named_buffers()) {
    if (!item.value().is_floating_point()) seen.counters.push_back(item.value().clone());
  }
  return seen;
}
bool Same(const std::vector<torch::Tensor>& a, const std::vector<torch::Tensor>& b) {
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (!a[i].equal(b[i])) return false;
  }
  return a.size() == b.size();
}

using Case = std::tuple<Precision, int>;
class EveryAllocation : public testing::TestWithParam<Case> {};

std::string NameOf(const testing::TestParamInfo<Case>& test) {
  const auto& [precision, stages] = test.param;
  return StrCat(EnumName(precision), "_checkpoint", stages);
}
INSTANTIATE_TEST_SUITE_P(Steps, EveryAllocation,
                         testing::Values(Case{Precision::kFp32, 0}, Case{Precision::kFp32, 1},
                                         Case{Precision::kBf16, 0}),
                         NameOf);

TEST_P(EveryAllocation, IsUndoneToTheBit) {
  const auto& [precision, stages] = GetParam();
  Steps steps(precision, stages);
  ASSERT_TRUE(steps.Accumulate());  // warm: libraries have made their plans

  const auto fresh = [&] {
    torch::manual_seed(11);
    steps.replica().RestoreBuffers();
  };
  ASSERT_TRUE(steps.transaction().Begin());
  fresh();
  const Result<torch::Tensor> undisturbed_sums = steps.Accumulate();
  ASSERT_TRUE(undisturbed_sums);
  const Seen undisturbed = Look(steps, *undisturbed_sums);
  ASSERT_TRUE(steps.transaction().Rollback());

  // Every one in fp32; every third in bf16, whose steps make the same allocations and some casts.
  const std::int64_t stride = precision == Precision::kFp32 ? 1 : 3;
  std::int64_t points = 0;
  for (;; points += stride) {
    fresh();
    const torch::Tensor statistics = steps.replica().statistics().clone();
    const Bytes before = steps.heap().stats().allocated;
    ASSERT_TRUE(steps.transaction().Begin());
    steps.heap().FailAt(points + 1);
    const Result<torch::Tensor> sums = steps.Accumulate();
    steps.heap().FailAt(0);
    if (sums) {
      steps.transaction().Commit();
      break;  // the step has no allocation of this number
    }
    ASSERT_EQ(sums.error().code, Errc::kNoMemory) << points << ": " << sums.error().message;
    const Result<StepTransaction::Undone> undone = steps.transaction().Rollback();
    ASSERT_TRUE(undone) << points << ": " << undone.error().message;
    EXPECT_EQ(undone->left.count(), 0) << points;
    EXPECT_EQ(steps.heap().stats().allocated.count(), before.count()) << points;
    EXPECT_TRUE(steps.replica().statistics().equal(statistics)) << points;
    EXPECT_EQ(steps.replica().gradient().count_nonzero().item<std::int64_t>(), 0) << points;

    const Result<torch::Tensor> again = steps.Accumulate();
    ASSERT_TRUE(again) << points;
    const Seen seen = Look(steps, *again);
    EXPECT_TRUE(seen.sums.equal(undisturbed.sums)) << points;
    EXPECT_TRUE(seen.gradient.equal(undisturbed.gradient)) << points;
    EXPECT_TRUE(seen.statistics.equal(undisturbed.statistics)) << points;
    EXPECT_TRUE(seen.next_draw.equal(undisturbed.next_draw)) << points;
    EXPECT_TRUE(Same(seen.counters, undisturbed.counters)) << points;
    ASSERT_TRUE(steps.transaction().Rollback());
  }
  RecordProperty("points", static_cast<int>(points / stride));
  EXPECT_GE(points, 200);
}

// A GPU that was lost refuses the copies of the buffers.
TEST(StepTransaction, ABeginThatThrowsIsAnError) {
  Steps steps(Precision::kFp32, 0);
  torch::Tensor statistics = steps.replica().statistics();
  statistics.resize_({statistics.numel() - 1});  // so that its copy has another size
  const Result<void> begun = steps.transaction().Begin();
  ASSERT_FALSE(begun);
  EXPECT_EQ(begun.error().code, Errc::kUnavailable);
}

TEST(Optimizer, AllocatesNothing) {
  CappedHeap& heap = InstallCappedCpuAllocator();
  LearnerState state = LearnerState::Fresh(kSmallShape, 5);
  const FlatLayout layout = FlatLayout::Of(*Network(kSmallShape));
  Optimizer optimizer({}, layout, torch::kCPU);
  torch::Tensor gradient = torch::randn_like(state.weights);
  const torch::Tensor before = state.weights.clone();
  for (const double scale : {1.0, 0.5}) {
    const HeapStats start = heap.stats();
    optimizer.Update(state, gradient, scale, 1e-3);
    EXPECT_EQ(heap.stats().allocations, start.allocations) << scale;
  }
  EXPECT_FALSE(state.weights.equal(before));
  EXPECT_EQ(state.steps, 2);
}

}  // namespace
}  // namespace az
