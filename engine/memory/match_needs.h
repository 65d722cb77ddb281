#pragma once
// What the players of matches need of a memory plan beside what the config says: one way for the
// panel of a run and for a tournament.

#include <algorithm>
#include <vector>

#include "base/bytes.h"
#include "scheduler/plan_input.h"

namespace az {

// The least; 0: nothing.
struct MatchNeeds {
  std::vector<NetShape> nets;  // as PlanInput::match_nets
  int visits = 0;              // as PlanWishes::arena_visits
  int rollout_visits = 0;
  Bytes timed_tree;    // as PlanWishes::timed_tree
  bool alone = false;  // as PlanWishes::matches_alone
};

inline void AddNeeds(const MatchNeeds& needs, PlanInput& input) {
  input.match_nets = needs.nets;
  PlanWishes& wishes = input.wishes;
  wishes.arena_visits = std::max(wishes.arena_visits, needs.visits);
  wishes.rollout_visits = std::max(wishes.rollout_visits, needs.rollout_visits);
  wishes.timed_tree = std::max(wishes.timed_tree, needs.timed_tree);
  wishes.matches_alone |= needs.alone;
}

}  // namespace az
