#pragma once
// Visits that exploration alone gave: forced at a root in self-play, and taken out of the policy
// target again (KataGo, section 3.2). Free functions over a node's children.
//   forced(a) = sqrt(k P(a) sum N)
//   want(a)   = c P(a) sqrt(N(root)) / (S - q(a)) - 1 if S > q(a), else N(a);  S = score of the
//               most visited child that is not proven to lose
//   N'(a)     = max(N(a) - floor(forced(a)), min(N(a), ceil(want(a)))), and 0 if that is <= 1 or a
//               is proven to lose

#include <cstdint>
#include <span>

#include "mcts/node.h"
#include "mcts/search_options.h"

namespace az {

// The first child that was visited, yet less often than forced; -1: none. Proven losses are not
// forced.
int ForcedChild(std::span<const Node> children, float forced_playouts);

struct Pruning {
  float exploration = 0.0f;      // c(root) sqrt(N(root)), mcts/select.h
  float forced_playouts = 0.0f;  // k
  PruneLimit limit = PruneLimit::kForced;
};
// Writes N' of every child, in their order. pruned.size() = children.size(). REQUIRES: the parent
// is not proven.
void PrunedVisits(std::span<const Node> children, const Pruning& pruning, std::span<double> pruned);

}  // namespace az
