#pragma once
// Thinker: a player that is asked about one position after the other and reports what it found out.
// The terminal, GTP and tests see a player this way; how positions are evaluated is up to the
// implementation.

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
  // The search ends at the limit that is reached first. With neither it makes the player's usual
  // number of simulations; with a time alone, as many as the time and kMostSimulations allow.
  std::optional<int> simulations;
  std::optional<Duration> time;
  // Called between batches of leaves; returning false ends the search with what it has. May be
  // empty.
  std::function<bool()> goes_on;
  Duration progress_every = std::chrono::milliseconds(100);
};
// The most simulations of one search, which bound its tree.
inline constexpr int kMostSimulations = 100'000;

// A move in a thought. Values go from -1 (lost) to +1 (won), in the view of the side to move in the
// position that was asked about.
struct MoveInfo {
  Action action{};
  std::uint32_t visits = 0;
  float prior = 0.0f;  // the network's share, 0 to 1
  double value = 0.0;
  std::optional<int> proven;      // -1, 0 or +1, if the value is proven
  std::vector<Action> variation;  // begins with `action`
};

struct Thought {
  Action best{};
  double value = 0.0;
  std::optional<int> proven;  // the position's value for the side to move, if it is proven
  // The network's answer without a search; a player without a network has the value 0 and equal
  // probabilities. nullopt where a proof was kept from an earlier search of the game.
  std::optional<double> raw_value = 0.0;
  std::vector<float> raw_policy;  // one number per legal action, rising; their sum is 1
  // The moves that were visited (a solver's: all that it solved), by falling visits, and `best`,
  // which has no visits where all visited moves were found to lose. `best` need not be the first
  // when the player draws its moves at random.
  std::vector<MoveInfo> moves;
  std::uint32_t simulations = 0;  // made for this answer
  std::uint32_t rows = 0;         // those of them that the network evaluated
  double seconds = 0.0;
};

// Called every ThinkLimits::progress_every with what is known so far; returning false ends the
// search.
using OnProgress = std::function<bool(const Thought&)>;

// Confined to one thread.
class Thinker {
 public:
  virtual ~Thinker() = default;

  // Begins a game and forgets earlier ones. Fails with kInvalid for a start that the game does not
  // have.
  virtual Result<void> NewGame(const StartOptions& start) = 0;

  // Thinks about the position after `moves_from_start`. Blocks until the limits are reached. The
  // findings of the last call are reused if the current game continues from it. The same calls give
  // the same answers when only simulations limit them. Fails with kInvalid for an illegal move,
  // naming the ply, and when the game is over, and with the errors of evaluating positions.
  // `on_progress` may be empty.
  virtual Result<Thought> Think(std::span<const Action> moves_from_start, const ThinkLimits& limits,
                                const OnProgress& on_progress) = 0;

  // Lets a player look after its processes; must be called a few times a second while no other call
  // runs. Does not block. An error ends the player: every later call fails.
  virtual Result<void> Idle() { return {}; }
};

}  // namespace az
