#pragma once
// Definitions of Search<S>: what happens at the root, before and after the simulations. Included by
// mcts/search_inl.h.

#include <algorithm>

#include "base/check.h"
#include "mcts/policy_target.h"
#include "mcts/root_noise.h"
#include "mcts/search.h"

namespace az {

// The root's own evaluation, from W = own + sum of the children's W in the root's view. Lost when
// the root is proven, which made its W exact.
template <GameState S>
std::optional<float> Search<S>::OwnValueOfRoot() const {
  const Node& root = tree_.root();
  if (root.is_proven()) return std::nullopt;
  double own = InViewOf(root_state_.ToMove(), InViewOf(root.mover(), root.value_sum));
  for (const Node& child : RootChildren()) {
    own -= InViewOf(root_state_.ToMove(), InViewOf(child.mover(), child.value_sum));
  }
  return static_cast<float>(std::clamp(own, -1.0, 1.0));
}

// What the rule of this search does to an expanded root before the first simulation below it. The
// children stay in the order of the raw priors.
template <GameState S>
void Search<S>::PrepareRoot() {
  const std::span<Node> children = tree_.Children(tree_.root());
  for (std::size_t i = 0; i < children.size(); ++i) root_priors_[i] = children[i].prior;
  if (tree_.root().is_proven()) return;  // it is played out
  if (course_.uses_gumbel) {
    gumbel_.Begin(children, {RootPriors(), static_cast<double>(root_network_value_.value())},
                  {.visits = static_cast<int>(course_.target_visits), .draws = course_.explores},
                  rng_);
    return;
  }
  if (!course_.explores) return;
  const std::span<float> priors(priors_.data(), children.size());
  std::ranges::copy(RootPriors(), priors.begin());
  AddExploration(priors);
  for (std::size_t i = 0; i < children.size(); ++i) children[i].prior = priors[i];
}

// Raw priors become those of a self-play root.
template <GameState S>
void Search<S>::AddExploration(std::span<float> priors) {
  if (options_.root_temperature != 1.0f) ApplyRootTemperature(priors, options_.root_temperature);
  if (options_.noise_fraction == 0.0f) return;
  std::array<double, kMaxLegal> scratch;
  AddRootNoise(priors,
               {.fraction = options_.noise_fraction,
                .total = options_.noise_total,
                .shaped = options_.noise_shaped},
               rng_, std::span(scratch.data(), priors.size()));
}

template <GameState S>
float Search<S>::RootValue(int proven) const {
  if (proven != kNotProven) return static_cast<float>(proven);
  const Node& root = tree_.root();
  return static_cast<float>(InViewOf(root_state_.ToMove(), InViewOf(root.mover(), root.mean())));
}

// What the policy target weighs the children by: visits, without those that exploration alone gave,
// or the improved policy of a Gumbel root.
template <GameState S>
void Search<S>::RootWeights(std::span<double> weights) const {
  const auto children = RootChildren();
  if (course_.uses_gumbel) {
    ImprovedPolicy(children, gumbel_.knowledge(), options_.gumbel, weights);
  } else if (course_.explores && options_.target_pruning && ProvenAtRoot() == kNotProven) {
    PrunedVisits(children,
                 {.exploration = Exploration(kRootNode),
                  .forced_playouts = options_.forced_playouts,
                  .limit = options_.prune_limit},
                 weights);
  } else {
    VisitsOf(children, weights);
  }
}

template <GameState S>
SearchReport Search<S>::Report() const {
  AZ_CHECK(has_root_ && tree_.root().is_expanded()) << "the root was not evaluated";
  const int proven = ProvenAtRoot();
  const auto children = RootChildren();
  SearchReport report;
  for (std::size_t i = 0; i < children.size(); ++i) {
    const Node& child = children[i];
    if (child.visits > 0) report.visits.emplace_back(child.action, child.visits);
    report.prior.push_back({child.action, root_priors_[i]});
  }
  std::sort(report.visits.begin(), report.visits.end());
  std::ranges::sort(report.prior, {}, &PolicyTarget::action);
  std::array<double, kMaxLegal> buffer;
  const std::span<double> weights(buffer.data(), children.size());
  RootWeights(weights);
  report.target = MakePolicyTarget(children, {weights, RootPriors()}, proven);
  report.root_value = RootValue(proven);
  report.network_value = root_network_value_;
  report.proven = proven;
  for (const Node* node = &tree_.root(); node->is_expanded();) {
    const auto below = tree_.Children(*node);
    node = &below[static_cast<std::size_t>(BestChild(below, ProvenForChooser(*node, below)))];
    if (node->visits == 0) break;
    report.principal_variation.push_back(node->action);
  }
  report.simulations = simulations_;
  report.rows = rows_;
  report.cache_hits = cache_hits_;
  report.ran_out_of_nodes = ran_out_of_nodes_;
  return report;
}

template <GameState S>
Action Search<S>::ChooseMove(float temperature, Rng& rng) const {
  AZ_CHECK(has_root_ && tree_.root().is_expanded()) << "the root was not evaluated";
  const auto children = RootChildren();
  const int proven = ProvenAtRoot();
  std::array<double, kMaxLegal> buffer;
  const std::span<double> weights(buffer.data(), children.size());
  int chosen = 0;
  if (!course_.uses_gumbel) {
    RootWeights(weights);
    chosen = DrawChild(children, {weights, RootPriors()}, proven, temperature, rng);
  } else if (temperature > 0.0f) {
    VisitsOf(children, weights);
    chosen = DrawChild(children, {weights, RootPriors()}, proven, temperature, rng);
  } else {
    chosen = gumbel_.Best(children, proven, weights);
  }
  return children[static_cast<std::size_t>(chosen)].action;
}

template <GameState S>
Action Search<S>::DrawFromPolicy(Rng& rng) const {
  AZ_CHECK(has_root_ && tree_.root().is_expanded()) << "the root was not evaluated";
  const auto children = RootChildren();
  std::array<double, kMaxLegal> buffer;
  const std::span<double> priors(buffer.data(), children.size());
  std::ranges::copy(RootPriors(), priors.begin());
  const int drawn = DrawChild(children, {priors, RootPriors()}, ProvenAtRoot(), 1.0f, rng);
  return children[static_cast<std::size_t>(drawn)].action;
}

}  // namespace az
