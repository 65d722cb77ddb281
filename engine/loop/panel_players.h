#pragma once
// The players of arena.panel, from their text to what a match needs: read when a run starts, before
// any process does.

#include <cstdint>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "engine/config/run_config.h"
#include "engine/memory/match_needs.h"
#include "engine/players/player_spec.h"
#include "games/game_ops.h"

namespace az {

enum class PanelRole : std::uint8_t {
  kBest,     // the best network itself, with other settings
  kFirst,    // the run's first network
  kEarlier,  // kept checkpoints between the first and the best
  kPlayer,   // of players.md's grammar
};
inline constexpr std::uint32_t kEarlierOpponents = 3;
struct PanelPlayer {
  PanelRole role = PanelRole::kPlayer;
  PlayerSpec spec;       // with the simulations that the config gives those without a limit
  std::string settings;  // as they were given, "?sims=50" or empty: a part of a network's name
  // At most so many opponents.
  std::uint32_t opponents() const { return role == PanelRole::kEarlier ? kEarlierOpponents : 1; }
};
inline constexpr std::uint32_t kMostPanelOpponents = 16;  // of all players together
struct Panel {
  NetShape net;  // that the run plays with
  std::vector<PanelPlayer> players;
  MatchNeeds needs;
};

// Reads arena.panel: "best" (with settings of its own), "first", "earlier", or any player; a pure
// MCTS without a limit has arena.final_mcts_visits simulations, a network arena.visits. Checkpoints
// are looked at. Every message begins "arena.panel = " and names the player. kInvalid: no player,
// one that comes twice, more than kMostPanelOpponents; as CheckPlayerFor, FindPlayer;
// kIncompatible: a checkpoint of another game. REQUIRES: a config that passed Validate.
Result<Panel> ReadPanel(const RunConfig& config);

// Starts each program of the panel once; fails as CheckProgram, with the key and kPanelForms.
Result<void> CheckPanelPrograms(const Panel& panel, const GameOps& game, const Clock& clock);

}  // namespace az
