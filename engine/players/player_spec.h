#pragma once
// PlayerSpec: who plays, as people write it on command lines and in configs. Works on text alone;
// player_source.h looks for the files.
//
//   runs/x, runs/x/best, runs/x@iter=12, runs/x/checkpoints/iter_000012, some/weights.safetensors
//   random    mcts:sims=1000    solver    gtp:COMMAND
//   each may have settings: runs/x?sims=200&gumbel=1    (player_settings.h)
//
// The settings begin at the last '?' that is followed by "key=" or by nothing. So a path or command
// that has such a '?' itself needs another one at its end.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "engine/players/player_settings.h"
#include "games/game_ops.h"

namespace az {

struct PlayerSpec {
  std::string text;  // as it was written
  PlayerKind kind = PlayerKind::kRandom;
  std::string source;                      // checkpoint: its path; gtp: the command; else empty
  std::optional<std::uint32_t> iteration;  // checkpoint: the iteration of the run at `source`
  PlayerSettings settings;
};

inline constexpr std::size_t kMaxPlayerText = 4096;

// Reads a player's text. Fails with kInvalid when it is empty or longer than kMaxPlayerText, has a
// control character, or its settings have a fault. The message names the player, the fault and what
// would be right.
Result<PlayerSpec> ParsePlayer(std::string_view text);

// The canonical text of a player: settings in their fixed order, without those at their default. It
// parses to the same player, and all texts of one player have the same ToString.
std::string ToString(const PlayerSpec& spec);

// Checks that such a player can play that game. Fails with kInvalid for a solver in a game that has
// none, listing the games that do. Checkpoints are checked by their files (player_source.h).
Result<void> CheckPlayerFor(const PlayerSpec& spec, const GameInfo& game);

}  // namespace az
