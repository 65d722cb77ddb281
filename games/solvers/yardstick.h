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

// How much of a game has been played, against the mean length of random games.
enum class GameStage : std::uint8_t { kEarly, kMiddle, kLate };  // thirds; kLate has no end
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
  int value = 0;  // under best play, for the side to move
  int num_legal = 0;
  std::vector<Action> keeping;  // the moves that keep the value, rising
};

struct YardstickOptions {
  int positions = 200;     // as many as there are; no class gets more than half of them
  std::uint64_t seed = 1;  // same seed, same positions
  int first_ply = 0;       // positions before it are too far from the end for the solver
};

// Positions of games in which half of the moves are random and half keep the value. Fails as the
// solver does.
Result<std::vector<YardstickPosition>> MakeYardstick(const GameOps& game, Solver& solver,
                                                     const YardstickOptions& options);

// Names a move in `position`, which `actions` led to.
using ChooseMove =
    std::function<Result<Action>(const Position& position, std::span<const Action> actions)>;

struct ClassScore {
  YardstickClass in_class;
  int positions = 0;
  int mistakes = 0;
  double random_mistakes = 0;  // that a player of uniformly random moves makes on the average
};

// By class, rising; classes without positions are left out. kInvalid: an illegal move of the
// player.
Result<std::vector<ClassScore>> ScoreMistakes(const GameOps& game,
                                              std::span<const YardstickPosition> positions,
                                              const ChooseMove& player);

// Of the moves chosen in these positions, one each.
std::vector<ClassScore> CountMistakes(std::span<const YardstickPosition> positions,
                                      std::span<const Action> chosen);
// Of all classes; its own class means nothing.
ClassScore SumOf(std::span<const ClassScore> scores);

struct Conversions {
  int games = 0;
  int won = 0;
};

// Plays the won ones of `positions` to the end against a defender who always leaves the fewest
// moves that still win.
Result<Conversions> ConvertWins(const GameOps& game, Solver& solver,
                                std::span<const YardstickPosition> positions,
                                const ChooseMove& player);

// The first ply from which the entry's solver answers in about a second.
int FirstSolvedPly(std::string_view entry);
// The first ply from which hundreds of positions are judged in a few seconds.
int FirstQuickPly(std::string_view entry);
// The first ply from which it judges every answer to every reply as fast.
int FirstHardPly(std::string_view entry);
// Whether it plays from the first moves on.
bool CanPlayOpenings(std::string_view entry);

}  // namespace az
