#include "engine/train/judged_loss.h"

#include "engine/train/loss.h"

namespace az {

JudgedLoss JudgedLoss::Of(const LossSums& sums, const LossWeights& weights) {
  return {.whole = sums.Loss(weights),
          .policy = weights.policy * sums.PolicyLoss(),
          .value = weights.value * sums.ValueLoss(weights)};
}

JudgedLoss JudgedLoss::OfIgnorance(const LossWeights& weights, int actions) {
  const LossWeights policy = {.policy = weights.policy, .value = 0};
  const LossWeights value = {.policy = 0, .value = weights.value, .value_mix = weights.value_mix};
  return {.whole = LossOfIgnorance(weights, actions),
          .policy = LossOfIgnorance(policy, actions),
          .value = LossOfIgnorance(value, actions)};
}

}  // namespace az
