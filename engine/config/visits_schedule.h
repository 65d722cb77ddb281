#pragma once
// How many simulations a full search of self-play has as the run goes on (self_play.first_visits;
// docs/learning.md). Used by the workers, game by game. Nothing of matches, yardstick or play.

#include <cstdint>

namespace az {

struct RunConfig;

struct VisitsSchedule {
  int first = 0;                // in iteration 0; 1 to `full`
  int full = 0;                 // search.visits
  std::uint32_t full_from = 0;  // iteration that has them first; 0: all have
};

// With first_visits = auto every iteration has search.visits. REQUIRES: the config is valid.
VisitsSchedule VisitsScheduleOf(const RunConfig& config);

// first + floor((full - first) min(iteration, full_from) / full_from). Pure, so that a game has the
// same number wherever and whenever it is played or goes on: the iteration is that of its id.
int VisitsOfIteration(const VisitsSchedule& schedule, std::uint32_t iteration);

}  // namespace az
