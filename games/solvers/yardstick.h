#pragma once
// Yardstick: positions whose every move an exact solver has judged, and how often a player errs on
// them. A mistake is a move that changes the value of the position. Works on any player that can
// name a move; knows no search.

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "games/game_ops.h"
#include "games/solvers/solver.h"

namespace az {

// How much of a game has been played, in thirds of the mean length of random games; kLate also
// holds everything beyond that length.
enum class GameStage : std::uint8_t { kEarly, kMiddle, kLate };
// Whether looking ahead kNearPlies plies is enough to see the value.
enum class EndDistance : std::uint8_t { kNear, kFar };
inline constexpr int kNearPlies = 3;

struct YardstickClass {
  GameStage stage = GameStage::kEarly;
  EndDistance distance = EndDistance::kFar;
  std::string Name() const;  // "early/far"
  friend auto operator<=>(const YardstickClass&, const YardstickClass&) = default;
};

// A running position in which at least one move keeps the value and at least one does not.
struct YardstickPosition {
  std::vector<Action> actions;  // from the game's start
  YardstickClass in_class;
  int value = 0;  // the position's under best play, for the side to move
  int num_legal = 0;
  std::vector<Action> keeping;  // the moves that keep the value, rising
};

struct YardstickOptions {
  // The number wanted; there may be fewer. No class gets more than half of it.
  int positions = 200;
  std::uint64_t seed = 1;  // the same seed gives the same positions
  int first_ply = 0;       // earlier positions are too far from the end for the solver
};

// Collects positions from games in which half of the moves are random and half keep the value.
// Fails as the solver does.
Result<std::vector<YardstickPosition>> MakeYardstick(const GameOps& game, Solver& solver,
                                                     const YardstickOptions& options);

// Returns the player's move in `position`, which `actions` led to.
using ChooseMove =
    std::function<Result<Action>(const Position& position, std::span<const Action> actions)>;

struct ClassScore {
  YardstickClass in_class;
  int positions = 0;
  int mistakes = 0;
  double random_mistakes = 0;  // the mean number that uniformly random moves make
};

// The player's score per class, by rising class; classes without positions are left out. Fails with
// kInvalid when the player makes an illegal move.
Result<std::vector<ClassScore>> ScoreMistakes(const GameOps& game,
                                              std::span<const YardstickPosition> positions,
                                              const ChooseMove& player);

// The score per class of `moves`, one for each of the positions.
std::vector<ClassScore> CountMistakes(std::span<const YardstickPosition> positions,
                                      std::span<const Action> chosen);
// The sum over all classes; its own class means nothing.
ClassScore SumOf(std::span<const ClassScore> scores);

struct Conversions {
  int games = 0;
  int won = 0;
};

// Plays the won positions to the end against a defender who always leaves the fewest moves that
// still win.
Result<Conversions> ConvertWins(const GameOps& game, Solver& solver,
                                std::span<const YardstickPosition> positions,
                                const ChooseMove& player);

// The first ply from which the entry's solver answers in about a second.
int FirstSolvedPly(std::string_view entry);
// The first ply from which hundreds of positions are judged in a few seconds.
int FirstQuickPly(std::string_view entry);
// The first ply from which it is as fast at judging every answer to every reply.
int FirstHardPly(std::string_view entry);
// Whether the entry's solver can play from the first moves on.
bool CanPlayOpenings(std::string_view entry);

}  // namespace az
