#include "games/solvers/yardstick.h"

#include <algorithm>
#include <array>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <utility>

#include "base/check.h"
#include "base/rng.h"
#include "base/strings.h"
#include "games/solvers/move_judge.h"

namespace az {
namespace {

constexpr int kGamesForLength = 200;
constexpr int kFruitlessGames = 200;  // after so many in a row the classes count as exhausted

Action RandomOf(std::span<const Action> actions, Rng& rng) {
  return actions[static_cast<std::size_t>(rng.Below(actions.size()))];
}

// Applies a legal action.
void Play(Position& position, Action action) {
  const Result<void> applied = position.Apply(action);
  AZ_CHECK(applied.has_value()) << applied.error().message;
}

double MeanPlies(const GameOps& game, Rng rng) {
  int plies = 0;
  for (int i = 0; i < kGamesForLength; ++i) {
    const std::unique_ptr<Position> position = game.Start();
    while (!position->FinalOutcome().has_value()) {
      Play(*position, RandomOf(position->LegalActions(), rng));
      ++plies;
    }
  }
  return static_cast<double>(plies) / kGamesForLength;
}

// What looking `plies` plies ahead tells about the value for the side to move.
struct Bounds {
  int low = -1;
  int high = 1;
};
Bounds LookAhead(const Position& position, int plies) {
  if (const auto outcome = position.FinalOutcome(); outcome.has_value()) {
    const int value = ValueFor(*outcome, position.ToMove());
    return {.low = value, .high = value};
  }
  if (plies == 0) return {};
  Bounds best{.low = -1, .high = -1};
  for (const Action a : position.LegalActions()) {
    const std::unique_ptr<Position> next = position.Clone();
    Play(*next, a);
    Bounds bounds = LookAhead(*next, plies - 1);
    if (next->ToMove() != position.ToMove()) bounds = {.low = -bounds.high, .high = -bounds.low};
    best.low = std::max(best.low, bounds.low);
    best.high = std::max(best.high, bounds.high);
    if (best.low == 1) break;
  }
  return best;
}

GameStage StageOf(std::size_t plies, double mean_plies) {
  const double played = static_cast<double>(plies) / mean_plies;
  return played < 1.0 / 3   ? GameStage::kEarly
         : played < 2.0 / 3 ? GameStage::kMiddle
                            : GameStage::kLate;
}

// Collects positions game by game.
class Collector {
 public:
  Collector(const GameOps& game, Solver& solver, const YardstickOptions& options)
      : game_(game),
        solver_(solver),
        options_(options),
        rng_(Rng(options.seed).Fork(1)),
        mean_plies_(MeanPlies(game, Rng(options.seed).Fork(2))) {}

  std::size_t found() const { return found_.size(); }
  bool Enough() const { return std::ssize(found_) >= options_.positions; }

  Result<void> PlayGame() {
    const std::unique_ptr<Position> position = game_.Start();
    std::vector<Action> actions;
    while (!position->FinalOutcome().has_value() && !Enough()) {
      Action action = RandomOf(position->LegalActions(), rng_);
      if (std::ssize(actions) >= options_.first_ply) {
        AZ_ASSIGN_OR_RETURN(JudgedMoves judged, JudgeMoves(*position, actions, solver_));
        if (rng_.Below(2) == 0) action = RandomOf(judged.keeping, rng_);
        Consider(*position, actions, std::move(judged));
      }
      Play(*position, action);
      actions.push_back(action);
    }
    return {};
  }

  std::vector<YardstickPosition> Take() && { return std::move(found_); }

 private:
  void Consider(const Position& position, const std::vector<Action>& actions, JudgedMoves judged) {
    if (judged.keeping.size() == judged.legal.size()) return;
    const Bounds seen = LookAhead(position, kNearPlies);
    const YardstickClass in_class{
        .stage = StageOf(actions.size(), mean_plies_),
        .distance = seen.low == seen.high ? EndDistance::kNear : EndDistance::kFar};
    int& in_this = counts_[in_class];
    if (2 * in_this >= options_.positions || !seen_.insert(position.Hash()).second) return;
    ++in_this;
    found_.push_back({.actions = actions,
                      .in_class = in_class,
                      .value = judged.value,
                      .num_legal = static_cast<int>(judged.legal.size()),
                      .keeping = std::move(judged.keeping)});
  }

