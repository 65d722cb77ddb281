#pragma once
// VisitsSchedule: how the simulations of a full search in self-play rise during a run
// (self_play.first_visits; docs/learning.md). Workers ask it for each game. Matches, the yardstick
// and az_play do not use it.

#include <cstdint>
#include <string>
#include <vector>

namespace az {

struct RunConfig;

struct VisitsSchedule {
  int first = 0;                // in iteration 0; 1 to `full`
  int full = 0;                 // search.visits
  std::uint32_t full_from = 0;  // the first iteration with `full`; 0: every iteration has it
};

// The schedule of a config; with first_visits = auto every iteration has search.visits. REQUIRES:
// the config is valid.
VisitsSchedule VisitsScheduleOf(const RunConfig& config);

// first + floor((full - first) min(iteration, full_from) / full_from), with the iteration of the
// game's id. Pure, so that a game has the same number of simulations wherever it is played or
// resumed, as long as the schedule is the same.
int VisitsOfIteration(const VisitsSchedule& schedule, std::uint32_t iteration);

// `sets` (values of --set) for programs that read a run's config to play with its network, preceded
// by values that turn off the run's schedule: it could begin above the visits that `sets` ask for.
std::vector<std::string> WithoutVisitsSchedule(const std::vector<std::string>& sets);

}  // namespace az
