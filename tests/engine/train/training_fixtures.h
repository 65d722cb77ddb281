#pragma once
// Small networks and made-up batches for the tests of engine/train.

#include <torch/torch.h>

#include <string>

#include "engine/train/learner.h"

namespace az {

inline const NetShape kSmallShape{.planes = 2,
                                  .rows = 3,
                                  .cols = 3,
                                  .actions = 9,
                                  .filters = 8,
                                  .res_blocks = 2,
                                  .heads = 2,
                                  .attention_blocks = 1,
                                  .policy_filters = 4,
                                  .value_filters = 4,
                                  .value_hidden = 16};

// The same with the heads that only training has.
inline NetShape WithHeads(NetShape shape) {
  shape.opponent_head = shape.short_term_head = true;
  return shape;
}

// Random planes with random but sharp targets, on the CPU.
inline MicroBatch RandomBatch(int rows, torch::ScalarType type = torch::kFloat) {
  MicroBatch batch;
  batch.planes =
      torch::randint(0, 2, {rows, 2, 3, 3}).to(type).contiguous(torch::MemoryFormat::ChannelsLast);
  batch.targets.policy = torch::softmax(torch::randn({rows, 9}) * 2, 1);
  batch.targets.legal = torch::ones({rows, 9}, torch::kBool);
  batch.targets.policy_weight = torch::ones({rows});
  batch.targets.outcome = torch::randint(0, 3, {rows}, torch::kLong);
  batch.targets.root_value = 1.0 - batch.targets.outcome.to(torch::kFloat);
  batch.targets.opponent = batch.targets.policy.flip(0);
  batch.targets.opponent_weight = (torch::arange(rows) % 3).gt(0).to(torch::kFloat);
  batch.targets.short_term = batch.targets.root_value * 0.5;
  return batch;
}

inline MicroBatch Cut(const MicroBatch& batch, int first, int rows) {
  const auto part = [=](const torch::Tensor& t) { return t.narrow(0, first, rows); };
  const LossTargets& t = batch.targets;
  return {part(batch.planes),
          {part(t.policy), part(t.legal), part(t.policy_weight), part(t.outcome),
           part(t.root_value), part(t.opponent), part(t.opponent_weight), part(t.short_term)}};
}

inline StepRows AsStepRows(const MicroBatch& batch) {
  StepRows rows;
  rows.rows = static_cast<int>(batch.planes.size(0));
  rows.policy_weight = batch.targets.policy_weight.sum().item<double>();
  rows.opponent_weight = batch.targets.opponent_weight.sum().item<double>();
  rows.cut = [batch](int first, int count) { return Cut(batch, first, count); };
  return rows;
}

inline LossWeights WeightsFor(int rows) {
  LossWeights weights;
  weights.step_rows = rows;
  weights.step_policy_weight = rows;
  weights.step_opponent_weight = rows;
  weights.opponent = weights.short_term = 0.5;  // of networks that have such heads
  return weights;
}

}  // namespace az
