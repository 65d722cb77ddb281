#pragma once
// How many simulations a full search of self-play has as the run goes on (self_play.first_visits;
// docs/learning.md). Used by the workers, game by game. Nothing of matches, yardstick or play.

#include <cstdint>
#include <string>
#include <vector>

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
// same number wherever and whenever it is played or goes on, while the schedule stays: the
// iteration is that of its id.
int VisitsOfIteration(const VisitsSchedule& schedule, std::uint32_t iteration);

// `sets` (--set) for what reads a run's config to play with its network: behind others that turn
// the run's rise off, which could begin above the visits that are asked for here.
std::vector<std::string> WithoutVisitsSchedule(const std::vector<std::string>& sets);

}  // namespace az
