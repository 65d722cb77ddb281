#include "mcts/move_choice.h"

#include <algorithm>
#include <cmath>

#include "base/check.h"

namespace az {
namespace {

bool AnyPlayableVisited(std::span<const Node> children, int proven) {
  return std::any_of(children.begin(), children.end(), [&](const Node& child) {
    return child.visits > 0 && IsPlayable(child, proven);
  });
}

// What a playable child weighs before normalising; 0 for the others.
double Weight(const Node& child, int proven, bool by_visits) {
  if (!IsPlayable(child, proven)) return 0.0;
  return by_visits ? static_cast<double>(child.visits) : static_cast<double>(child.prior);
}

}  // namespace

float MoveTemperature(const SearchOptions& options, int ply, int board_rows) {
  const float half_life = options.temperature_halflife > 0.0f ? options.temperature_halflife
                                                              : static_cast<float>(board_rows);
  return options.temperature_end + (options.temperature_start - options.temperature_end) *
                                       std::exp2(-static_cast<float>(ply) / half_life);
}

int ProvenForChooser(const Node& node, std::span<const Node> children) {
  if (!node.is_proven()) return kNotProven;
  const int value = node.bounds().lo;
  return node.mover() == children.front().mover() ? value : -value;
}

bool IsPlayable(const Node& child, int proven) {
  const Bounds bounds = child.bounds();
  switch (proven) {
    case +1:
      return bounds.lo == +1;
    case 0:
      return bounds.lo == 0;
    case -1:
      return true;
    default:
      return bounds.hi > -1;
  }
}

int BestChild(std::span<const Node> children, int proven) {
  const Node* best = nullptr;
  for (const Node& child : children) {
    if (!IsPlayable(child, proven)) continue;
    const bool better =
        best == nullptr || child.visits > best->visits ||
        (child.visits == best->visits &&
         (child.visits > 0 && child.mean() != best->mean() ? child.mean() > best->mean()
                                                           : child.prior > best->prior));
    if (better) best = &child;
  }
  AZ_CHECK(best != nullptr) << "no playable move among " << children.size();
  return static_cast<int>(best - children.data());
}

int DrawChild(std::span<const Node> children, int proven, float temperature, Rng& rng) {
  if (temperature <= 0.0f) return BestChild(children, proven);
  const bool by_visits = AnyPlayableVisited(children, proven);
  double highest = 0.0;
  for (const Node& child : children) highest = std::max(highest, Weight(child, proven, by_visits));
  const auto powered = [&](const Node& child) {
    const double weight = Weight(child, proven, by_visits);
    return weight > 0.0 ? std::exp(std::log(weight / highest) / static_cast<double>(temperature))
                        : 0.0;
  };
  double sum = 0.0;
  for (const Node& child : children) sum += powered(child);
  double rest = rng.Uniform() * sum;
  int chosen = -1;
  for (std::size_t i = 0; i < children.size() && rest >= 0.0; ++i) {
    const double weight = powered(children[i]);
    if (weight == 0.0) continue;
    chosen = static_cast<int>(i);  // stays the last possible one when rounding leaves a rest
    rest -= weight;
  }
  AZ_CHECK_GE(chosen, 0) << "no playable move";
  return chosen;
}

std::vector<PolicyTarget> MakePolicyTarget(std::span<const Node> children, int proven) {
  const bool by_visits = AnyPlayableVisited(children, proven);
  double sum = 0.0;
  for (const Node& child : children) sum += Weight(child, proven, by_visits);
  AZ_CHECK_GT(sum, 0.0) << "no playable move among " << children.size();
  std::vector<PolicyTarget> target;
  for (const Node& child : children) {
    const double weight = Weight(child, proven, by_visits) / sum;
    if (weight > 0.0) target.push_back({child.action, static_cast<float>(weight)});
  }
  std::sort(target.begin(), target.end(),
            [](const PolicyTarget& a, const PolicyTarget& b) { return a.action < b.action; });
  return target;
}

}  // namespace az
