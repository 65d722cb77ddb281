#pragma once
// SearchReport: what a search found out about its root. For journals, training targets, displays.

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "games/game.h"

namespace az {

inline constexpr int kNotProven = 2;  // beside -1 lost, 0 drawn, +1 won

struct PolicyTarget {
  Action action{};
  float weight = 0.0f;
};

// Values are in the view of the root's side to move.
struct SearchReport {
  std::vector<std::pair<Action, std::uint32_t>> visits;  // visited children, by rising action
  std::vector<PolicyTarget> target;                      // weights > 0, sum 1, by rising action
  // The network's, without noise and temperature, by rising action.
  std::vector<PolicyTarget> prior;
  float root_value = 0.0f;  // mean over all simulations; exact when proven
  // The network's own value of the root. nullopt: the root was kept from a search before, with a
  // proof in its place.
  std::optional<float> network_value;
  int proven = kNotProven;
  std::vector<Action> principal_variation;
  std::uint32_t simulations = 0;  // made by this search, without visits kept from the one before
  std::uint32_t rows = 0;         // evaluations asked for and answered
  std::uint32_t cache_hits = 0;
  bool ran_out_of_nodes = false;  // ended early because the tree's arena was full
};

}  // namespace az
