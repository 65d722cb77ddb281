#include "engine/play/plain_thinkers.h"

#include <algorithm>
#include <utility>

#include "base/check.h"
#include "base/rng.h"
#include "base/strings.h"
#include "engine/play/progress_timer.h"
#include "games/solvers/solver.h"

namespace az {
namespace {

// The part that thinkers for any game share: the position, and a thought in which all moves are
// equal.
class AnyGameThinker : public Thinker {
 public:
  explicit AnyGameThinker(const GameOps& game) : game_(game) {}

  Result<void> NewGame(const StartOptions& start) override {
    AZ_ASSIGN_OR_RETURN([[maybe_unused]] const auto position, game_.Start(start));
    start_ = start;
    return {};
  }

 protected:
  Result<std::unique_ptr<Position>> PositionAfter(std::span<const Action> moves) const {
    AZ_ASSIGN_OR_RETURN(std::unique_ptr<Position> position, game_.Start(start_));
    for (std::size_t ply = 0; ply < moves.size(); ++ply) {
      const Result<void> applied = position->Apply(moves[ply]);
      if (!applied) return WithContext(StrCat("move ", ply + 1), applied.error());
    }
    if (position->FinalOutcome()) {
      return Error{Errc::kInvalid, StrCat("the game is over after ", moves.size(), " moves")};
    }
    return position;
  }

  const GameOps& game_;
  StartOptions start_;
};

std::vector<float> EqualPolicy(std::size_t moves) {
  return std::vector<float>(moves, 1.0f / static_cast<float>(moves));
}

class RandomThinker final : public AnyGameThinker {
 public:
  RandomThinker(const GameOps& game, std::uint64_t seed) : AnyGameThinker(game), seed_(seed) {}

  Result<Thought> Think(std::span<const Action> moves, const ThinkLimits& /*limits*/,
                        const OnProgress& /*on_progress*/) override {
    AZ_ASSIGN_OR_RETURN(const auto position, PositionAfter(moves));
    const std::vector<Action> legal = position->LegalActions();
    Rng rng = Rng(seed_).Fork(moves.size());
    Thought thought;
    thought.best = legal[rng.Below(legal.size())];
    thought.raw_policy = EqualPolicy(legal.size());
    thought.moves = {{.action = thought.best,
                      .visits = 0,
                      .prior = thought.raw_policy[0],
                      .value = 0.0,
                      .proven = std::nullopt,
                      .variation = {thought.best}}};
    return thought;
  }

 private:
  std::uint64_t seed_;
};

class SolverThinker final : public AnyGameThinker {
 public:
  SolverThinker(const GameOps& game, std::unique_ptr<Solver> solver, std::uint64_t most_positions)
      : AnyGameThinker(game), solver_(std::move(solver)), most_positions_(most_positions) {}

  Result<void> NewGame(const StartOptions& start) override {
    if (start.komi) {
      return Error{Errc::kInvalid,
                   StrCat("the solver of ", game_.info().entry, " knows no option komi")};
    }
    return AnyGameThinker::NewGame(start);
  }

  // Only the limit on positions interrupts the solving of a move; other limits are checked between
  // moves.
  Result<Thought> Think(std::span<const Action> moves, const ThinkLimits& limits,
                        const OnProgress& on_progress) override {
    AZ_ASSIGN_OR_RETURN(const auto position, PositionAfter(moves));
    const Player mover = position->ToMove();
    const std::vector<Action> legal = position->LegalActions();
    Thought thought;
    thought.raw_policy = EqualPolicy(legal.size());
    ProgressTimer timer(limits, on_progress, clock_);
    std::vector<Action> line(moves.begin(), moves.end());
    std::uint64_t positions = 0;
    for (const Action action : legal) {
      line.push_back(action);
      const std::unique_ptr<Position> after = position->Clone();
      AZ_RETURN_IF_ERROR(after->Apply(action));
      const Result<int> value = solver_->Solve(line);
      line.pop_back();
      positions += solver_->positions();
      if (!value && value.error().code != Errc::kTimeout) return value.error();
      if (!value && thought.proven) break;  // a winning move is known
      if (!value) return TooLarge(moves.size());
      const int proven = after->ToMove() == mover ? *value : -*value;
      thought.moves.push_back({.action = action,
                               .visits = 0,
                               .prior = thought.raw_policy[0],
                               .value = static_cast<double>(proven),
                               .proven = proven,
                               .variation = {action}});
      Conclude(thought, legal.size());
      thought.seconds = timer.seconds();
      if (positions > most_positions_) {
        if (thought.proven) break;
        return TooLarge(moves.size());
      }
      if (!timer.GoesOn([&] { return thought; })) break;
    }
    std::ranges::stable_sort(thought.moves, std::greater<>(), &MoveInfo::value);
    return thought;
  }

 private:
  static void Conclude(Thought& thought, std::size_t legal) {
    const auto best = std::ranges::max_element(thought.moves, {}, &MoveInfo::value);
    for (MoveInfo& move : thought.moves) move.visits = move.value == best->value ? 1 : 0;
    thought.best = best->action;
    thought.value = best->value;
    const bool is_settled = thought.moves.size() == legal || best->value > 0.0;
    if (is_settled) thought.proven = best->proven;
  }

  Error TooLarge(std::size_t plies) const {
    return {Errc::kTimeout, StrCat("the position after ", plies, " moves is too large for the ",
                                   "solver of ", game_.info().entry, ": more than ",
                                   most_positions_, " positions; ask it later in the game")};
  }

  std::unique_ptr<Solver> solver_;
  std::uint64_t most_positions_;  // per thought
  const SteadyClock clock_;
};

}  // namespace

std::unique_ptr<Thinker> MakeRandomThinker(const GameOps& game, std::uint64_t seed) {
  return std::make_unique<RandomThinker>(game, seed);
}

Result<std::unique_ptr<Thinker>> MakeSolverThinker(const GameOps& game,
                                                   std::uint64_t most_positions) {
  AZ_ASSIGN_OR_RETURN(std::unique_ptr<Solver> solver,
                      MakeSolver(game.info().entry, {.max_positions = most_positions}));
  return std::unique_ptr<Thinker>(
      std::make_unique<SolverThinker>(game, std::move(solver), most_positions));
}

}  // namespace az
