#include "engine/train/loss.h"

#include <gtest/gtest.h>
#include <torch/torch.h>

#include <cmath>

#include "engine/net/network.h"

namespace az {
namespace {

constexpr int kRows = 3;
constexpr int kActions = 4;

// Three rows: a one-hot target with one illegal action, an even target, and a row without a policy
// target.
LossTargets SmallTargets() {
  LossTargets targets;
  targets.policy =
      torch::tensor({{1.0f, 0.0f, 0.0f, 0.0f}, {0.0f, 0.5f, 0.5f, 0.0f}, {0.0f, 0.0f, 0.0f, 0.0f}});
  targets.legal = torch::tensor({{1, 1, 1, 0}, {0, 1, 1, 1}, {1, 1, 1, 1}}).to(torch::kBool);
  targets.policy_weight = torch::tensor({1.0f, 1.0f, 0.0f});
  targets.outcome = torch::tensor({std::int64_t{0}, std::int64_t{1}, std::int64_t{2}});
  targets.root_value = torch::tensor({0.5f, 0.0f, -1.0f});
  return targets;
}

// With those of both heads; row 1 has no opponent's target.
LossTargets AllTargets() {
  LossTargets targets = SmallTargets();
  targets.opponent =
      torch::tensor({{0.5f, 0.5f, 0.0f, 0.0f}, {0.0f, 0.0f, 0.0f, 0.0f}, {0.0f, 0.0f, 0.0f, 1.0f}});
  targets.opponent_weight = torch::tensor({1.0f, 0.0f, 1.0f});
  targets.short_term = torch::tensor({1.0f, -0.5f, 0.0f});
  return targets;
}

struct Logits {
  torch::Tensor policy =
      torch::tensor(
          {{0.0f, 0.0f, 0.0f, 50.0f}, {9.0f, std::log(2.0f), 0.0f, 0.0f}, {1.0f, 2.0f, 3.0f, 4.0f}})
          .requires_grad_();
  torch::Tensor value =
      torch::tensor(
          {{std::log(2.0f), 0.0f, 0.0f}, {0.0f, 0.0f, 0.0f}, {0.0f, 0.0f, std::log(8.0f)}})
          .requires_grad_();
  torch::Tensor opponent = torch::tensor({{std::log(2.0f), 0.0f, 0.0f, 0.0f},
                                          {1.0f, 2.0f, 3.0f, 4.0f},
                                          {0.0f, 0.0f, 0.0f, std::log(5.0f)}})
                               .requires_grad_();
  torch::Tensor short_term = torch::tensor({0.5f, 0.5f, 0.25f}).requires_grad_();

