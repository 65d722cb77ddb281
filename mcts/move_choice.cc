#include "mcts/move_choice.h"

#include <algorithm>
#include <cmath>

#include "base/check.h"

namespace az {
namespace {

// Leaves weight to the playable children only; gives them their priors if those weights are all 0,
// and equal weights if these are 0 too, as behind a move that the network was sure of.
void KeepPlayable(std::span<const Node> children, const ChildWeights& given, int proven) {
  const std::span<double> weights = given.weights;
  AZ_CHECK_EQ(children.size(), weights.size());
  AZ_CHECK_EQ(children.size(), given.priors.size());
  bool any = false;
  for (std::size_t i = 0; i < children.size(); ++i) {
    if (!IsPlayable(children[i], proven)) weights[i] = 0.0;
    any = any || weights[i] > 0.0;
  }
  if (any) return;
  for (std::size_t i = 0; i < children.size(); ++i) {
    if (IsPlayable(children[i], proven)) weights[i] = static_cast<double>(given.priors[i]);
    any = any || weights[i] > 0.0;
  }
  if (any) return;
  for (std::size_t i = 0; i < children.size(); ++i) {
    if (IsPlayable(children[i], proven)) weights[i] = 1.0;
  }
}

}  // namespace

float MoveTemperature(const SearchOptions& options, int ply, int board_rows) {
  const float half_life = options.temperature_halflife > 0.0f ? options.temperature_halflife
                                                              : static_cast<float>(board_rows);
  return options.temperature_end + (options.temperature_start - options.temperature_end) *
                                       std::exp2(-static_cast<float>(ply) / half_life);
}

int ProvenForChooser(const Node& node, std::span<const Node> children) {
  if (!node.is_proven()) {
    // Without the solver nothing is backed up: the game may end lost at every child of a node that
    // is not proven, and then all of them are playable.
    const bool is_lost =
        std::ranges::all_of(children, [](const Node& child) { return child.bounds().hi == -1; });
    return is_lost && !children.empty() ? -1 : kNotProven;
  }
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

int DrawOpeningPlies(double mean, Rng& rng) {
  if (mean <= 0.0) return 0;
  return static_cast<int>(rng.Exponential() / std::log1p(1.0 / mean));
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

void VisitsOf(std::span<const Node> children, std::span<double> visits) {
  AZ_CHECK_EQ(children.size(), visits.size());
  for (std::size_t i = 0; i < children.size(); ++i) visits[i] = children[i].visits;
}

bool IsDecided(std::span<const Node> children, int proven, std::uint32_t left) {
  std::uint32_t most = 0;
  std::uint32_t second = 0;
  for (const Node& child : children) {
    if (!IsPlayable(child, proven)) continue;
    second = std::max(second, std::min(most, child.visits));
    most = std::max(most, child.visits);
  }
  return second + left < most;
}

int DrawChild(std::span<const Node> children, const ChildWeights& given, int proven,
              float temperature, Rng& rng) {
  if (temperature <= 0.0f) return BestChild(children, proven);
  KeepPlayable(children, given, proven);
  const std::span<double> weights = given.weights;
  const double highest = *std::max_element(weights.begin(), weights.end());
  double sum = 0.0;
  for (double& weight : weights) {
    if (weight > 0.0) {
      weight = std::exp(std::log(weight / highest) / static_cast<double>(temperature));
    }
    sum += weight;
  }
  double rest = rng.Uniform() * sum;
  int chosen = -1;
  for (std::size_t i = 0; i < children.size() && rest >= 0.0; ++i) {
    if (weights[i] == 0.0) continue;
    chosen = static_cast<int>(i);  // stays the last possible one when rounding leaves a rest
    rest -= weights[i];
  }
  AZ_CHECK_GE(chosen, 0) << "no playable move";
  return chosen;
}

std::vector<PolicyTarget> MakePolicyTarget(std::span<const Node> children,
                                           const ChildWeights& given, int proven) {
  KeepPlayable(children, given, proven);
  const std::span<const double> weights = given.weights;
  double sum = 0.0;
  for (const double weight : weights) sum += weight;
  AZ_CHECK_GT(sum, 0.0) << "no playable move among " << children.size();
  std::vector<PolicyTarget> target;
  for (std::size_t i = 0; i < children.size(); ++i) {
    const double share = weights[i] / sum;
    if (share > 0.0) target.push_back({children[i].action, static_cast<float>(share)});
  }
  std::sort(target.begin(), target.end(),
            [](const PolicyTarget& a, const PolicyTarget& b) { return a.action < b.action; });
  return target;
}

}  // namespace az
