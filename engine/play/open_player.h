#pragma once
// Turns a player's text into a player that plays: finds its files, agrees on the game, starts its
// processes.

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "engine/config/run_config.h"
#include "engine/play/play_service.h"
#include "engine/play/position_pool.h"
#include "engine/play/thinker.h"
#include "engine/players/player_source.h"
#include "engine/players/player_spec.h"
#include "games/game_ops.h"

namespace az {

struct PlayerRequest {
  std::string player;  // engine/players/player_spec.h
  std::string game;    // family or entry; empty: a checkpoint's own
  int board_size = 0;  // 0: the family's default, or a checkpoint's own
};

// Which of a player's settings `seconds` and `clock` a program obeys.
enum class TimeKept : std::uint8_t {
  kNone,     // neither: answers depend on simulations alone, and so are repeatable
  kSeconds,  // the seconds of a move, as a thinker of OpenThinker does
  kClock,    // both
};

// What all players of a program have in common.
struct PlayEnvironment {
  std::vector<std::string> sets;    // key=value, over the config of a checkpoint's run
  std::filesystem::path programs;   // the folder of az_device
  TimeKept time = TimeKept::kNone;  // players with other time settings are refused
  std::uint64_t seed = 0;           // for the random choices of thinkers
  std::function<void(int)> on_signal =
      {};  // called for a signal that ends the program; may be empty
};

// Fails with kInvalid when the player has a time setting that the program does not obey, with or
// without a number of simulations.
Result<void> CheckTime(const PlayerSpec& spec, TimeKept kept);

struct ResolvedPlayer {
  PlayerSpec spec;
  const GameOps* game = nullptr;       // never null
  std::optional<PlayerSource> source;  // a checkpoint's files
  RunConfig config;                    // the run's config, or the default one
  PlayerSearch search;                 // a checkpoint's; for mcts only its simulations
};

// Finds the player's files and game, but starts nothing. Errors name the player. Fails with
// kInvalid for no player, no game where one is needed, a GTP program (it only says its move), and a
// player that CheckTime refuses; also as FindPlayer, FindGame and CheckPlayerFor do.
Result<ResolvedPlayer> ResolvePlayer(const PlayerRequest& request,
                                     const PlayEnvironment& environment);

// Opens a player for one game at a time. Its setting `seconds` limits a Think without limits, and
// `sims` ends a search too, also one with a time. For a checkpoint it starts the inference server,
// which takes a second or two. The calling thread must be the process's only one.
Result<std::unique_ptr<Thinker>> OpenThinker(const ResolvedPlayer& player,
                                             const PlayEnvironment& environment);

// A player for many positions at a time, resolved with TimeKept::kNone.
struct OpenedPool {
  std::unique_ptr<PlayService> service;  // null for players without a network; outlives the pool
  std::unique_ptr<PositionPool> pool;
};
Result<OpenedPool> OpenPoolOf(const ResolvedPlayer& player, const PlayEnvironment& environment);

}  // namespace az