  NetworkOutput output(int first = 0, int rows = kRows) const {
    return {.policy_logits = policy.narrow(0, first, rows),
            .value_logits = value.narrow(0, first, rows),
            .opponent_logits = opponent.narrow(0, first, rows),
            .short_term = short_term.narrow(0, first, rows)};
  }
};

LossWeights StepOf(LossWeights weights) {
  weights.step_rows = kRows;
  weights.step_policy_weight = 2.0;
  weights.step_opponent_weight = 2.0;
  return weights;
}

// By hand. Policy: row 0 uniform over three legal actions: ln 3; row 1 p = (1/2, 1/4, 1/4) over
// actions 1, 2, 3: 0.5 ln 2 + 0.5 ln 4 = 1.5 ln 2. WDL: (1/2, 1/4, 1/4), (1/3, 1/3, 1/3), (1/10,
// 1/10, 8/10).
const double kPolicySum = std::log(3.0) + 1.5 * std::log(2.0);
const double kOutcomeSum = std::log(2.0) + std::log(3.0) + std::log(10.0 / 8.0);
const double kRootSquared = 0.25 * 0.25 + 0.0 + 0.3 * 0.3;
// Opponent: row 0 p = (2/5, 1/5, 1/5, 1/5); row 2 p of action 3 is 5/8.
const double kOpponentSum = 0.5 * std::log(2.5) + 0.5 * std::log(5.0) + std::log(1.6);
const double kShortTermSquared = 0.5 * 0.5 + 1.0 + 0.25 * 0.25;
const double kOutcomeSquared = 0.75 * 0.75 + 0.0 + 0.3 * 0.3;

TEST(Loss, MatchesNumbersComputedByHand) {
  const Logits logits;
  const LossWeights weights = StepOf({.policy = 1.5, .value = 0.5, .value_mix = 0.25});
  const LossResult result = ComputeLoss(logits.output(), SmallTargets(), weights);
  const double policy = kPolicySum / 2;
  const double value = 0.75 * kOutcomeSum / 3 + 0.25 * 2.0 * kRootSquared / 3;
  EXPECT_NEAR(result.loss.item<double>(), 1.5 * policy + 0.5 * value, 1e-5);

  const LossSums sums = ReadSums(result.sums);
  EXPECT_DOUBLE_EQ(sums.rows, 3);
  EXPECT_DOUBLE_EQ(sums.policy_weight, 2);
  EXPECT_NEAR(sums.PolicyLoss(), policy, 1e-6);
  EXPECT_NEAR(sums.PolicyKl(), (kPolicySum - std::log(2.0)) / 2, 1e-6);
  EXPECT_NEAR(sums.OutcomeLoss(), kOutcomeSum / 3, 1e-6);
  EXPECT_NEAR(sums.RootValueMse(), kRootSquared / 3, 1e-6);
  EXPECT_NEAR(sums.OutcomeMse(), kOutcomeSquared / 3, 1e-6);
  EXPECT_DOUBLE_EQ(sums.BestActionAgreement(), 1.0);
  EXPECT_NEAR(sums.Loss(weights), result.loss.item<double>(), 1e-5);
}

TEST(Loss, HeadsMatchNumbersComputedByHand) {
  const Logits logits;
  const LossWeights weights =
      StepOf({.policy = 1.5, .value = 0.5, .value_mix = 0.25, .opponent = 0.15, .short_term = 0.3});
  const double plain = ComputeLoss(logits.output(), SmallTargets(), weights).loss.item<double>();
  const LossResult result = ComputeLoss(logits.output(), AllTargets(), weights);
  const double heads = 0.15 * kOpponentSum / 2 + 0.3 * kShortTermSquared / 3;
  EXPECT_NEAR(result.loss.item<double>(), plain + heads, 1e-5);
  const LossSums sums = ReadSums(result.sums);
  EXPECT_DOUBLE_EQ(sums.opponent_weight, 2);
  EXPECT_NEAR(sums.OpponentLoss(), kOpponentSum / 2, 1e-6);
  EXPECT_NEAR(sums.OpponentKl(), (kOpponentSum - std::log(2.0)) / 2, 1e-6);
  EXPECT_NEAR(sums.ShortTermMse(), kShortTermSquared / 3, 1e-6);
  EXPECT_NEAR(sums.Loss(weights), result.loss.item<double>(), 1e-5);
  result.loss.backward();
  EXPECT_EQ(logits.opponent.grad()[1].abs().max().item<float>(), 0.0f) << "has no target";
  EXPECT_NEAR(logits.opponent.grad()[2][3].item<double>(), 0.15 * (5.0 / 8 - 1) / 2, 1e-6);
  EXPECT_NEAR(logits.short_term.grad()[0].item<double>(), 0.3 * 2 * -0.5 / 3, 1e-6);
}

// Without targets, or without the head, it is the loss and the sums of a network that has none.
TEST(Loss, AHeadNeedsBothItsOutputAndItsTarget) {
  const Logits logits;
  const LossWeights weights = StepOf({.opponent = 1.0, .short_term = 1.0});
  const LossResult with = ComputeLoss(logits.output(), SmallTargets(), weights);
  NetworkOutput bare = logits.output();
  bare.opponent_logits = bare.short_term = torch::Tensor();
  const LossResult without = ComputeLoss(bare, AllTargets(), weights);
  EXPECT_EQ(with.loss.item<float>(), without.loss.item<float>());
  EXPECT_TRUE(with.sums.equal(without.sums));
  EXPECT_EQ(ReadSums(with.sums).OpponentLoss(), 0.0);
}

TEST(Loss, EachWeightScalesItsTermAlone) {
  const LossTargets targets = AllTargets();
  struct Case {
    LossWeights weights;
    double loss;
  };
  for (const Case& c : {
           Case{{.policy = 1, .value = 0, .value_mix = 0.25}, kPolicySum / 2},
           Case{{.policy = 0, .value = 1, .value_mix = 0}, kOutcomeSum / 3},
           Case{{.policy = 0, .value = 1, .value_mix = 1}, 2.0 * kRootSquared / 3},
           Case{{.policy = 0, .value = 0, .opponent = 1}, kOpponentSum / 2},
           Case{{.policy = 0, .value = 0, .short_term = 1}, kShortTermSquared / 3},
       }) {
    const Logits logits;
    const LossResult result = ComputeLoss(logits.output(), targets, StepOf(c.weights));
    EXPECT_NEAR(result.loss.item<double>(), c.loss, 1e-5);
  }
}

TEST(Loss, WeightsAreThoseOfTheConfig) {
  TrainOptions options;
  options.policy_weight = 1.5f;
  options.value_weight = 0.75f;
  options.value_mix = 0.5f;
  options.opponent_weight = 0.125f;
  options.short_term_weight = 0.25f;
  const LossWeights weights = LossWeights::Of(options);
  EXPECT_EQ(weights.policy, 1.5);
  EXPECT_EQ(weights.value, 0.75);
  EXPECT_EQ(weights.value_mix, 0.5);
  EXPECT_EQ(weights.opponent, 0.125);
  EXPECT_EQ(weights.short_term, 0.25);
}

TEST(Loss, SharesOfOutcomesAreWhatTheirGamesAreOnAverage) {
  const Logits logits;
  const LossWeights weights = StepOf({.policy = 0, .value = 1, .value_mix = 0});
  LossTargets targets = SmallTargets();
  const LossResult classes = ComputeLoss(logits.output(), targets, weights);
  targets.outcome = torch::one_hot(targets.outcome, 3).to(torch::kFloat);
  const LossResult shares = ComputeLoss(logits.output(), targets, weights);
  EXPECT_NEAR(shares.loss.item<double>(), classes.loss.item<double>(), 1e-6);
  EXPECT_TRUE(shares.sums.allclose(classes.sums));
  // Half of row 0's games won, half lost: (1/2, 1/4, 1/4), v = 1/4, z = 0.
  targets.outcome[0] = torch::tensor({0.5f, 0.0f, 0.5f});
  const LossSums sums = ReadSums(ComputeLoss(logits.output(), targets, weights).sums);
  EXPECT_NEAR(sums.outcome_cross_entropy, kOutcomeSum + 0.5 * std::log(2.0), 1e-5);
  EXPECT_NEAR(sums.outcome_squared, kOutcomeSquared - 0.75 * 0.75 + 0.25 * 0.25, 1e-5);
}

TEST(Loss, IllegalActionsAndMissingTargetsGetNoGradient) {
  Logits logits;
  const LossTargets targets = SmallTargets();
  ComputeLoss(logits.output(), targets, StepOf({})).loss.backward();
  const torch::Tensor gradient = logits.policy.grad();
  EXPECT_EQ(gradient.index({targets.legal.logical_not()}).abs().max().item<float>(), 0.0f);
  EXPECT_EQ(gradient[2].abs().max().item<float>(), 0.0f);
  EXPECT_NEAR(gradient[0][0].item<double>(), (1.0 / 3 - 1) / 2, 1e-6);
  EXPECT_NEAR(gradient[1][1].item<double>(), 0.0, 1e-6);  // p = π there
  EXPECT_NEAR(gradient[1][2].item<double>(), (0.25 - 0.5) / 2, 1e-6);
  EXPECT_NE(logits.value.grad()[2].abs().max().item<float>(), 0.0f);
}

TEST(Loss, ABatchWithoutPolicyTargetsIsFinite) {
  Logits logits;
  LossTargets targets = SmallTargets();
  targets.policy_weight.zero_();
  LossWeights weights = StepOf({});
  weights.step_policy_weight = 0;
  const LossResult result = ComputeLoss(logits.output(), targets, weights);
  result.loss.backward();
  EXPECT_TRUE(std::isfinite(result.loss.item<double>()));
  EXPECT_EQ(logits.policy.grad().abs().max().item<float>(), 0.0f);
  EXPECT_EQ(ReadSums(result.sums).PolicyLoss(), 0.0);
}

TEST(Loss, PartsOfAStepAddUpToTheStep) {
  const LossTargets targets = AllTargets();
  const Logits logits;
  const LossWeights weights = StepOf({.opponent = 0.5, .short_term = 0.5});
  const double whole = ComputeLoss(logits.output(), targets, weights).loss.item<double>();
  double parts = 0;
  LossSums sums;
  for (int row = 0; row < kRows; ++row) {
    const auto cut = [row](const torch::Tensor& t) { return t.narrow(0, row, 1); };
    const LossTargets one{cut(targets.policy),          cut(targets.legal),
                          cut(targets.policy_weight),   cut(targets.outcome),
                          cut(targets.root_value),      cut(targets.opponent),
                          cut(targets.opponent_weight), cut(targets.short_term)};
    const LossResult result = ComputeLoss(logits.output(row, 1), one, weights);
    parts += result.loss.item<double>();
    sums += ReadSums(result.sums);
  }
  EXPECT_NEAR(parts, whole, 1e-5);
  EXPECT_NEAR(sums.Loss(weights), whole, 1e-5);
}

}  // namespace
}  // namespace az
