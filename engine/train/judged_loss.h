#pragma once
// JudgedLoss: a loss and two of its terms, each beside what it is of a network that knows nothing.

namespace az {

struct LossSums;     // loss.h
struct LossWeights;  // loss.h

// The terms with their weights; there may be more of them.
struct JudgedLoss {
  double whole = 0;
  double policy = 0;
  double value = 0;

  static JudgedLoss Of(const LossSums& sums, const LossWeights& weights);
  static JudgedLoss OfIgnorance(const LossWeights& weights, int actions);
};

}  // namespace az
