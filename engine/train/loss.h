#pragma once
// The training loss (docs/learning.md), p = softmax over legal actions, v = p_win - p_loss:
//   L = w_p·mean CE(π, p) + w_v·mean[ (1-β)·CE(z, wdl) + β·κ·(v - q)² ]
//       + w_o·mean CE(π_opp, p_opp) + w_s·mean (s - s_hat)²
// A row without a policy target has weight 0 and does not count in that mean. p_opp is a softmax
// over all actions: which will be legal depends on the action between. The last two terms are those
// of heads that the network may have (engine/net/network.h). Used by the learner's replicas and by
// the held-out evaluation; knows no game or optimizer.

#include <ATen/core/Tensor.h>

#include "engine/config/options.h"

namespace az {

struct NetworkOutput;

// One micro-batch of targets, all on the network's device. n rows, A actions.
struct LossTargets {
  at::Tensor policy;  // [n, A] float, sums to 1 over legal actions; anything in rows of weight 0
  at::Tensor legal;   // [n, A] bool
  at::Tensor policy_weight;  // [n] float; 0: no policy target
  // [n] int64: 0 win, 1 draw, 2 loss of the side to move; or [n, 3] float: shares of these among
  // the games that the row stands for.
  at::Tensor outcome;
  at::Tensor root_value;  // [n] float, [-1, 1], the search's, in the view of the side to move
  // Undefined where no head is trained on them.
  at::Tensor opponent;         // [n, A] float, as policy, of who moves next and in that view
  at::Tensor opponent_weight;  // [n] float; 0: no such target
  at::Tensor short_term;       // [n] float, [-1, 1], in the view of the side to move
};

struct LossWeights {
  double policy = 1.0;
  double value = 1.0;
  double value_mix = 0.25;  // β
  double opponent = 0.0;
  double short_term = 0.0;
  // What the sums over this micro-batch are divided by: rows and weights of the whole step, so that
  // the losses of its micro-batches and shards add up to the step's.
  double step_rows = 1.0;
  double step_policy_weight = 1.0;
  double step_opponent_weight = 1.0;

  static LossWeights Of(const TrainOptions& options);
};
inline constexpr double kRootValueScale = 2.0;  // κ

// Sums over rows, as plain numbers; add those of a step up, then ask for means.
struct LossSums {
  double rows = 0;
  double policy_weight = 0;
  double policy_cross_entropy = 0;   // nats, weighted
  double target_entropy = 0;         // nats, weighted
  double best_action_agreement = 0;  // weighted rows whose likeliest action is the target's
  double outcome_cross_entropy = 0;  // nats
  double outcome_hits = 0;           // rows whose likeliest class is the outcome's
  double root_value_squared = 0;     // (v - q)²
  double outcome_squared = 0;        // (v - z)²
  // 0 without these heads:
  double opponent_weight = 0;
  double opponent_cross_entropy = 0;   // nats, weighted
  double opponent_target_entropy = 0;  // nats, weighted
  double short_term_squared = 0;       // (s - s_hat)²

  LossSums& operator+=(const LossSums& other);

  double PolicyLoss() const;           // mean CE(π, p), nats
  double PolicyKl() const;             // mean KL(π‖p), nats
  double BestActionAgreement() const;  // fraction
  double OutcomeLoss() const;          // mean CE(z, wdl), nats
  double OutcomeAccuracy() const;      // fraction
  double RootValueMse() const;
  double OutcomeMse() const;
  double OpponentLoss() const;  // mean CE(π_opp, p_opp), nats
  double OpponentKl() const;    // mean KL(π_opp‖p_opp), nats
  double ShortTermMse() const;
  double ValueLoss(const LossWeights& weights) const;  // the value term of L, without w_v
  double Loss(const LossWeights& weights) const;       // L
};

struct LossResult {
  at::Tensor loss;  // scalar, float32, differentiable
  at::Tensor sums;  // float64 on the device, detached; ReadSums copies them out (a synchronisation)
  at::Tensor value;  // [n] float32 on the device, detached: v of each row
};

// `output` in any floating type; all arithmetic is float32. A head without targets, or the other
// way round, has no loss.
LossResult ComputeLoss(const NetworkOutput& output, const LossTargets& targets,
                       const LossWeights& weights);

// [n] float: +1, 0 or -1, or a mean of these, of each row of LossTargets::outcome.
at::Tensor OutcomeValues(const at::Tensor& outcome);

// L of a network that knows nothing: all actions alike, each outcome a third, values 0 against, at
// worst, root values of ±1. No useful network is above it for long.
double LossOfIgnorance(const LossWeights& weights, int actions);

LossSums ReadSums(const at::Tensor& sums);

}  // namespace az
