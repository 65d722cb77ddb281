#pragma once
// YardstickMeasure: everything an exact solver can say about a trained player: the value of every
// first move, mistakes on judged positions, games against perfect play. It asks the player in
// batches, so that many questions can share one forward of the network.

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "base/result.h"
#include "games/game_ops.h"
#include "games/solvers/exact_opponent.h"
#include "games/solvers/opening_values.h"
#include "games/solvers/yardstick.h"

namespace az {

enum class Thinking : std::uint8_t {
  kRawPolicy,  // the network alone: its most likely move
  kSearch,     // the best move of the search that is measured
};
struct PlayerAnswer {
  Action move{};
  double raw_value = 0;  // the network's, for the side to move; with kRawPolicy only
};
// Answers the given running positions, in order. A position is given by the actions that lead to
// it.
using AskPlayer = std::function<Result<std::vector<PlayerAnswer>>(
    std::span<const std::vector<Action>> positions, Thinking thinking)>;

struct MeasureOptions {
  int positions = 200;     // judged positions wanted; fewer where there are fewer
  int games = 2;           // from each opening, for each side that must not lose; 0: none
  std::uint64_t seed = 1;  // for the positions and the opponent's draws
};

// The raw value head right after a first move.
struct OpeningAnswer {
  OpeningValue opening;
  double raw_value = 0;  // for the side to move
  // How far the raw value is on the right side: of 0 for a won or lost opening, within (-1/3, 1/3)
  // for a drawn one. Negative: it is wrong.
  double margin() const;
};

struct GamesScore {
  int games = 0;
  int held = 0;              // games that ended with the start's value for the player, or better
  int held_by_side[2] = {};  // first, second
  int by_side[2] = {};
  bool from_openings = true;  // false: from judged positions that are won
  int guesses = 0;            // replies that the solver could not judge, so any move was played
};

struct YardstickReport {
  std::vector<OpeningAnswer> openings;
  std::vector<ClassScore> raw;     // mistakes of the raw policy
  std::vector<ClassScore> search;  // mistakes of the search
  GamesScore games;

  int openings_right() const;
  double smallest_margin() const;  // 0 without openings
  // Whether every opening's raw value is on the right side and every game was held against an
  // opponent that never had to guess. REQUIRES: games were asked for.
  bool is_perfect() const;
};

// Thread-compatible.
class YardstickMeasure {
 public:
  // Judges the positions, which takes seconds. Fails with kNotFound for a game without a solver.
  // `game` outlives the measure.
  static Result<YardstickMeasure> Create(const GameOps& game, const MeasureOptions& options);

  // Asks the same questions in the same order as long as the answers are the same. Fails as `ask`
  // and the solver do.
  Result<YardstickReport> Measure(const AskPlayer& ask);

  const std::vector<YardstickPosition>& positions() const { return positions_; }

 private:
  struct Start;
  struct OpenGame;
  YardstickMeasure(const GameOps& game, const MeasureOptions& options,
                   std::unique_ptr<Solver> solver);
  std::vector<Start> Starts() const;
  Result<std::vector<OpenGame>> SetUpGames() const;
  Result<void> LetOpponentsMove(std::vector<OpenGame>& games);
  Result<GamesScore> PlayGames(const AskPlayer& ask);

  const GameOps* game_;
  MeasureOptions options_;
  std::unique_ptr<Solver> solver_;
  std::unique_ptr<ExactOpponent> opponent_;  // keeps what it learned; refers to *solver_
  std::vector<OpeningValue> openings_;
  std::vector<YardstickPosition> positions_;
};

}  // namespace az
