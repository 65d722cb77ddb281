#pragma once
// What a worker has done since it started; sent to the supervisor as WorkerStatsMessage.

#include <cstdint>

#include "engine/worker/search_tally.h"

namespace az {

struct WorkerStats {
  std::uint64_t simulations = 0;
  std::uint64_t rows = 0;  // evaluations asked of the server and answered
  std::uint64_t moves = 0;
  std::uint64_t searched_moves = 0;  // of these; others are random, forced, or of other players
  std::uint64_t games_finished = 0;
  std::uint64_t failed_games = 0;
  std::uint64_t proven_roots = 0;
  std::uint64_t bad_rows = 0;        // answers that no search can use
  std::uint64_t resign_audited = 0;  // games played on although a side would have resigned
  std::uint64_t resign_errors = 0;   // of these, that side did not lose
  std::uint64_t proven_errors = 0;   // games that ended otherwise than was proven
  SearchTally self_play{};           // of its searches
};

}  // namespace az
