#include "engine/train/loss.h"

#include <ATen/ops/xlogy.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <span>
#include <vector>

#include "base/check.h"
#include "engine/net/network.h"

namespace az {
namespace {

// Far below every real logit, yet finite: 0 · kIllegal is 0, where 0 · infinity would not be a
// number.
constexpr double kIllegal = -1e9;

// Order of the sums in LossResult::sums; those of heads come last, and only where there is one.
constexpr std::array kSums = {
    &LossSums::rows,           &LossSums::policy_weight,         &LossSums::policy_cross_entropy,
    &LossSums::target_entropy, &LossSums::best_action_agreement, &LossSums::outcome_cross_entropy,
    &LossSums::outcome_hits,   &LossSums::root_value_squared,    &LossSums::outcome_squared,
};
constexpr std::array kHeadSums = {
    &LossSums::opponent_weight,
    &LossSums::opponent_cross_entropy,
    &LossSums::opponent_target_entropy,
    &LossSums::short_term_squared,
};

double Mean(double sum, double count) { return count > 0 ? sum / count : 0.0; }

}  // namespace

LossWeights LossWeights::Of(const TrainOptions& options) {
  return {.policy = options.policy_weight,
          .value = options.value_weight,
          .value_mix = options.value_mix,
          .opponent = options.opponent_weight,
          .short_term = options.short_term_weight};
}

LossSums& LossSums::operator+=(const LossSums& other) {
  for (const auto member : kSums) this->*member += other.*member;
  for (const auto member : kHeadSums) this->*member += other.*member;
  return *this;
}

double LossSums::PolicyLoss() const { return Mean(policy_cross_entropy, policy_weight); }
double LossSums::PolicyKl() const {
  return Mean(policy_cross_entropy - target_entropy, policy_weight);
}
double LossSums::BestActionAgreement() const { return Mean(best_action_agreement, policy_weight); }
double LossSums::OutcomeLoss() const { return Mean(outcome_cross_entropy, rows); }
double LossSums::OutcomeAccuracy() const { return Mean(outcome_hits, rows); }
double LossSums::RootValueMse() const { return Mean(root_value_squared, rows); }
double LossSums::OutcomeMse() const { return Mean(outcome_squared, rows); }
double LossSums::OpponentLoss() const { return Mean(opponent_cross_entropy, opponent_weight); }
double LossSums::OpponentKl() const {
  return Mean(opponent_cross_entropy - opponent_target_entropy, opponent_weight);
}
double LossSums::ShortTermMse() const { return Mean(short_term_squared, rows); }
double LossSums::ValueLoss(const LossWeights& weights) const {
  return (1.0 - weights.value_mix) * OutcomeLoss() +
         weights.value_mix * kRootValueScale * RootValueMse();
}
double LossSums::Loss(const LossWeights& weights) const {
  return weights.policy * PolicyLoss() + weights.value * ValueLoss(weights) +
         weights.opponent * OpponentLoss() + weights.short_term * ShortTermMse();
}

namespace {

// Of each row of `probabilities` [rows, n], where 0 · ln 0 is 0. LibTorch's own operator for it is
// compiled at run time on a GPU (tests/engine/net/gpu_operators_test.py).
torch::Tensor Entropy(const torch::Tensor& probabilities) {
  return at::xlogy(probabilities, probabilities).sum(1).neg();
}

// The terms of the heads that only training has: added to the loss, and their sums.
std::vector<torch::Tensor> AddHeads(const NetworkOutput& output, const LossTargets& targets,
                                    const LossWeights& weights, torch::Tensor& loss) {
  const bool has_opponent = output.opponent_logits.defined() && targets.opponent.defined();
  const bool has_short_term = output.short_term.defined() && targets.short_term.defined();
  if (!has_opponent && !has_short_term) return {};
  const torch::Tensor zero = torch::zeros({}, loss.options().requires_grad(false));
  std::vector<torch::Tensor> sums(kHeadSums.size(), zero);
  if (has_opponent) {
    const torch::Tensor log_policy =
        torch::log_softmax(output.opponent_logits.to(torch::kFloat), 1);
    const torch::Tensor rows = (log_policy * targets.opponent).sum(1).neg();
    const torch::Tensor sum = (rows * targets.opponent_weight).sum();
    const double scale =
        weights.step_opponent_weight > 0 ? weights.opponent / weights.step_opponent_weight : 0.0;
    loss = loss + sum * scale;
    const torch::NoGradGuard no_grad;
    const torch::Tensor entropy = Entropy(targets.opponent);
    sums[0] = targets.opponent_weight.sum();
    sums[1] = sum.detach();
    sums[2] = (entropy * targets.opponent_weight).sum();
  }
  if (has_short_term) {
    const torch::Tensor sum =
        (output.short_term.to(torch::kFloat) - targets.short_term).square().sum();
    loss = loss + sum * (weights.short_term / weights.step_rows);
    sums[3] = sum.detach();
  }
  return sums;
}

}  // namespace

LossResult ComputeLoss(const NetworkOutput& output, const LossTargets& targets,
                       const LossWeights& weights) {
  const torch::Tensor& policy_logits = output.policy_logits;
  const torch::Tensor& value_logits = output.value_logits;
  AZ_CHECK(policy_logits.sizes() == targets.policy.sizes());
  AZ_CHECK_EQ(value_logits.size(0), policy_logits.size(0));
  AZ_CHECK_EQ(value_logits.size(1), 3);

  const torch::Tensor log_policy = torch::log_softmax(
      policy_logits.to(torch::kFloat).masked_fill(targets.legal.logical_not(), kIllegal), 1);
  const torch::Tensor policy_rows = (log_policy * targets.policy).sum(1).neg();
  const torch::Tensor policy_sum = (policy_rows * targets.policy_weight).sum();

  const torch::Tensor log_wdl = torch::log_softmax(value_logits.to(torch::kFloat), 1);
  const bool has_shares = targets.outcome.dim() == 2;
  const torch::Tensor outcome_sum =
      has_shares ? (log_wdl * targets.outcome).sum().neg()
                 : log_wdl.gather(1, targets.outcome.unsqueeze(1)).sum().neg();
  const torch::Tensor wdl = log_wdl.exp();
  const torch::Tensor value = wdl.select(1, 0) - wdl.select(1, 2);
  const torch::Tensor root_squared = (value - targets.root_value).square().sum();

  const double policy_scale =
      weights.step_policy_weight > 0 ? weights.policy / weights.step_policy_weight : 0.0;
  const double value_scale = weights.value / weights.step_rows;
  LossResult result;
  result.loss = policy_sum * policy_scale + (outcome_sum * (1.0 - weights.value_mix) +
                                             root_squared * (weights.value_mix * kRootValueScale)) *
                                                value_scale;
  const std::vector<torch::Tensor> heads = AddHeads(output, targets, weights, result.loss);

  result.value = value.detach();

  const torch::NoGradGuard no_grad;
  const torch::Tensor entropy = Entropy(targets.policy);
  const torch::Tensor agreement = log_policy.argmax(1).eq(targets.policy.argmax(1));
  const torch::Tensor& outcome = targets.outcome;
  const torch::Tensor hits = log_wdl.argmax(1).eq(has_shares ? outcome.argmax(1) : outcome);
  const torch::Tensor z = OutcomeValues(outcome);
  const auto rows = static_cast<double>(policy_logits.size(0));
  std::vector<torch::Tensor> sums = {torch::full_like(outcome_sum, rows),
                                     targets.policy_weight.sum(),
                                     policy_sum.detach(),
                                     (entropy * targets.policy_weight).sum(),
                                     (agreement * targets.policy_weight).sum(),
                                     outcome_sum.detach(),
                                     hits.to(torch::kFloat).sum(),
                                     root_squared.detach(),
                                     (value.detach() - z).square().sum()};
  sums.insert(sums.end(), heads.begin(), heads.end());
  result.sums = torch::stack(sums).to(torch::kDouble);
  return result;
}

torch::Tensor OutcomeValues(const torch::Tensor& outcome) {
  if (outcome.dim() == 2) return outcome.select(1, 0) - outcome.select(1, 2);
  return 1.0 - outcome.to(torch::kFloat);
}

double LossOfIgnorance(const LossWeights& weights, int actions) {
  const double outcome = (1.0 - weights.value_mix) * std::log(3.0);
  return (weights.policy + weights.opponent) * std::log(static_cast<double>(std::max(2, actions))) +
         weights.value * (outcome + weights.value_mix * kRootValueScale) + weights.short_term;
}

LossSums ReadSums(const torch::Tensor& sums) {
  const torch::Tensor host = sums.cpu();
  const auto count = static_cast<std::size_t>(host.numel());
  AZ_CHECK(count == kSums.size() || count == kSums.size() + kHeadSums.size()) << count;
  const std::span numbers(host.data_ptr<double>(), count);
  LossSums result;
  for (std::size_t i = 0; i < kSums.size(); ++i) result.*kSums[i] = numbers[i];
  for (std::size_t i = kSums.size(); i < count; ++i) {
    result.*kHeadSums[i - kSums.size()] = numbers[i];
  }
  return result;
}

}  // namespace az
