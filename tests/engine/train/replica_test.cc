#include "engine/train/replica.h"

#include <gtest/gtest.h>
#include <torch/torch.h>

#include <optional>
#include <string>
#include <vector>

#include "engine/net/network.h"
#include "tests/engine/train/training_fixtures.h"

namespace az {
namespace {

struct Fixture {
  explicit Fixture(Precision precision = Precision::kFp32, const NetShape& shape = kSmallShape) {
    at::set_num_threads(1);
    torch::manual_seed(3);
    Network network(shape);
    layout = FlatLayout::Of(*network);
    weights = torch::zeros({layout.weight_count});
    statistics = torch::zeros({layout.statistics_count});
    CopyToFlat(*network, layout, weights, statistics);
    compute.emplace(layout, weights, precision);
  }
  FlatLayout layout;
  torch::Tensor weights;
  torch::Tensor statistics;
  std::optional<ComputeWeights> compute;
};

TEST(FlatLayout, PutsEveryParameterOnceInThePartOfItsKind) {
  Fixture f;
  Network network(kSmallShape);
  EXPECT_EQ(f.layout.weights.size(), network->named_parameters().size());
  std::int64_t end = 0;
  for (const FlatEntry& entry : f.layout.weights) {
    EXPECT_GE(entry.offset, end) << entry.name;
    EXPECT_EQ(entry.offset % 16, 0) << entry.name;
    end = entry.offset + entry.count;
    const bool is_norm = entry.name.find("norm") != std::string::npos;
    EXPECT_EQ(entry.offset >= f.layout.low_precision, is_norm) << entry.name;
    EXPECT_EQ(entry.offset < f.layout.decayed, !is_norm && entry.name.ends_with(".weight"))
        << entry.name;
  }
  EXPECT_LE(end, f.layout.weight_count);
  EXPECT_LT(f.layout.decayed, f.layout.low_precision);
  EXPECT_LT(f.layout.low_precision, f.layout.weight_count);
}

TEST(FlatLayout, CopiesThereAndBackUnchanged) {
  Fixture f;
  torch::manual_seed(99);
  Network other(kSmallShape);
  CopyFromFlat(f.layout, f.weights, f.statistics, *other);
  torch::Tensor weights = torch::zeros_like(f.weights);
  torch::Tensor statistics = torch::zeros_like(f.statistics);
  CopyToFlat(*other, f.layout, weights, statistics);
  EXPECT_TRUE(weights.equal(f.weights));
  EXPECT_TRUE(statistics.equal(f.statistics));
}

TEST(Replica, AnswersAsTheNetworkItWasMadeFrom) {
  Fixture f;
  Replica replica(kSmallShape, f.layout, *f.compute, Replica::Use::kTrain);
  replica.BeginStep(f.statistics);
  Network network(kSmallShape);
  CopyFromFlat(f.layout, f.weights, f.statistics, *network);
  network->eval();
  replica.network().eval();
  const torch::Tensor planes = RandomBatch(5, torch::kFloat).planes;
  const torch::NoGradGuard no_grad;
  EXPECT_TRUE(replica.network().forward(planes).policy_logits.allclose(
      network->forward(planes).policy_logits, 1e-5, 1e-6));
}

TEST(Replica, GradientEqualsThatOfAnOrdinaryModule) {
  Fixture f;
  Replica replica(kSmallShape, f.layout, *f.compute, Replica::Use::kTrain);
  replica.BeginStep(f.statistics);
  const MicroBatch batch = RandomBatch(16, torch::kFloat);
  replica.Accumulate(batch, WeightsFor(16));

  Network network(kSmallShape);
  CopyFromFlat(f.layout, f.weights, f.statistics, *network);
  network->train();
  const NetworkOutput output = network->forward(batch.planes);
  ComputeLoss(output, batch.targets, WeightsFor(16)).loss.backward();
  const auto parameters = network->named_parameters();
  for (const FlatEntry& entry : f.layout.weights) {
    EXPECT_TRUE(
        ViewOf(replica.gradient(), entry).allclose(parameters[entry.name].grad(), 1e-4, 1e-6))
        << entry.name;
  }
}

TEST(Replica, MicroBatchesAddUpToTheWholeBatch) {
  const NetShape shape = WithHeads(kSmallShape);
  Fixture f(Precision::kFp32, shape);
  Replica whole(shape, f.layout, *f.compute, Replica::Use::kTrain);
  Replica cut(shape, f.layout, *f.compute, Replica::Use::kTrain);
  const MicroBatch batch = RandomBatch(12, torch::kFloat);
  LossWeights weights = WeightsFor(12);
  weights.opponent = 0.5;
  weights.short_term = 0.5;
  weights.step_opponent_weight = 8;
  for (Replica* replica : {&whole, &cut}) {
    replica->NormaliseByRunningStatistics(true);
    replica->BeginStep(f.statistics);
  }
  whole.Accumulate(batch, weights);
  for (int first = 0; first < 12; first += 4) {
    cut.Accumulate(Cut(batch, first, 4), weights);
  }
  EXPECT_GT(whole.gradient().abs().max().item<float>(), 1e-3f);
  EXPECT_LT((whole.gradient() - cut.gradient()).abs().max().item<float>(), 1e-5f);
}

// k micro-batches with the same statistics move the running ones as far as one does.
TEST(Replica, MicroBatchesMoveTheStatisticsAsFarAsOneDoes) {
  Fixture f;
  const MicroBatch batch = RandomBatch(8, torch::kFloat);
  torch::Tensor once;
  for (const int count : {1, 2, 4}) {
    Replica replica(kSmallShape, f.layout, *f.compute, Replica::Use::kTrain);
    replica.BeginStep(f.statistics, count);
    for (int i = 0; i < count; ++i) replica.Accumulate(batch, WeightsFor(8));
    if (count == 1) once = replica.statistics().clone();
    EXPECT_TRUE(replica.statistics().allclose(once, 1e-5, 1e-6)) << count;
  }
  EXPECT_FALSE(once.equal(f.statistics));
}

TEST(Replica, Bf16GradientPointsTheSameWay) {
  Fixture exact;
  Fixture rounded(Precision::kBf16);
  Replica a(kSmallShape, exact.layout, *exact.compute, Replica::Use::kTrain);
  Replica b(kSmallShape, rounded.layout, *rounded.compute, Replica::Use::kTrain);
  a.BeginStep(exact.statistics);
  b.BeginStep(rounded.statistics);
  MicroBatch batch = RandomBatch(64, torch::kFloat);
  a.Accumulate(batch, WeightsFor(64));
  batch.planes = batch.planes.to(torch::kBFloat16);
  b.Accumulate(batch, WeightsFor(64));
  const double cosine =
      (a.gradient().dot(b.gradient()) / (a.gradient().norm() * b.gradient().norm())).item<double>();
  EXPECT_GT(cosine, 0.995);
}

TEST(Replica, EstimateAveragesTheStatisticsOfItsBatches) {
  Fixture f;
  const MicroBatch first = RandomBatch(32, torch::kFloat);
  const MicroBatch second = RandomBatch(32, torch::kFloat);
  const auto statistics_of = [&](std::vector<const MicroBatch*> batches) {
    Replica replica(kSmallShape, f.layout, *f.compute, Replica::Use::kTrain);
    replica.BeginStep(f.statistics);
    for (std::size_t i = 0; i < batches.size(); ++i) {
      replica.Estimate(*batches[i], static_cast<int>(i));
    }
    return replica.statistics().clone();
  };
  const torch::Tensor mean = (statistics_of({&first}) + statistics_of({&second})) / 2;
  EXPECT_TRUE(statistics_of({&first, &second}).allclose(mean, 1e-4, 1e-6));
}

}  // namespace
}  // namespace az
