#pragma once
// PlayerSettings: how a player plays, beside who it is: how long it searches, and every option of
// search.* that means something in a match, under its own key. Read from and printed as text:
// "sims=200&c_puct=2". The command line, the config and the message that names the players to a
// worker all use this text.

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/describe.h"
#include "base/result.h"
#include "engine/players/time_control.h"
#include "mcts/search_options.h"

namespace az {

enum class PlayerKind : std::uint8_t {
  kCheckpoint,  // a trained network, with tree search
  kRandom,      // any legal move
  kMcts,        // tree search with random games for a network
  kSolver,      // perfect play, where the game has a solver
  kGtp,         // another program
};
template <>
struct EnumNames<PlayerKind> {
  static constexpr std::array<std::pair<PlayerKind, std::string_view>, 5> value = {
      {{PlayerKind::kCheckpoint, "checkpoint"},
       {PlayerKind::kRandom, "random"},
       {PlayerKind::kMcts, "mcts"},
       {PlayerKind::kSolver, "solver"},
       {PlayerKind::kGtp, "gtp"}}};
};

// An option of search.* with another value than the run's; its key is without "search.".
struct SearchOverride {
  std::string key;    // "c_puct", "gumbel.max_considered"
  std::string value;  // as the option prints it
  friend bool operator==(const SearchOverride&, const SearchOverride&) = default;
};

struct PlayerSettings {
  Auto<int> sims;            // simulations per move; auto: search.visits, no limit when timed
  float temperature = 0.0f;  // for choosing the move by its visits; 0: the best move
  Auto<double> seconds;      // seconds per move
  std::string clock;         // a TimeControl's text; empty: no clock
  Auto<double> timeout;      // seconds for an answer; gtp only
  std::vector<SearchOverride> search;  // in the order of the options

  bool is_timed() const { return seconds.has_value() || !clock.empty(); }
  // The clock as a value. REQUIRES: ParsePlayerSettings has read it, and it is not empty.
  TimeControl time_control() const;
  friend bool operator==(const PlayerSettings&, const PlayerSettings&) = default;
};

// Reads "key=value&key=value" for a player of that kind. A key is one of sims, gumbel (1: a Gumbel
// root, 0: a PUCT root), temperature, seconds, clock, timeout, or an option of search.* with or
// without that prefix. Fails with kInvalid, the message being the fault alone, for an unknown key
// (naming the likely one), a key that means nothing to that kind or to a single player, a key that
// comes twice, and a value that its option refuses.
Result<PlayerSettings> ParsePlayerSettings(PlayerKind kind, std::string_view text);

// The settings that are not at their default, as text that reads back as the same settings.
std::string ToString(const PlayerSettings& settings);

// The search's options that differ from their defaults and that a single player of a match can
// have, without the number of simulations. The text reads back as settings: "root=gumbel&c_puct=2".
std::string SearchText(const SearchOptions& search);

// The run's search with the player's settings over it, and the simulations per move. Fails with
// kInvalid when the settings contradict each other or the run's ("gumbel.full = true needs root =
// gumbel or auto").
struct PlayerSearch {
  SearchOptions options;
  int visits = 0;  // the most simulations per move
};
Result<PlayerSearch> SearchFor(const PlayerSettings& settings, const SearchOptions& run,
                               int run_visits);

// The most simulations of a timed search that has no number of its own.
inline constexpr int kMostTimedVisits = 1'000'000;
// The size of that search's tree; the search ends when it is full.
inline constexpr Bytes kTimedTree = MiB(128);

// For memory plans: the largest size of the tree of a player of this kind, in a game with so many
// actions. 0: it has no tree. Fails as SearchFor does.
Result<Bytes> TreeBytes(PlayerKind kind, const PlayerSettings& settings, const SearchOptions& run,
                        int num_actions);

}  // namespace az
