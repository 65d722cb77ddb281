#pragma once
// A training run of a tiny game in one process, of the real parts: worker, search, shared segment,
// inference server and runner, journal, replay, learner, checkpoints, publication. Only the
// supervisor's part is played by the test.

#include <cstdint>
#include <span>
#include <string_view>

#include "base/result.h"
#include "tests/learning/exact_positions.h"
#include "tests/learning/faults.h"
#include "tests/learning/judge.h"

namespace az {

struct LearningSetup {
  std::string_view game = "tic_tac_toe";  // or "hex3"
  std::uint64_t seed = 1;
  Fault fault = Fault::kNone;  // ends: of tic-tac-toe only
  int iterations = 16;
  std::uint32_t games = 200;  // of an iteration
  int judged_visits = 16;     // simulations of the search that is judged
};

// Trains, then judges what the server answers. `positions`: the whole game's. Blocks for seconds.
Result<LearningReport> LearnAndJudge(const LearningSetup& setup,
                                     std::span<const ExactPosition> positions);

}  // namespace az
