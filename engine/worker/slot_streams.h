#pragma once
// The random streams of a game that a slot plays. Each draw depends on the run's seed, the game,
// the ply and its purpose alone. All purposes stand here, so that no two share a stream.

#include <cstdint>

#include "base/rng.h"
#include "engine/data/game_record.h"

namespace az {

enum class PlyStream : std::uint64_t { kSearch = 1, kMove = 2, kDepth = 3 };

inline Rng RngOfPly(std::uint64_t run_seed, GameId game, int ply, PlyStream stream) {
  return Rng(run_seed)
      .Fork(game.packed)
      .Fork(static_cast<std::uint64_t>(ply))
      .Fork(static_cast<std::uint64_t>(stream));
}

// For what is drawn once a game, beside its plies.
inline Rng RngOfCourse(std::uint64_t run_seed, GameId game) {
  return Rng(run_seed).Fork(game.packed).Fork(~std::uint64_t{0});
}

}  // namespace az
