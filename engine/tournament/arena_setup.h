#pragma once
// From what az_arena is asked to everything a tournament is played with: the players and their
// files, the game, the config that its processes run with.

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

// As it stands on the command line. Empty and 0: not given.
struct ArenaRequest {
  std::vector<std::string> players;
  TournamentFormat format = TournamentFormat::kRoundRobin;
  std::int64_t games = 0;  // of each match; rounded up to whole pairs
  std::string openings = "plies=2";
  std::string sprt;  // as ParseSprt reads it
  std::string game;  // needed when no player says it
  int board_size = 0;
  std::string config;  // search, engine and memory options
  std::vector<std::string> sets;
  int sims = 0;        // of players that do not say it
  double seconds = 0;  // the same
  std::string out;
  std::string mode;  // where the networks run: gpu, cpu, auto; empty: arena.mode of the config
  std::string budget;
  std::uint64_t seed = 1;
  int workers = 0;
};

struct ArenaPlayer {
  PlayerSpec spec;
  std::optional<PlayerSource> source;  // of a checkpoint
};

struct ArenaSetup {
  RunConfig config;  // of the folder that the tournament is played in
  const GameOps* game = nullptr;
  std::vector<ArenaPlayer> players;
  OpeningBook openings;
  std::optional<Sprt> sprt;
  ArenaIdentity identity;
  bool has_network = false;  // any player
  MatchNeeds needs;          // nets: of the players that have one, but that which is in config.net
};

// Reads the players' weights files, the config and the openings; writes nothing. kInvalid: a fault
// of the command, named; as FindPlayer, LoadConfig and ReadOpenings; kIncompatible: players of
// different games.
Result<ArenaSetup> SetUpArena(const ArenaRequest& request);

// The simulations to plan with, so that a player's tree is billed as large as it can become and no
// larger. `run` says what the plan takes a simulation to be: the bytes of a node, and whether parts
// of the tree are kept from move to move. 0: the player has no tree. Fails as SearchFor.
Result<int> BilledVisits(const PlayerSpec& spec, const SearchOptions& run, int num_actions);

// "elo0=0,elo1=10,alpha=0.05,beta=0.05", in any order, each at most once; alpha and beta may be left
// out. kInvalid.
Result<Sprt> ParseSprt(std::string_view text);

}  // namespace az
