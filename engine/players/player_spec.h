#pragma once
// PlayerSpec: who plays, as people write it on command lines and in configs. Pure text, no file is
// looked at (player_source.h does that).
//
//   runs/x, runs/x/best, runs/x@iter=12, runs/x/checkpoints/iter_000012, some/weights.safetensors
//   random    mcts:sims=1000    solver    gtp:COMMAND
//   each with settings behind: runs/x?sims=200&gumbel=1    (player_settings.h)
//
// The settings begin at the last '?' with "key=" or nothing after it; so a path or a command that
// has such a '?' of its own ends in one more.

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
  std::optional<std::uint32_t> iteration;  // checkpoint: of the run at `source`
  PlayerSettings settings;
};

inline constexpr std::size_t kMaxPlayerText = 4096;

// kInvalid: empty or longer than kMaxPlayerText, a control character, a fault of the settings. The
// message names the player, what is wrong with it and what would do.
Result<PlayerSpec> ParsePlayer(std::string_view text);

// The one text of a player: settings in their order, those at their default left out. Parses to the
// same player; two texts of one player have one ToString.
std::string ToString(const PlayerSpec& spec);

// Whether such a player can play that game: a solver needs one (kInvalid lists the games that have
// it). Checkpoints are checked by their files (player_source.h).
Result<void> CheckPlayerFor(const PlayerSpec& spec, const GameInfo& game);

}  // namespace az
