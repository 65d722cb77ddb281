#pragma once
// Turns az_arena's request into everything a tournament needs: the players and their files, the
// game, and the config that its processes run with.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "engine/arena/openings.h"
#include "engine/arena/tournament.h"
#include "engine/config/run_config.h"
#include "engine/memory/match_needs.h"
#include "engine/players/player_source.h"
#include "engine/players/player_spec.h"
#include "engine/tournament/arena_identity.h"
#include "games/game_ops.h"

namespace az {

// The request as it stands on the command line. Empty or 0: not given.
struct ArenaRequest {
  std::vector<std::string> players;
  TournamentFormat format = TournamentFormat::kRoundRobin;
  std::int64_t games = 0;  // per match; rounded up to whole pairs
  std::string openings = "plies=2";
  std::string sprt;  // as ParseSprt reads it
  std::string game;  // required when no player implies it
  int board_size = 0;
  std::string config;  // its search, engine and memory options are used
  std::vector<std::string> sets;
  int sims = 0;        // for players without their own
  double seconds = 0;  // for players without their own
  std::string out;
  std::string mode;  // where the networks run: gpu, cpu or auto; empty: the config's arena.mode
  std::string budget;
  std::uint64_t seed = 1;
  int workers = 0;
};

struct ArenaPlayer {
  PlayerSpec spec;
  std::optional<PlayerSource> source;  // a checkpoint's files
};

struct ArenaSetup {
  RunConfig config;  // the config of the folder that the tournament is played in
  const GameOps* game = nullptr;
  std::vector<ArenaPlayer> players;
  OpeningBook openings;
  std::optional<Sprt> sprt;
  ArenaIdentity identity;
  bool has_network = false;  // some player has a network
  MatchNeeds needs;          // its nets are the players' networks except the one in config.net
};

// Reads the players' weights files, the config and the openings; writes nothing. Fails with
// kInvalid, naming the fault of the command, with kIncompatible for players of different games, and
// as FindPlayer, LoadConfig and ReadOpenings do.
Result<ArenaSetup> SetUpArena(const ArenaRequest& request);

// The number of simulations to plan with, so that a player's tree is billed as large as it can
// become and no larger. `run` has the options by which the plan turns simulations into bytes: those
// of a node, and whether parts of the tree are kept from move to move. 0: the player has no tree.
// Fails as SearchFor does.
Result<int> BilledVisits(const PlayerSpec& spec, const SearchOptions& run, int num_actions);

// Reads "elo0=0,elo1=10,alpha=0.05,beta=0.05", in any order, each at most once; alpha and beta are
// optional. Fails with kInvalid.
Result<Sprt> ParseSprt(std::string_view text);

}  // namespace az
