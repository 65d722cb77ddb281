#pragma once
// PhasePlayer: a player of a phase as a worker's slots need it, read from the message once.

#include <cstdint>
#include <vector>

#include "base/result.h"
#include "engine/players/player_settings.h"
#include "engine/process/messages.h"
#include "games/game.h"

namespace az {

struct PhasePlayer {
  PlayerMessage message;
  PlayerSettings settings;
  SearchOptions search;  // the run's with the player's settings over them
  int visits = 0;        // at most so many simulations a move
};

// Reads and checks the players. kInvalid: more or fewer than the phase's kind needs, a model slot
// that does not exist, settings that cannot be read or contradict each other.
Result<std::vector<PhasePlayer>> ReadPhasePlayers(const PhaseMessage& phase,
                                                  const SearchOptions& run);

// Positions that a solver may look at for one move; some seconds.
inline constexpr std::uint64_t kSolverPositions = 20'000'000;

// How many games a worker with so many slots plays at a time. One when a player thinks by time:
// seconds are worth something only while nobody else uses the thread. With a program few: each game
// has a process of it.
inline constexpr int kProgramSlots = 2;
int OpenGames(const std::vector<PhasePlayer>& players, int slots);

}  // namespace az
