#include "engine/net/cpu_runner.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <thread>
#include <vector>

#include "tests/engine/net/net_testing.h"
#include "tests/support/evaluator_conformance.h"
#include "tests/support/local_evaluator.h"

namespace az {
namespace {

using testing::SmallShape;

Weights MakeWeights(unsigned seed) {
  WeightsInfo info;
  info.game = "toy";
  info.iteration = seed;
  return WeightsOf(*testing::TrainedLikeNetwork(SmallShape(), seed), info);
}

ModelStore::Options StoreOptions() { return {SmallShape(), "toy", {}}; }

// A block of rows with its own memory, outputs preset to a value no network gives.
struct TestBlock {
  explicit TestBlock(int count)
      : rows(count),
        planes(static_cast<std::size_t>(count) * 3),
        logits(static_cast<std::size_t>(count) * 21, -77.0f),
        values(static_cast<std::size_t>(count), -77.0f) {
    for (std::size_t i = 0; i < planes.size(); ++i) {
      planes[i] = (0x9E3779B97F4A7C15u * (i + planes.size())) >> 44;
    }
  }
  BlockView View() { return {planes.data(), logits.data(), values.data(), rows}; }
  bool Untouched() const {
    return std::all_of(values.begin(), values.end(), [](float v) { return v == -77.0f; }) &&
           std::all_of(logits.begin(), logits.end(), [](float v) { return v == -77.0f; });
  }
  int rows;
  std::vector<std::uint64_t> planes;
  std::vector<float> logits;
  std::vector<float> values;
};

std::vector<float> ValuesOf(const ModelStore& store, TestBlock block) {
  CpuRunner runner(store);
  const BlockView view = block.View();
  AZ_CHECK(runner.Launch(kBestModel, 16, {&view, 1}).has_value());
  AZ_CHECK(runner.Finish().has_value());
  return block.values;
}

TEST(CpuRunner, AnswersEachBlockItsOwnRows) {
  ModelStore store(StoreOptions());
  ASSERT_TRUE(store.Publish(kBestModel, MakeWeights(1), 5));
  CpuRunner runner(store);
  TestBlock a(3);
  TestBlock b(5);
  const std::vector<BlockView> both = {a.View(), b.View()};
  const Result<WeightsVersion> version = runner.Launch(kBestModel, 8, both);
  ASSERT_TRUE(version);
  EXPECT_EQ(*version, 5u);
  ASSERT_TRUE(runner.Finish());
  const std::vector<float> a_alone = ValuesOf(store, TestBlock(3));
  const std::vector<float> b_alone = ValuesOf(store, TestBlock(5));
  for (std::size_t i = 0; i < 3; ++i) EXPECT_NEAR(a.values[i], a_alone[i], 1e-5);
  for (std::size_t i = 0; i < 5; ++i) EXPECT_NEAR(b.values[i], b_alone[i], 1e-5);
  EXPECT_FALSE(a.Untouched());
}

TEST(CpuRunner, RefusesEmptySlotsAndTooManyRows) {
  ModelStore store(StoreOptions());
  CpuRunner runner(store);
  TestBlock block(9);
  const BlockView view = block.View();
  const Result<WeightsVersion> empty = runner.Launch(kCandidateModel, 16, {&view, 1});
  ASSERT_FALSE(empty);
  EXPECT_EQ(empty.error().code, Errc::kNoModel);
  ASSERT_TRUE(store.Publish(kBestModel, MakeWeights(1), 1));
  const Result<WeightsVersion> crowded = runner.Launch(kBestModel, 8, {&view, 1});
  ASSERT_FALSE(crowded);
  EXPECT_EQ(crowded.error().code, Errc::kInvalid);
  EXPECT_TRUE(runner.Launch(kBestModel, 16, {&view, 1}));  // still usable
  EXPECT_TRUE(runner.Finish());
}

TEST(CpuRunner, RefusesBucketsAboveItsLargest) {
  ModelStore store(StoreOptions());
  ASSERT_TRUE(store.Publish(kBestModel, MakeWeights(1), 1));
  CpuRunner runner(store, 16);
  TestBlock block(4);
  const BlockView view = block.View();
  const Result<WeightsVersion> large = runner.Launch(kBestModel, 17, {&view, 1});
  ASSERT_FALSE(large);
  EXPECT_EQ(large.error().code, Errc::kInvalid);
  EXPECT_NE(large.error().message.find("at most 16 rows"), std::string::npos);
  EXPECT_TRUE(runner.Launch(kBestModel, 16, {&view, 1}));
  EXPECT_TRUE(runner.Finish());
}

TEST(CpuRunner, FinishesABatchOnTheWeightsItBeganWith) {
  ModelStore store(StoreOptions());
  ASSERT_TRUE(store.Publish(kBestModel, MakeWeights(1), 1));
  const std::vector<float> old_values = ValuesOf(store, TestBlock(4));
  CpuRunner runner(store);
  TestBlock block(4);
  const BlockView view = block.View();
  ASSERT_EQ(*runner.Launch(kBestModel, 16, {&view, 1}), 1u);
  ASSERT_TRUE(store.Publish(kBestModel, MakeWeights(2), 2));
  ASSERT_TRUE(runner.Finish());
  EXPECT_EQ(block.values, old_values);
  ASSERT_EQ(*runner.Launch(kBestModel, 16, {&view, 1}), 2u);
  store.Unload(kBestModel);
  ASSERT_TRUE(runner.Finish());
  EXPECT_NE(block.values, old_values);
  EXPECT_EQ(runner.Launch(kBestModel, 16, {&view, 1}).error().code, Errc::kNoModel);
}

// Logits of 0 but the first, which is `scale` times one feature: nothing is added up, so what
// overflows is the position with the largest feature.
Weights OneFeatureWeights(double scale) {
  Weights weights = MakeWeights(1);
  for (NamedTensor& item : weights.tensors) {
    if (item.name == "policy_conv.conv.weight") item.tensor.mul_(100.0);  // features above 1
    if (!item.name.starts_with("policy_linear.")) continue;
    item.tensor.zero_();
    if (item.name == "policy_linear.weight") item.tensor[0][0] = scale;
  }
  return weights;
}

TEST(CpuRunner, AnAnswerThatIsNotFiniteIsOfItsBlockAlone) {
  constexpr int kRows = 2000;
  ModelStore store(StoreOptions());
  ASSERT_TRUE(store.Publish(kBestModel, OneFeatureWeights(1.0), 1));
  CpuRunner runner(store);
  TestBlock all(kRows);
  const BlockView view = all.View();
  ASSERT_TRUE(runner.Launch(kBestModel, kRows, {&view, 1}));
  ASSERT_TRUE(runner.Finish());
  const auto feature = [&](int row) { return all.logits[static_cast<std::size_t>(row) * 21]; };
  int tame_row = 0;
  int wild_row = 0;
  for (int row = 1; row < kRows; ++row) {
    if (feature(row) < feature(tame_row)) tame_row = row;
    if (feature(row) > feature(wild_row)) wild_row = row;
  }
  ASSERT_GT(feature(wild_row), 1.1f);
  const double scale = 3.5e38 / static_cast<double>(feature(wild_row));
  ASSERT_TRUE(store.Publish(kBestModel, OneFeatureWeights(scale), 2))
      << "the trial's rows are tamer";
  TestBlock tame(1);
  TestBlock wild(1);
  std::copy_n(&all.planes[static_cast<std::size_t>(tame_row) * 3], 3, tame.planes.begin());
  std::copy_n(&all.planes[static_cast<std::size_t>(wild_row) * 3], 3, wild.planes.begin());
  const std::vector<BlockView> both = {tame.View(), wild.View()};
  ASSERT_TRUE(runner.Launch(kBestModel, 8, both));
  ASSERT_TRUE(runner.Finish());
  const auto is_finite = [](float logit) { return std::isfinite(logit); };
  EXPECT_TRUE(std::ranges::all_of(tame.logits, is_finite));
  EXPECT_FALSE(std::ranges::all_of(wild.logits, is_finite));
}

TEST(ModelStore, KeepsTheOldWeightsWhenNewOnesAreRefused) {
  const testing::TemporaryFolder folder;
  ModelStore store(StoreOptions());
  ASSERT_TRUE(store.Publish(kBestModel, MakeWeights(1), 1));

  Weights other_game = MakeWeights(2);
  other_game.info.game = "other";
  ASSERT_TRUE(SaveWeights(folder / "other", other_game));
  EXPECT_EQ(store.Load(kBestModel, folder / "other", 2).error().code, Errc::kIncompatible);
  EXPECT_EQ(store.Load(kBestModel, folder / "missing", 2).error().code, Errc::kNotFound);
  // Finite weights whose answers overflow: only the trial batch can tell.
  Weights huge = MakeWeights(3);
  for (NamedTensor& item : huge.tensors) {
    if (item.name.ends_with("linear.weight")) item.tensor.fill_(3e38f);
  }
  EXPECT_EQ(store.Publish(kBestModel, huge, 2).error().code, Errc::kNotFinite);
  EXPECT_EQ(store.Publish(ModelId(4), MakeWeights(1), 2).error().code, Errc::kInvalid);
  EXPECT_EQ(store.Get(kBestModel)->version, 1u);

  ASSERT_TRUE(SaveWeights(folder / "good", MakeWeights(4)));
  ASSERT_TRUE(store.Load(kBestModel, folder / "good", 2));
  EXPECT_EQ(store.Get(kBestModel)->version, 2u);
  EXPECT_EQ(store.Get(kBestModel)->iteration, 4u);
  EXPECT_EQ(store.Get(ModelId(99)), nullptr);
}

TEST(ModelStore, PublishesWhileRunnersRun) {
  ModelStore store(StoreOptions());
  ASSERT_TRUE(store.Publish(kBestModel, MakeWeights(1), 1));
  std::atomic<bool> stop = false;
  std::atomic<int> failures = 0;
  std::vector<std::jthread> runners;
  for (int i = 0; i < 2; ++i) {
    runners.emplace_back([&] {
      CpuRunner runner(store);
      TestBlock block(4);
      const BlockView view = block.View();
      WeightsVersion last = 0;
      while (!stop) {
        const Result<WeightsVersion> version = runner.Launch(kBestModel, 16, {&view, 1});
        if (!version || *version < last || !runner.Finish()) ++failures;
        if (version) last = *version;
      }
    });
  }
  for (WeightsVersion version = 2; version < 12; ++version) {
    EXPECT_TRUE(store.Publish(kBestModel, MakeWeights(static_cast<unsigned>(version)), version));
  }
  stop = true;
  runners.clear();
  EXPECT_EQ(failures, 0);
}

TEST(LocalEvaluator, GivesTheAnswersOfTheRunnerAndRefusesWhatDoesNotFit) {
  ModelStore store(StoreOptions());
  ASSERT_TRUE(store.Publish(kBestModel, MakeWeights(1), 7));
  CpuRunner runner(store);
  LocalEvaluator evaluator({{3, 4, 5}, 21, 4, 2, 8}, runner);
  EXPECT_EQ(evaluator.Reserve(kBestModel, 5, Deadline::Never()).error().code, Errc::kInvalid);

  const TestBlock source(4);
  const std::vector<float> want = ValuesOf(store, TestBlock(4));
  std::vector<EvalBatch> batches;
  for (int i = 0; i < 2; ++i) {
    auto batch = evaluator.Reserve(kBestModel, 4, Deadline::Never());
    ASSERT_TRUE(batch);
    for (int row = 0; row < 4; ++row) {
      std::copy_n(source.planes.data() + row * 3, 3, batch->row(row).planes.data());
    }
    ASSERT_TRUE(evaluator.Submit(*batch));
    batches.push_back(std::move(*batch));
  }
  EXPECT_EQ(evaluator.Reserve(kBestModel, 1, Deadline::Never()).error().code, Errc::kTimeout);
  EvalBatch* const pointers[] = {&batches[1], &batches[0]};
  EXPECT_EQ(*evaluator.WaitAny(pointers, Deadline::Never()), 1);  // the older one
  for (EvalBatch& batch : batches) {
    ASSERT_TRUE(evaluator.Wait(batch, Deadline::Never()));
    EXPECT_EQ(batch.version(), 7u);
    for (int row = 0; row < 4; ++row) {
      EXPECT_NEAR(*batch.row(row).value, want[static_cast<std::size_t>(row)], 1e-5);
    }
  }
  batches.clear();
  auto failing = evaluator.Reserve(kCandidateModel, 1, Deadline::Never());
  ASSERT_TRUE(failing);
  ASSERT_TRUE(evaluator.Submit(*failing));
  EXPECT_EQ(evaluator.Wait(*failing, Deadline::Never()).error().code, Errc::kNoModel);
}

TEST(LocalEvaluator, DoesWhatEveryEvaluatorMust) {
  ModelStore store(StoreOptions());
  ASSERT_TRUE(store.Publish(kBestModel, MakeWeights(1), 1));
  CpuRunner runner(store);
  LocalEvaluator evaluator({{3, 4, 5}, 21, 6, 3, 8}, runner);
  fakes::CheckEvaluatorConformance(evaluator);
}

}  // namespace
}  // namespace az
