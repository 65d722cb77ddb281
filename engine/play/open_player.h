#pragma once
// From a player's text to one that plays: its files found, its game agreed on, its processes
// started.

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

// What of a player's time a program keeps to, of its settings seconds and clock.
enum class TimeKept : std::uint8_t {
  kNone,     // answers depend on simulations alone, and so are repeatable
  kSeconds,  // those of a move: a thinker of OpenThinker does
  kClock,    // these, and the clock of a game
};

// What holds for all players of a program.
struct PlayEnvironment {
  std::vector<std::string> sets;            // key=value, over the config of a checkpoint's run
  std::filesystem::path programs;           // folder of az_device
  TimeKept time = TimeKept::kNone;          // other players are refused
  std::uint64_t seed = 0;                   // of what a thinker draws
  std::function<void(int)> on_signal = {};  // one that ends the program came; may be empty
};

// kInvalid: the player thinks by a time that is not kept to, with simulations besides or without.
Result<void> CheckTime(const PlayerSpec& spec, TimeKept kept);

struct ResolvedPlayer {
  PlayerSpec spec;
  const GameOps* game = nullptr;       // never null
  std::optional<PlayerSource> source;  // of a checkpoint
  RunConfig config;                    // of its run, or as it is without one
  PlayerSearch search;                 // of a checkpoint; its simulations for mcts
};

// Looks at files, starts nothing. The message names the player. kInvalid: no player, no game where
// one is needed, a GTP program (it says nothing but its move), a player that CheckTime refuses;
// others as FindPlayer, FindGame and CheckPlayerFor.
Result<ResolvedPlayer> ResolvePlayer(const PlayerRequest& request,
                                     const PlayEnvironment& environment);

// A player for one game at a time; `seconds` among its settings limits a Think without limits, and
// `sims` beside a time ends the search too. For a checkpoint the inference server is started, which
// takes a second or two. The calling thread must be the process's only one.
Result<std::unique_ptr<Thinker>> OpenThinker(const ResolvedPlayer& player,
                                             const PlayEnvironment& environment);

// A player for many positions at a time, that was resolved where no time is kept.
struct OpenedPool {
  std::unique_ptr<PlayService> service;  // null where no network plays; outlives the pool
  std::unique_ptr<PositionPool> pool;
};
Result<OpenedPool> OpenPoolOf(const ResolvedPlayer& player, const PlayEnvironment& environment);

}  // namespace az
