#include "engine/train/learner.h"

#include <gtest/gtest.h>
#include <malloc.h>
#include <torch/torch.h>

#include <cmath>
#include <limits>
#include <stdexcept>

#include "engine/net/network.h"
#include "tests/engine/train/training_fixtures.h"

namespace az {
namespace {

LearnerOptions Options(int shards = 1, int micro_batch = 64) {
  LearnerOptions options;
  options.train.batch = 64;
  options.shards = shards;
  options.micro_batch = micro_batch;
  return options;
}

std::unique_ptr<Learner> MakeLearner(const LearnerOptions& options) {
  auto learner = Learner::Create(kSmallShape, options, LearnerState::Fresh(kSmallShape, 5));
  EXPECT_TRUE(learner.has_value());
  return std::move(learner).value();
}

TEST(Learner, OverfitsOneBatchToASmallDivergence) {
  LearnerOptions options = Options(2, 32);
  options.train.value_mix = 0.25f;
  const auto learner = MakeLearner(options);
  torch::manual_seed(1);
  const StepRows batch = AsStepRows(RandomBatch(64));
  StepReport report;
  for (int step = 0; step < 250; ++step) report = *learner->Step(batch, 6e-3);
  EXPECT_LT(report.sums.PolicyKl(), 0.01);
  EXPECT_LT(report.sums.OutcomeLoss(), 0.05);
  EXPECT_EQ(learner->state().steps, 250);
  EXPECT_EQ(learner->state().samples, 250 * 64);
}

// Heads learn their targets, and what plays begins from the same draws with them as without.
TEST(Learner, TrainsTheHeadsThatTheShapeHas) {
  const NetShape shape = WithHeads(kSmallShape);
  torch::manual_seed(5);
  const Network with(shape);
  torch::manual_seed(5);
  const Network without(kSmallShape);
  for (const auto& item : without->named_parameters()) {
    EXPECT_TRUE(item.value().equal(with->named_parameters()[item.key()])) << item.key();
  }
  LearnerOptions options = Options(2, 32);
  options.train.opponent_weight = 1.0f;
  options.train.short_term_weight = 1.0f;
  const auto learner = Learner::Create(shape, options, LearnerState::Fresh(shape, 5)).value();
  torch::manual_seed(1);
  const StepRows batch = AsStepRows(RandomBatch(64));
  const StepReport first = *learner->Step(batch, 6e-3);
  StepReport report;
  for (int step = 0; step < 250; ++step) report = *learner->Step(batch, 6e-3);
  EXPECT_GT(first.sums.OpponentKl(), 0.3);
  EXPECT_LT(report.sums.OpponentKl(), 0.05);
  EXPECT_LT(report.sums.ShortTermMse(), 0.01);
}

TEST(Learner, GivesTheSameBitsEveryTime) {
  for (const int shards : {1, 3}) {
    torch::Tensor first;
    for (int run = 0; run < 3; ++run) {
      const auto learner = MakeLearner(Options(shards, 10));
      torch::manual_seed(1);
      const StepRows batch = AsStepRows(RandomBatch(64));
      for (int step = 0; step < 5; ++step) ASSERT_TRUE(learner->Step(batch, 1e-3));
      if (run == 0) first = learner->state().weights.clone();
      EXPECT_TRUE(learner->state().weights.equal(first)) << shards << " shards, run " << run;
    }
  }
}

TEST(Learner, BatchNormStatisticsAreTheMeanOverShards) {
  torch::manual_seed(1);
  const MicroBatch batch = RandomBatch(64);
  const auto both = MakeLearner(Options(2));
  ASSERT_TRUE(both->Step(AsStepRows(batch), 1e-3));
  torch::Tensor mean = torch::zeros_like(both->state().statistics);
  for (const int first : {0, 32}) {
    const auto one = MakeLearner(Options(1));
    ASSERT_TRUE(one->Step(AsStepRows(Cut(batch, first, 32)), 1e-3));
    mean += one->state().statistics / 2;
  }
  EXPECT_TRUE(both->state().statistics.allclose(mean, 1e-5, 1e-6));
  EXPECT_FALSE(both->state().statistics.equal(LearnerState::Fresh(kSmallShape, 5).statistics));
}

TEST(Learner, SkipsABatchThatIsNotFinite) {
  const auto learner = MakeLearner(Options());
  torch::manual_seed(1);
  MicroBatch bad = RandomBatch(64);
  bad.targets.root_value[3] = std::numeric_limits<float>::quiet_NaN();
  const LearnerState before = learner->state().Clone();
  const Result<StepReport> report = learner->Step(AsStepRows(bad), 1e-3);
  ASSERT_TRUE(report);
  EXPECT_TRUE(report->is_skipped);
  EXPECT_EQ(learner->state().skipped_steps, 1);
  EXPECT_EQ(learner->state().steps, 0);
  EXPECT_TRUE(learner->state().weights.equal(before.weights));
  EXPECT_TRUE(learner->state().statistics.equal(before.statistics));
  EXPECT_TRUE(learner->state().average.equal(before.average));

  const Result<StepReport> good = learner->Step(AsStepRows(RandomBatch(64)), 1e-3);
  ASSERT_TRUE(good);
  EXPECT_FALSE(good->is_skipped);
  EXPECT_TRUE(std::isfinite(good->sums.PolicyLoss()));
}

TEST(Learner, AFailedStepLeavesTheStateAlone) {
  const auto learner = MakeLearner(Options(2));
  torch::manual_seed(1);
  StepRows batch = AsStepRows(RandomBatch(64));
  const auto cut = batch.cut;
  batch.cut = [cut](int first, int rows) -> MicroBatch {
    if (first > 0) throw std::runtime_error("no rows");
    return cut(first, rows);
  };
  const LearnerState before = learner->state().Clone();
  const Result<StepReport> report = learner->Step(batch, 1e-3);
  ASSERT_FALSE(report);
  EXPECT_EQ(report.error().code, Errc::kUnavailable);
  EXPECT_TRUE(learner->state().weights.equal(before.weights));
  EXPECT_TRUE(learner->state().statistics.equal(before.statistics));

  const auto undisturbed = MakeLearner(Options(2));
  batch.cut = cut;
  ASSERT_TRUE(learner->Step(batch, 1e-3));
  ASSERT_TRUE(undisturbed->Step(batch, 1e-3));
  EXPECT_TRUE(learner->state().weights.equal(undisturbed->state().weights));
}

TEST(Learner, ClipsTheGlobalGradientNorm) {
  LearnerOptions options = Options();
  options.train.grad_clip = 1e-3f;
  const auto learner = MakeLearner(options);
  torch::manual_seed(1);
  const Result<StepReport> report = learner->Step(AsStepRows(RandomBatch(64)), 1e-3);
  ASSERT_TRUE(report);
  EXPECT_TRUE(report->is_clipped);
  EXPECT_GT(report->gradient_norm, 1e-3);
  // After the first step the first moment is (1 - beta1) times the gradient that AdamW saw.
  EXPECT_NEAR(learner->state().first_moment.norm().item<double>(), 0.1 * 1e-3, 1e-7);
}

TEST(Learner, AverageFollowsItsFormula) {
  const auto learner = MakeLearner(Options());
  torch::manual_seed(1);
  const StepRows batch = AsStepRows(RandomBatch(64));
  torch::Tensor average = learner->state().weights.clone();
  for (int step = 1; step <= 3; ++step) {
    ASSERT_TRUE(learner->Step(batch, 1e-3));
    const double decay = std::min(std::exp(-64.0 / 100'000.0), (1.0 + step) / (10.0 + step));
    average = average * decay + learner->state().weights * (1.0 - decay);
  }
  EXPECT_TRUE(learner->state().average.allclose(average, 1e-5, 1e-7));
}

TEST(Learner, DecaysConvolutionsAndLinearsAlone) {
  LearnerOptions options = Options();
  options.train.weight_decay = 1.0f;
  options.train.policy_weight = 0.0f;
  options.train.value_weight = 0.0f;  // no gradient: only the decay moves anything
  const auto learner = MakeLearner(options);
  torch::manual_seed(1);
  const torch::Tensor before = learner->state().weights.clone();
  ASSERT_TRUE(learner->Step(AsStepRows(RandomBatch(64)), 0.1));
  const torch::Tensor& after = learner->state().weights;
  const std::int64_t decayed = learner->layout().decayed;
  const std::int64_t rest = learner->layout().weight_count - decayed;
  EXPECT_TRUE(after.narrow(0, 0, decayed).allclose(before.narrow(0, 0, decayed) * 0.9));
  EXPECT_TRUE(after.narrow(0, decayed, rest).equal(before.narrow(0, decayed, rest)));
}

TEST(Learner, EstimatedStatisticsMakeEvaluationMatchTraining) {
  LearnerOptions options = Options(2, 32);
  options.train.ema_span = 0.0f;  // average = weights
  const auto learner = MakeLearner(options);
  torch::manual_seed(1);
  const StepRows batch = AsStepRows(RandomBatch(256));
  for (int step = 0; step < 50; ++step) ASSERT_TRUE(learner->Step(batch, 1e-3));
  const double before = learner->Evaluate(batch)->PolicyLoss();
  ASSERT_TRUE(learner->EstimateStatistics(batch));
  const double after = learner->Evaluate(batch)->PolicyLoss();
  const double training = learner->Step(batch, 1e-9)->sums.PolicyLoss();
  EXPECT_NEAR(after, training, 0.03);
  EXPECT_LT(std::abs(after - training), std::abs(before - training));
}

// LibTorch keeps compiled kernels of every number of rows, some 100 KiB each; held-out games come
// in any number.
TEST(Learner, EvaluatingAnyNumberOfRowsKeepsNoMemory) {
  LearnerOptions options = Options(1, 128);
  options.precision = Precision::kBf16;
  const auto learner = MakeLearner(options);
  torch::manual_seed(1);
  ASSERT_TRUE(learner->Evaluate(AsStepRows(RandomBatch(128, learner->input_type()))));
  const auto before = mallinfo2().uordblks;
  for (int rows = 65; rows < 128; ++rows) {
    ASSERT_TRUE(learner->Evaluate(AsStepRows(RandomBatch(rows, learner->input_type()))));
  }
  EXPECT_LT(mallinfo2().uordblks, before + (1 << 20));
}

TEST(Learner, EvaluationOfSomeRowsIsTheirShareOfAll) {
  const auto learner = MakeLearner(Options(1, 64));
  torch::manual_seed(1);
  const StepRows all = AsStepRows(RandomBatch(48));
  StepRows head = all, tail = all;
  head.rows = 37;
  tail.rows = 11;
  tail.cut = [&all](int first, int rows) { return all.cut(37 + first, rows); };
  const LossSums whole = *learner->Evaluate(all);
  const LossSums first = *learner->Evaluate(head);
  const LossSums rest = *learner->Evaluate(tail);
  EXPECT_NEAR(whole.OutcomeLoss(), (first.OutcomeLoss() * 37 + rest.OutcomeLoss() * 11) / 48, 1e-5);
}

TEST(Learner, Bf16LearnsAsFp32Does) {
  double losses[2];
  for (const Precision precision : {Precision::kFp32, Precision::kBf16}) {
    LearnerOptions options = Options();
    options.precision = precision;
    const auto learner = MakeLearner(options);
    torch::manual_seed(1);
    const StepRows batch = AsStepRows(RandomBatch(64, learner->input_type()));
    for (int step = 0; step < 100; ++step) ASSERT_TRUE(learner->Step(batch, 1e-3));
    const LossSums sums = learner->Step(batch, 1e-3)->sums;
    losses[precision == Precision::kBf16] = sums.PolicyLoss() + sums.OutcomeLoss();
  }
  EXPECT_NEAR(losses[1] / losses[0], 1.0, 0.05);
}

TEST(Learner, RefusesWhatItCannotDo) {
  const LearnerState state = LearnerState::Fresh(kSmallShape, 1);
  LearnerOptions options = Options();
  options.micro_batch = 0;
  EXPECT_EQ(Learner::Create(kSmallShape, options, state.Clone()).error().code, Errc::kInvalid);
  options = Options();
  options.device = "no_such_device";
  EXPECT_FALSE(Learner::Create(kSmallShape, options, state.Clone()));
}

}  // namespace
}  // namespace az
