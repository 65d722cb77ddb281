#include "mcts/policy_target.h"

#include <algorithm>
#include <cmath>

#include "base/check.h"

namespace az {
namespace {

double SumOfVisits(std::span<const Node> children) {
  double sum = 0.0;
  for (const Node& child : children) sum += child.visits;
  return sum;
}

// The most visited child that is not proven to lose; null: none was visited.
const Node* BestOpenChild(std::span<const Node> children) {
  const Node* best = nullptr;
  for (const Node& child : children) {
    if (child.visits == 0 || child.bounds().hi < 0) continue;
    if (best == nullptr || child.visits > best->visits) best = &child;
  }
  return best;
}

}  // namespace

int ForcedChild(std::span<const Node> children, float forced_playouts) {
  const double factor = static_cast<double>(forced_playouts) * SumOfVisits(children);
  for (std::size_t i = 0; i < children.size(); ++i) {
    const double visits = children[i].visits;
    if (visits == 0.0 || children[i].bounds().hi < 0) continue;
    if (visits * visits < factor * static_cast<double>(children[i].prior)) {
      return static_cast<int>(i);
    }
  }
  return -1;
}

void PrunedVisits(std::span<const Node> children, const Pruning& pruning,
                  std::span<double> pruned) {
  AZ_CHECK(!children.empty());
  AZ_CHECK_EQ(children.size(), pruned.size());
  const double factor = static_cast<double>(pruning.forced_playouts) * SumOfVisits(children);
  const double exploration = pruning.exploration;
  const Node* best = BestOpenChild(children);
  if (best == nullptr) {
    std::ranges::fill(pruned, 0.0);
    return;
  }
  const double score =
      best->mean() + exploration * static_cast<double>(best->prior) / (1.0 + best->visits);
  for (std::size_t i = 0; i < children.size(); ++i) {
    const Node& child = children[i];
    const double visits = child.visits;
    if (&child == best || child.visits == 0) {
      pruned[i] = visits;
      continue;
    }
    if (child.bounds().hi < 0) {
      pruned[i] = 0.0;
      continue;
    }
    const double prior = static_cast<double>(child.prior);
    const double gap = score - child.mean();
    const double want = gap > 0.0 ? exploration * prior / gap - 1.0 : visits;
    const double least =
        pruning.limit == PruneLimit::kForced ? visits - std::floor(std::sqrt(factor * prior)) : 0.0;
    const double kept = std::max(least, std::min(visits, std::ceil(want)));
    pruned[i] = kept <= 1.0 ? 0.0 : kept;
  }
}

}  // namespace az