  const GameOps& game_;
  Solver& solver_;
  YardstickOptions options_;
  Rng rng_;
  double mean_plies_;
  std::map<YardstickClass, int> counts_;
  std::set<std::uint64_t> seen_;  // hashes of the positions met
  std::vector<YardstickPosition> found_;
};

// The defender's move: the first of those after which the fewest moves still win.
Result<Action> HardestDefence(const Position& position, std::vector<Action>& actions,
                              Solver& solver) {
  std::optional<std::pair<std::size_t, Action>> best;
  for (const Action a : position.LegalActions()) {
    const std::unique_ptr<Position> next = position.Clone();
    Play(*next, a);
    std::size_t wins = 0;
    actions.push_back(a);
    if (!next->FinalOutcome().has_value()) {
      AZ_ASSIGN_OR_RETURN(const JudgedMoves judged, JudgeMoves(*next, actions, solver));
      wins = judged.value == 1 ? judged.keeping.size() : 0;
    }
    actions.pop_back();
    if (!best.has_value() || wins < best->first) best = {wins, a};
  }
  return best->second;
}

}  // namespace

std::string YardstickClass::Name() const {
  constexpr std::array<std::string_view, 3> kStages = {"early", "middle", "late"};
  return StrCat(kStages[static_cast<std::size_t>(stage)],
                distance == EndDistance::kNear ? "/near" : "/far");
}

Result<std::vector<YardstickPosition>> MakeYardstick(const GameOps& game, Solver& solver,
                                                     const YardstickOptions& options) {
  Collector collector(game, solver, options);
  for (int fruitless = 0; fruitless < kFruitlessGames && !collector.Enough(); ++fruitless) {
    const std::size_t before = collector.found();
    AZ_RETURN_IF_ERROR(collector.PlayGame());
    if (collector.found() > before) fruitless = -1;
  }
  return std::move(collector).Take();
}

Result<std::vector<ClassScore>> ScoreMistakes(const GameOps& game,
                                              std::span<const YardstickPosition> positions,
                                              const ChooseMove& player) {
  std::vector<Action> chosen;
  for (const YardstickPosition& position : positions) {
    AZ_ASSIGN_OR_RETURN(const auto board, game.Replay(position.actions));
    AZ_ASSIGN_OR_RETURN(const Action action, player(*board, position.actions));
    if (!board->IsLegal(action)) {
      return Error{Errc::kInvalid, StrCat("the player chose action ", Index(action),
                                          ", which is not legal in\n", board->ToString())};
    }
    chosen.push_back(action);
  }
  return CountMistakes(positions, chosen);
}

std::vector<ClassScore> CountMistakes(std::span<const YardstickPosition> positions,
                                      std::span<const Action> chosen) {
  AZ_CHECK_EQ(positions.size(), chosen.size());
  std::map<YardstickClass, ClassScore> scores;
  for (std::size_t i = 0; i < positions.size(); ++i) {
    const YardstickPosition& position = positions[i];
    ClassScore& score = scores[position.in_class];
    score.in_class = position.in_class;
    ++score.positions;
    score.mistakes += std::ranges::binary_search(position.keeping, chosen[i]) ? 0 : 1;
    score.random_mistakes +=
        1.0 - static_cast<double>(position.keeping.size()) / position.num_legal;
  }
  std::vector<ClassScore> rising;
  for (const auto& [in_class, score] : scores) rising.push_back(score);
  return rising;
}

ClassScore SumOf(std::span<const ClassScore> scores) {
  ClassScore sum;
  for (const ClassScore& score : scores) {
    sum.positions += score.positions;
    sum.mistakes += score.mistakes;
    sum.random_mistakes += score.random_mistakes;
  }
  return sum;
}

Result<Conversions> ConvertWins(const GameOps& game, Solver& solver,
                                std::span<const YardstickPosition> positions,
                                const ChooseMove& player) {
  Conversions conversions;
  for (const YardstickPosition& won : positions) {
    if (won.value != 1) continue;
    AZ_ASSIGN_OR_RETURN(const auto board, game.Replay(won.actions));
    std::vector<Action> actions = won.actions;
    const Player attacker = board->ToMove();
    while (!board->FinalOutcome().has_value()) {
      const bool attacks = board->ToMove() == attacker;
      AZ_ASSIGN_OR_RETURN(const Action action, attacks ? player(*board, actions)
                                                       : HardestDefence(*board, actions, solver));
      AZ_RETURN_IF_ERROR(board->Apply(action));
      actions.push_back(action);
    }
    ++conversions.games;
    conversions.won += ValueFor(*board->FinalOutcome(), attacker) == 1 ? 1 : 0;
  }
  return conversions;
}

int FirstSolvedPly(std::string_view entry) {
  if (entry == "connect_four") return 10;
  if (entry == "mnk_5_5_4") return 8;
  return 0;
}

int FirstQuickPly(std::string_view entry) {
  if (entry == "connect_four") return 14;
  return FirstSolvedPly(entry);
}

int FirstHardPly(std::string_view entry) {
  if (entry == "hex5") return 4;
  if (entry == "breakthrough5") return 8;
  const int first = FirstQuickPly(entry);
  return first == 0 ? 0 : first + 4;
}

bool CanPlayOpenings(std::string_view entry) { return FirstSolvedPly(entry) == 0; }

}  // namespace az
