#include "engine/play/plain_thinkers.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <string>
#include <vector>

#include "games/registry.h"
#include "games/solvers/solver.h"

namespace az {
namespace {

std::vector<Action> Actions(const std::vector<int>& numbers) {
  std::vector<Action> actions;
  for (const int number : numbers) actions.push_back(static_cast<Action>(number));
  return actions;
}

const GameOps& Game(const std::string& entry) { return **FindGame(entry); }

Thought ThinkOf(Thinker& thinker, const std::vector<int>& moves, const ThinkLimits& limits = {}) {
  Result<Thought> thought = thinker.Think(Actions(moves), limits, {});
  EXPECT_TRUE(thought) << thought.error().message;
  return std::move(thought).value();
}

// X has 0 1, O has 3 4: X wins with 2.
const std::vector<int> kWinInOne = {0, 3, 1, 4};

TEST(RandomThinker, DrawsLegalMovesAndRepeats) {
  const auto thinker = MakeRandomThinker(Game("tic_tac_toe"), 7);
  const auto other = MakeRandomThinker(Game("tic_tac_toe"), 7);
  const Thought thought = ThinkOf(*thinker, kWinInOne);
  EXPECT_EQ(thought.best, ThinkOf(*other, kWinInOne).best);
  EXPECT_EQ(thought.raw_policy.size(), 5u);
  ASSERT_EQ(thought.moves.size(), 1u);
  EXPECT_EQ(thought.moves[0].action, thought.best);
}

TEST(SolverThinker, KnowsEveryMove) {
  const auto thinker = MakeSolverThinker(Game("tic_tac_toe"));
  ASSERT_TRUE(thinker);
  const Thought win = ThinkOf(**thinker, kWinInOne);
  EXPECT_EQ(win.best, Action{2});
  EXPECT_EQ(win.proven, 1);
  EXPECT_EQ(win.moves.size(), 5u);
  const Thought start = ThinkOf(**thinker, {});
  EXPECT_EQ(start.proven, 0);
  EXPECT_EQ(start.value, 0.0);
}

TEST(SolverThinker, VisitsTheBestMovesAlikeAndNoOther) {
  const auto thinker = MakeSolverThinker(Game("hex3"));
  ASSERT_TRUE(thinker);
  const Thought thought = ThinkOf(**thinker, {});
  ASSERT_EQ(thought.moves.size(), 9u);
  EXPECT_EQ(thought.moves[0].action, thought.best);
  int wins = 0;
  for (std::size_t i = 0; i < thought.moves.size(); ++i) {
    const MoveInfo& move = thought.moves[i];
    EXPECT_EQ(move.visits, move.proven == 1 ? 1u : 0u) << i;
    EXPECT_LE(move.visits, thought.moves[i == 0 ? 0 : i - 1].visits) << i;
    wins += move.proven == 1 ? 1 : 0;
  }
  EXPECT_GT(wins, 1);
  EXPECT_LT(wins, 9);
}

TEST(SolverThinker, SaysThatAPositionIsTooLargeAndGoesOn) {
  constexpr std::uint64_t kMost = 100'000;
  const auto thinker = MakeSolverThinker(Game("connect_four"), kMost);
  ASSERT_TRUE(thinker);
  const Result<Thought> start = (*thinker)->Think({}, {}, {});
  ASSERT_FALSE(start);
  EXPECT_EQ(start.error().code, Errc::kTimeout);
  EXPECT_NE(start.error().message.find("too large"), std::string::npos) << start.error().message;
  // Three stones of the first player in column a: a wins, whatever the other moves are worth.
  const Thought win = ThinkOf(**thinker, {0, 1, 0, 1, 0, 1});
  EXPECT_EQ(win.best, Action{0});
  EXPECT_EQ(win.proven, 1);
}

TEST(SolverThinker, CountsThePositionsOfAllMovesTogether) {
  const auto solver = MakeSolver("tic_tac_toe");
  ASSERT_TRUE(solver);
  std::uint64_t largest = 0;
  std::uint64_t all = 0;
  for (int move = 0; move < 9; ++move) {
    ASSERT_TRUE((*solver)->Solve(Actions({move})));
    largest = std::max(largest, (*solver)->positions());
    all += (*solver)->positions();
  }
  ASSERT_LT(largest + 1, all);  // each move alone fits
  const auto bounded = MakeSolverThinker(Game("tic_tac_toe"), largest + 1);
  EXPECT_EQ((*bounded)->Think({}, {}, {}).error().code, Errc::kTimeout);
}

TEST(SolverThinker, IsRefusedWhereThereIsNone) {
  const auto thinker = MakeSolverThinker(Game("go9"));
  ASSERT_FALSE(thinker);
  EXPECT_EQ(thinker.error().code, Errc::kNotFound);
}

TEST(RolloutThinker, FindsTheWinAndSaysHowItSearched) {
  const SteadyClock clock;
  const auto thinker = MakeRolloutThinker(Game("tic_tac_toe"), {.simulations = 300}, clock);
  const Thought thought = ThinkOf(*thinker, kWinInOne);
  EXPECT_EQ(thought.best, Action{2});
  EXPECT_EQ(thought.simulations, 300u);
  EXPECT_GT(thought.value, 0.5);
  EXPECT_EQ(thought.moves[0].action, Action{2});
  EXPECT_EQ(thought.moves[0].variation[0], Action{2});
  const auto visits =
      std::accumulate(thought.moves.begin(), thought.moves.end(), 0u,
                      [](std::uint32_t sum, const MoveInfo& move) { return sum + move.visits; });
  EXPECT_EQ(visits, thought.simulations);
}

TEST(RolloutThinker, StopsWhenToldTo) {
  const ManualClock clock;
  const auto thinker = MakeRolloutThinker(Game("hex5"), {.simulations = 50'000}, clock);
  EXPECT_EQ(ThinkOf(*thinker, {}, {.goes_on = [] { return false; }}).simulations, 64u);
  EXPECT_EQ(ThinkOf(*thinker, {}, {.time = Duration::zero()}).simulations, 64u);
  int reports = 0;
  const auto thought =
      thinker->Think({}, {.progress_every = Duration::zero()}, [&](const Thought& so_far) {
        EXPECT_EQ(so_far.simulations, 64u * ++reports);
        return reports < 3;
      });
  ASSERT_TRUE(thought);
  EXPECT_EQ(thought->simulations, 192u);
}

TEST(RolloutThinker, RefusesWhatTheGameDoesNotHave) {
  const SteadyClock clock;
  const auto hex = MakeRolloutThinker(Game("hex3"), {}, clock);
  EXPECT_EQ(hex->Think(Actions({0, 0}), {}, {}).error().code, Errc::kInvalid);
  EXPECT_EQ(hex->NewGame({.komi = 6.5}).error().code, Errc::kInvalid);
  const auto go = MakeRolloutThinker(Game("go5"), {.simulations = 10}, clock);
  EXPECT_TRUE(go->NewGame({.komi = 6.5}));
  const auto over = MakeRolloutThinker(Game("tic_tac_toe"), {}, clock);
  const auto error = over->Think(Actions({0, 3, 1, 4, 2}), {}, {});
  ASSERT_FALSE(error);
  EXPECT_NE(error.error().message.find("the game is over"), std::string::npos);
}

}  // namespace
}  // namespace az
