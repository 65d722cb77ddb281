#pragma once
// What a player may be told beside who it is: how long it searches, and every option of search.*
// that means something in a match, under its own key. Text both ways: "sims=200&c_puct=2". The
// command line, the config and the message that tells a worker its players all use this text.

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

// An option of search.*, by its key without "search.", at another value than the run's.
struct SearchOverride {
  std::string key;    // "c_puct", "gumbel.max_considered"
  std::string value;  // as the option prints it
  friend bool operator==(const SearchOverride&, const SearchOverride&) = default;
};

struct PlayerSettings {
  Auto<int> sims;            // simulations a move; auto: search.visits; without a limit when timed
  float temperature = 0.0f;  // of the choice of the move, by visits; 0: the best
  Auto<double> seconds;      // a move
  std::string clock;         // a TimeControl; empty: none
  Auto<double> timeout;      // gtp: seconds for an answer
  std::vector<SearchOverride> search;  // in the order of the options

  bool is_timed() const { return seconds.has_value() || !clock.empty(); }
  // REQUIRES: !clock.empty(), as ParsePlayerSettings left it.
  TimeControl time_control() const;
  friend bool operator==(const PlayerSettings&, const PlayerSettings&) = default;
};

// Reads "key=value&key=value" for a player of that kind. A key is one of sims, gumbel (1: a Gumbel
// root, 0: PUCT's), temperature, seconds, clock, timeout, or an option of search.* with or without
// that prefix. kInvalid, with the fault alone: an unknown key (with the likely one), one that means
// nothing to that kind or to a single player, a key twice, a value that its option refuses.
Result<PlayerSettings> ParsePlayerSettings(PlayerKind kind, std::string_view text);

// The settings that are not at their default, as text that reads back as the same.
std::string ToString(const PlayerSettings& settings);

// The options of a search that a player of a match can have of his own and that are away from their
// defaults, but for its simulations: "root=gumbel&c_puct=2"; the settings that make it.
std::string SearchText(const SearchOptions& search);

// The run's search with the player's settings over it, and its simulations a move. kInvalid when
// they contradict each other, or the run's ("gumbel.full = true needs root = gumbel or auto").
struct PlayerSearch {
  SearchOptions options;
  int visits = 0;  // at most so many simulations a move
};
Result<PlayerSearch> SearchFor(const PlayerSettings& settings, const SearchOptions& run,
                               int run_visits);

// Simulations of a timed search that was given no number.
inline constexpr int kMostTimedVisits = 1'000'000;
// Bytes of its tree then; the search ends when it is full.
inline constexpr Bytes kTimedTree = MiB(128);

// For memory plans: the most that the tree of a player of this kind can take, in a game of so many
// actions. 0: it has none. Fails as SearchFor.
Result<Bytes> TreeBytes(PlayerKind kind, const PlayerSettings& settings, const SearchOptions& run,
                        int num_actions);

}  // namespace az
