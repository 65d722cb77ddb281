#pragma once
// YardstickMeasure: everything an exact solver can say of a trained player, asked for in batches so
// that whoever answers may share its rows: the value of every first move, mistakes on judged
// positions, games against perfect play.

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
  kRawPolicy,  // the network alone: its likeliest move
  kSearch,     // the move after the search that is measured, the best of it
};
struct PlayerAnswer {
  Action move{};
  double raw_value = 0;  // the network's, for the side to move; of kRawPolicy alone
};
// Answers running positions, each given by the actions that lead to it, in their order.
using AskPlayer = std::function<Result<std::vector<PlayerAnswer>>(
    std::span<const std::vector<Action>> positions, Thinking thinking)>;

struct MeasureOptions {
  int positions = 200;     // judged ones; as many as there are
  int games = 2;           // from each opening as each side that must not lose; 0: none
  std::uint64_t seed = 1;  // of positions and of the opponent's draws
};

// The raw value head right after a first move.
struct OpeningAnswer {
  OpeningValue opening;
  double raw_value = 0;  // for the side to move
  // How far the value is on the right side: of 0 for a won or lost opening, inside (-1/3, 1/3) for
  // a drawn one.
  double margin() const;
};

struct GamesScore {
  int games = 0;
  int held = 0;              // ended at what the start was worth for the player, or better
  int held_by_side[2] = {};  // first, second
  int by_side[2] = {};
  bool from_openings = true;  // otherwise from won judged positions
  int guesses = 0;            // replies that the solver could not judge, and that were any move
};

struct YardstickReport {
  std::vector<OpeningAnswer> openings;
  std::vector<ClassScore> raw;     // mistakes of the raw policy
  std::vector<ClassScore> search;  // of the search
  GamesScore games;

  int openings_right() const;
  double smallest_margin() const;  // 0 without openings
  // Every opening's value on its side and no game lost. REQUIRES: games were asked for.
  bool is_perfect() const;
};

// Thread-compatible.
class YardstickMeasure {
 public:
  // Judges the positions, which takes seconds. kNotFound: a game without a solver. `game` outlives
  // it.
  static Result<YardstickMeasure> Create(const GameOps& game, const MeasureOptions& options);

  // The same questions in the same order for the same answers. Fails as `ask` and the solver do.
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
