#include "games/solvers/yardstick.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <span>
#include <vector>

#include "base/rng.h"
#include "games/registry.h"

namespace az {
namespace {

struct Game {
  const GameOps& ops;
  std::unique_ptr<Solver> solver;
};
Game Hex4() { return {*FindGame("hex4").value(), *MakeSolver("hex4", {.table = MiB(4)})}; }

std::vector<YardstickPosition> Positions(Game& game, YardstickOptions options) {
  auto made = MakeYardstick(game.ops, *game.solver, options);
  EXPECT_TRUE(made.has_value()) << made.error().message;
  return *std::move(made);
}

// Chooses with the solver; `keeps` tells whether well or badly.
ChooseMove SolverPlayer(Solver& solver, bool keeps) {
  return [&solver, keeps](const Position& position,
                          std::span<const Action> actions) -> Result<Action> {
    std::vector<Action> line(actions.begin(), actions.end());
    Action choice = position.LegalActions()[0];
    int best = -2;
    for (const Action a : position.LegalActions()) {
      line.push_back(a);
      const int value = -*solver.Solve(line) * (keeps ? 1 : -1);
      if (value > best) choice = a;
      best = std::max(best, value);
      line.pop_back();
    }
    return choice;
  };
}

TEST(Yardstick, SameSeedSamePositionsAndNoneTwice) {
  Game game = Hex4();
  const auto a = Positions(game, {.positions = 60, .seed = 5});
  const auto b = Positions(game, {.positions = 60, .seed = 5});
  const auto c = Positions(game, {.positions = 60, .seed = 6});
  ASSERT_EQ(a.size(), 60u);
  bool differs = false;
  std::set<std::uint64_t> hashes;
  std::map<YardstickClass, int> classes;
  for (std::size_t i = 0; i < a.size(); ++i) {
    EXPECT_EQ(a[i].actions, b[i].actions);
    differs |= a[i].actions != c[i].actions;
    hashes.insert((*game.ops.Replay(a[i].actions))->Hash());
    EXPECT_LE(++classes[a[i].in_class], 30);
    EXPECT_FALSE(a[i].keeping.empty());
    EXPECT_LT(std::ssize(a[i].keeping), a[i].num_legal);
    EXPECT_EQ(a[i].value, *game.solver->Solve(a[i].actions));
  }
  EXPECT_TRUE(differs);
  EXPECT_EQ(hashes.size(), a.size());
  EXPECT_GE(classes.size(), 4u);
}

TEST(Yardstick, NearMeansSeenWithinThreePlies) {
  Game game = Hex4();
  int near = 0;
  for (const YardstickPosition& p : Positions(game, {.positions = 60})) {
    if (p.in_class.distance != EndDistance::kNear || p.value != 1) continue;
    // A win at once, or a move after which every reply leaves one.
    const auto board = *game.ops.Replay(p.actions);
    const auto wins_at_once = [](const Position& position) {
      return std::ranges::any_of(position.LegalActions(), [&](Action a) {
        const auto next = position.Clone();
        EXPECT_TRUE(next->Apply(a).has_value());
        return next->FinalOutcome().has_value();
      });
    };
    const bool seen =
        wins_at_once(*board) || std::ranges::any_of(board->LegalActions(), [&](Action a) {
          const auto next = board->Clone();
          EXPECT_TRUE(next->Apply(a).has_value());
          return std::ranges::all_of(next->LegalActions(), [&](Action reply) {
            const auto after = next->Clone();
            EXPECT_TRUE(after->Apply(reply).has_value());
            return !after->FinalOutcome().has_value() && wins_at_once(*after);
          });
        });
    EXPECT_TRUE(seen) << board->ToString();
    ++near;
  }
  EXPECT_GT(near, 5);
}

TEST(Yardstick, APerfectPlayerMakesNoMistakeAndTheWorstOnlyMistakes) {
  Game game = Hex4();
  const auto positions = Positions(game, {.positions = 60});
  const auto perfect = *ScoreMistakes(game.ops, positions, SolverPlayer(*game.solver, true));
  const auto worst = *ScoreMistakes(game.ops, positions, SolverPlayer(*game.solver, false));
  int total = 0;
  for (std::size_t i = 0; i < perfect.size(); ++i) {
    EXPECT_EQ(perfect[i].mistakes, 0) << perfect[i].in_class.Name();
    EXPECT_EQ(worst[i].mistakes, worst[i].positions);
    EXPECT_GT(perfect[i].random_mistakes, 0);
    EXPECT_LT(perfect[i].random_mistakes, perfect[i].positions);
    total += perfect[i].positions;
  }
  EXPECT_EQ(total, 60);
}

TEST(Yardstick, WinsAreConvertedByPerfectPlayAloneAgainstAPerfectDefender) {
  Game game = Hex4();
  const auto positions = Positions(game, {.positions = 40});
  const auto perfect =
      *ConvertWins(game.ops, *game.solver, positions, SolverPlayer(*game.solver, true));
  EXPECT_GT(perfect.games, 10);
  EXPECT_EQ(perfect.won, perfect.games);
  const auto worst =
      *ConvertWins(game.ops, *game.solver, positions, SolverPlayer(*game.solver, false));
  EXPECT_EQ(worst.games, perfect.games);
  EXPECT_EQ(worst.won, 0);
}

TEST(Yardstick, AnIllegalMoveOfThePlayerIsAnError) {
  Game game = Hex4();
  const auto positions = Positions(game, {.positions = 2});
  const auto refused = ScoreMistakes(
      game.ops, positions,
      [](const Position&, std::span<const Action>) { return Result<Action>(Action{999}); });
  ASSERT_FALSE(refused.has_value());
  EXPECT_EQ(refused.error().code, Errc::kInvalid);
}

TEST(Yardstick, TheSolversErrorIsPassedOn) {
  const GameOps& ops = *FindGame("connect_four").value();
  const auto solver = *MakeSolver("connect_four", {.table = MiB(1), .max_positions = 100});
  const auto made = MakeYardstick(ops, *solver, {.positions = 1});
  ASSERT_FALSE(made.has_value());
  EXPECT_EQ(made.error().code, Errc::kTimeout);
}

}  // namespace
}  // namespace az
