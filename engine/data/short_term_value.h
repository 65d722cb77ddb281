#pragma once
// ShortTermValue: what the searches say a few plies ahead, an average of root values that forgets
// by a factor a ply and ends in the outcome (docs/learning.md):
//
//   s_t = (1 - λ)·(q_t + λ·q_{t+1} + … + λ^(T-1-t)·q_{T-1}) + λ^(T-t)·z      λ = 1 - 1/horizon
//
// all turned to the side to move at t, whoever moved. A ply without a search counts as if it were
// not there.

#include "games/game.h"

namespace az {

// In plies: 1 + 0.056 a cell (Wu, KataGo: the middle one of three horizons in its source).
double ShortTermHorizon(int cells);

// Plies are added from t on, in order. Thread-compatible.
class ShortTermValue {
 public:
  // REQUIRES: horizon >= 1.
  ShortTermValue(Player view, double horizon) : view_(view), keeps_(1.0 - 1.0 / horizon) {}

  // A searched ply; its root value in the view of `mover`.
  void Add(Player mover, float root_value);
  // The value, [-1, 1], in the view of the constructor.
  float EndedWith(Outcome outcome) const;

 private:
  Player view_;
  double keeps_;  // λ
  double sum_ = 0.0;
  double rest_ = 1.0;  // weight of what is to come
};

}  // namespace az
