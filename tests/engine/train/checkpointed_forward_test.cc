// Gradient checkpointing changes no bit of a training step: gradients, running statistics and
// counters against the plain forward's, over networks, segment lengths and precisions.

#include "engine/train/checkpointed_forward.h"

#include <gtest/gtest.h>
#include <torch/torch.h>

#include <optional>
#include <tuple>
#include <vector>

#include "base/strings.h"
#include "engine/net/capped_cpu_allocator.h"
#include "engine/net/network.h"
#include "tests/engine/train/training_fixtures.h"

namespace az {
namespace {

NetShape ShapeOf(int res_blocks, int attention_blocks, int pool_every = 0) {
  NetShape shape = kSmallShape;
  shape.global_pool_every = pool_every;
  shape.res_blocks = res_blocks;
  shape.attention_blocks = attention_blocks;
  shape.heads = attention_blocks > 0 ? 2 : 0;
  return attention_blocks > 0 ? WithHeads(shape) : shape;
}

// A replica of fresh weights, moved so that no scale is 0: every block has a gradient then.
struct Trainee {
  Trainee(const NetShape& shape, Precision precision) {
    at::set_num_threads(1);
    torch::manual_seed(3);
    Network network(shape);
    layout = FlatLayout::Of(*network);
    weights = torch::zeros({layout.weight_count});
    statistics = torch::zeros({layout.statistics_count});
    CopyToFlat(*network, layout, weights, statistics);
    weights.add_(torch::randn_like(weights), 0.1);
    compute.emplace(layout, weights, precision);
    replica.emplace(shape, layout, *compute, Replica::Use::kTrain);
  }
  torch::Tensor Step(int micro_batches) {
    torch::manual_seed(7);
    const MicroBatch batch = RandomBatch(24, compute->type());
    replica->BeginStep(statistics, micro_batches);
    torch::Tensor sums;
    const int rows = 24 / micro_batches;
    for (int first = 0; first < 24; first += rows) {
      sums = replica->Accumulate(Cut(batch, first, rows), WeightsFor(24));
    }
    return sums;
  }
  FlatLayout layout;
  torch::Tensor weights;
  torch::Tensor statistics;
  std::optional<ComputeWeights> compute;
  std::optional<Replica> replica;
};

// blocks, attention blocks, stages, precision, every which block pools
using Case = std::tuple<int, int, int, Precision, int>;
class Checkpointing : public testing::TestWithParam<Case> {};

std::string NameOf(const testing::TestParamInfo<Case>& test) {
  const auto& [blocks, attention, stages, precision, pool_every] = test.param;
  return StrCat(blocks, "x", attention, "by", stages, "_", EnumName(precision), "_p", pool_every);
}

INSTANTIATE_TEST_SUITE_P(Nets, Checkpointing,
                         testing::Combine(testing::Values(1, 2, 5), testing::Values(0, 1),
                                          testing::Values(1, 2, 3, 9),
                                          testing::Values(Precision::kFp32, Precision::kBf16),
                                          testing::Values(0)),
                         NameOf);
INSTANTIATE_TEST_SUITE_P(PoolingNets, Checkpointing,
                         testing::Combine(testing::Values(4), testing::Values(1),
                                          testing::Values(1, 3),
                                          testing::Values(Precision::kFp32, Precision::kBf16),
                                          testing::Values(1, 2)),
                         NameOf);

TEST_P(Checkpointing, ChangesNoBitOfAStep) {
  const auto& [blocks, attention, stages, precision, pool_every] = GetParam();
  const NetShape shape = ShapeOf(blocks, attention, pool_every);
  Trainee plain(shape, precision);
  Trainee checkpointed(shape, precision);
  checkpointed.replica->SetCheckpointStages(stages);
  for (const int micro_batches : {1, 3}) {
    const torch::Tensor sums = plain.Step(micro_batches);
    EXPECT_TRUE(checkpointed.Step(micro_batches).equal(sums));
    EXPECT_GT(plain.replica->gradient().abs().max().item<float>(), 0.0f);
    EXPECT_TRUE(checkpointed.replica->gradient().equal(plain.replica->gradient()));
    EXPECT_FALSE(plain.replica->statistics().equal(plain.statistics));
    EXPECT_TRUE(checkpointed.replica->statistics().equal(plain.replica->statistics()));
  }
  const auto buffers = plain.replica->network().named_buffers();
  for (const auto& item : checkpointed.replica->network().named_buffers()) {
    EXPECT_TRUE(item.value().equal(buffers[item.key()])) << item.key();  // counters as well
  }
}

// Every parameter of every segment, the first one's included, whose input needs no gradient.
TEST(CheckpointedForward, GivesEveryParameterAGradient) {
  const NetShape shape = ShapeOf(4, 1, 2);
  torch::manual_seed(3);
  Network network(shape);
  for (torch::Tensor& parameter : network->parameters()) {
    parameter.data().add_(torch::randn_like(parameter), 0.1);
  }
  network->train();
  const NetworkOutput out =
      CheckpointedForward(*network, RandomBatch(16, torch::kFloat).planes, /*stages=*/1);
  (out.policy_logits.square().sum() + out.value_logits.square().sum() +
   out.opponent_logits.square().sum() + out.short_term.square().sum())
      .backward();
  for (const auto& item : network->named_parameters()) {
    ASSERT_TRUE(item.value().grad().defined()) << item.key();
    EXPECT_GT(item.value().grad().abs().max().item<float>(), 0.0f) << item.key();
  }
}

// Twelve stages: what a plain forward keeps grows with them, what segments keep with their roots.
TEST(CheckpointedForward, HoldsLessAtItsPeak) {
  CappedHeap& heap = InstallCappedCpuAllocator();
  const NetShape shape = ShapeOf(12, 0);
  torch::manual_seed(7);
  const MicroBatch batch = RandomBatch(512);
  std::vector<Bytes> peaks;
  for (const int stages : {0, 1, 2, 4}) {
    Trainee trainee(shape, Precision::kFp32);
    trainee.replica->SetCheckpointStages(stages);
    trainee.replica->BeginStep(trainee.statistics);
    const Bytes before = heap.stats().allocated;
    heap.ResetPeaks();
    trainee.replica->Accumulate(batch, WeightsFor(512));
    peaks.push_back(heap.stats().allocated_peak - before);
  }
  for (std::size_t i = 1; i < peaks.size(); ++i) EXPECT_LT(peaks[i] * 2, peaks[0]) << i;
}

}  // namespace
}  // namespace az
