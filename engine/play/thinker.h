#pragma once
// Thinker: a player that is asked for one position after the other and says what it found out. What
// the terminal, GTP and tests see of a player; who evaluates is the implementation's business.

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "games/game.h"
#include "games/game_ops.h"

namespace az {

struct ThinkLimits {
  // Whichever comes first. With neither, as many simulations as the player makes a move; with time
  // alone, as many as the time and kMostSimulations allow.
  std::optional<int> simulations;
  std::optional<Duration> time;
  // Asked between batches of leaves; false ends the search, with what it has. May be empty.
  std::function<bool()> goes_on;
  Duration progress_every = std::chrono::milliseconds(100);
};
// Of one search; bounds its tree.
inline constexpr int kMostSimulations = 100'000;

// Values are in the view of the side to move in the position that was asked for, from -1 lost to +1
// won.
struct MoveInfo {
  Action action{};
  std::uint32_t visits = 0;
  float prior = 0.0f;  // the network's share, 0 to 1
  double value = 0.0;
  std::optional<int> proven;      // -1, 0 or +1
  std::vector<Action> variation;  // begins with `action`
};

struct Thought {
  Action best{};
  double value = 0.0;
  std::optional<int> proven;  // of the position, for the side to move
  // What the network says without a search; a player without one says 0 and all moves alike. No
  // value where a proof was kept from an earlier search of the game.
  std::optional<double> raw_value = 0.0;
  std::vector<float> raw_policy;  // by legal action, rising; sum 1
  // Those visited (a solver's: all it solved), by falling visits, and `best`, which has no visit
  // where all others were found to lose. With a player of probabilities `best` need not be the
  // first.
  std::vector<MoveInfo> moves;
  std::uint32_t simulations = 0;  // made for this answer
  std::uint32_t rows = 0;         // of them, evaluated by the network
  double seconds = 0.0;
};

// Called every ThinkLimits::progress_every with what is known by then; false ends the search.
using OnProgress = std::function<bool(const Thought&)>;

// Confined to one thread.
class Thinker {
 public:
  virtual ~Thinker() = default;

  // A game begins: earlier ones are forgotten. kInvalid: a start that the game does not have.
  virtual Result<void> NewGame(const StartOptions& start) = 0;

  // Blocks until the limits are reached. `moves_from_start`: of the current game; what the last
  // call found out is used again where this game goes on from it. The same calls give the same
  // answers when simulations alone limit them. Fails: kInvalid (an illegal move, naming the ply;
  // the game is over), and what evaluating positions may fail with. `on_progress` may be empty.
  virtual Result<Thought> Think(std::span<const Action> moves_from_start, const ThinkLimits& limits,
                                const OnProgress& on_progress) = 0;

  // To be called a few times a second while nothing else is: lets a player of several processes
  // look after them. Does not block. An error ends the player: every later call fails.
  virtual Result<void> Idle() { return {}; }
};

}  // namespace az
