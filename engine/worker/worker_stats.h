#pragma once
// What a worker has done since it started; sent to the supervisor as WorkerStatsMessage.

#include <cstdint>

namespace az {

struct WorkerStats {
  std::uint64_t simulations = 0;
  std::uint64_t rows = 0;  // evaluations asked of the server and answered
  std::uint64_t moves = 0;
  std::uint64_t games_finished = 0;
  std::uint64_t failed_games = 0;
  std::uint64_t proven_roots = 0;
};

}  // namespace az
