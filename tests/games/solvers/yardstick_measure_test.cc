#include "games/solvers/yardstick_measure.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <set>
#include <span>
#include <string_view>
#include <vector>

#include "games/registry.h"
#include "games/solvers/exact_opponent.h"
#include "games/solvers/move_judge.h"
#include "games/solvers/opening_values.h"

namespace az {
namespace {

// Says and plays what the solver knows; with `errs`, its opposite.
AskPlayer SolverPlayer(const GameOps& game, bool errs, int* questions = nullptr) {
  const std::shared_ptr<Solver> solver = *MakeSolver(game.info().entry, {.table = MiB(4)});
  return [&game, solver, errs, questions](std::span<const std::vector<Action>> positions,
                                          Thinking) -> Result<std::vector<PlayerAnswer>> {
    if (questions != nullptr) ++*questions;
    std::vector<PlayerAnswer> answers;
    for (std::vector<Action> actions : positions) {
      AZ_ASSIGN_OR_RETURN(const auto position, game.Replay(actions));
      AZ_ASSIGN_OR_RETURN(const JudgedMoves judged, JudgeMoves(*position, actions, *solver));
      const auto worst = std::ranges::min_element(judged.values) - judged.values.begin();
      answers.push_back(
          {.move = errs ? judged.legal[static_cast<std::size_t>(worst)] : judged.keeping.front(),
           .raw_value = (errs ? -0.5 : 0.9) * judged.value});
    }
    return answers;
  };
}

YardstickReport ReportOf(const char* entry, bool errs, MeasureOptions options) {
  const GameOps& game = *FindGame(entry).value();
  auto measure = YardstickMeasure::Create(game, options);
  EXPECT_TRUE(measure.has_value()) << measure.error().message;
  auto report = measure->Measure(SolverPlayer(game, errs));
  EXPECT_TRUE(report.has_value()) << report.error().message;
  return *std::move(report);
}

TEST(YardstickMeasure, PerfectPlayIsPerfectInWonAndInDrawnGames) {
  for (const char* entry : {"hex3", "hex4", "tic_tac_toe"}) {
    const YardstickReport report = ReportOf(entry, false, {.positions = 40, .games = 2});
    EXPECT_TRUE(report.is_perfect()) << entry;
    EXPECT_EQ(report.openings_right(), std::ssize(report.openings));
    EXPECT_NEAR(report.smallest_margin(), std::string_view(entry) == "tic_tac_toe" ? 1.0 / 3 : 0.9,
                1e-9);
    EXPECT_EQ(SumOf(report.raw).mistakes, 0);
    EXPECT_EQ(SumOf(report.search).mistakes, 0);
    EXPECT_EQ(SumOf(report.raw).positions, 40);
    EXPECT_EQ(report.games.guesses, 0);
  }
}

TEST(YardstickMeasure, AFlippedValueAndBadMovesAreSeen) {
  const YardstickReport report = ReportOf("hex3", true, {.positions = 40, .games = 2});
  EXPECT_FALSE(report.is_perfect());
  EXPECT_EQ(report.openings_right(), 0);
  EXPECT_NEAR(report.smallest_margin(), -0.5, 1e-9);
  EXPECT_EQ(SumOf(report.raw).mistakes, 40);
  EXPECT_EQ(SumOf(report.search).mistakes, 40);
  EXPECT_LT(report.games.held, report.games.games / 4);  // some win whatever is played
}

TEST(YardstickMeasure, EachOpeningIsPlayedByTheSideThatMustNotLose) {
  const YardstickReport hex = ReportOf("hex3", false, {.positions = 10, .games = 4});
  // Openings 2 3 4 5 6 win on 3x3.
  EXPECT_EQ(hex.games.by_side[0], 5 * 4);
  EXPECT_EQ(hex.games.by_side[1], 4 * 4);
  EXPECT_TRUE(hex.games.from_openings);
  for (const OpeningAnswer& answer : hex.openings) {
    const int cell = Index(answer.opening.first);
    EXPECT_EQ(answer.opening.value, cell >= 2 && cell <= 6 ? -1 : 1) << cell;
  }
  const YardstickReport drawn = ReportOf("tic_tac_toe", false, {.positions = 10, .games = 1});
  EXPECT_EQ(drawn.games.by_side[0], 9);
  EXPECT_EQ(drawn.games.by_side[1], 9);
}

TEST(YardstickMeasure, AsksForAllGamesAtOnce) {
  const GameOps& game = *FindGame("hex3").value();
  auto measure = YardstickMeasure::Create(game, {.positions = 20, .games = 10});
  ASSERT_TRUE(measure.has_value());
  int questions = 0;
  ASSERT_TRUE(measure->Measure(SolverPlayer(game, false, &questions)).has_value());
  EXPECT_LE(questions, 2 + 5);  // a question a move of the longest game, after values and mistakes
}

TEST(YardstickMeasure, AnIllegalMoveIsAnError) {
  const GameOps& game = *FindGame("hex3").value();
  auto measure = YardstickMeasure::Create(game, {.positions = 10, .games = 1});
  ASSERT_TRUE(measure.has_value());
  const auto report =
      measure->Measure([](std::span<const std::vector<Action>> positions, Thinking) {
        std::vector<PlayerAnswer> answers;
        for (const auto& actions : positions)
          answers.push_back({.move = actions.empty() ? Action{0} : actions[0]});
        return Result<std::vector<PlayerAnswer>>(answers);
      });
  ASSERT_FALSE(report.has_value());
  EXPECT_EQ(report.error().code, Errc::kInvalid);
}

TEST(YardstickMeasure, AGameWithoutASolverIsRefused) {
  const auto measure = YardstickMeasure::Create(*FindGame("go5").value(), {});
  ASSERT_FALSE(measure.has_value());
  EXPECT_EQ(measure.error().code, Errc::kNotFound);
}

TEST(OpeningValues, OfConnectFourAreKnownAndSymmetric) {
  const auto solver = *MakeSolver("connect_four", {.table = MiB(1), .max_positions = 1});
  const auto openings = OpeningValues(*FindGame("connect_four").value(), *solver);
  ASSERT_TRUE(openings.has_value());
  ASSERT_EQ(openings->size(), 7u);
  for (std::size_t i = 0; i < 7; ++i) EXPECT_EQ((*openings)[i].value, (*openings)[6 - i].value);
  EXPECT_EQ((*openings)[3].value, -1);  // lost for the second player
  EXPECT_EQ((*openings)[2].value, 0);
  EXPECT_EQ((*openings)[0].value, 1);
}

TEST(OpeningValues, OfFourInARowOnFiveByFiveAreDraws) {
  const auto solver = *MakeSolver("mnk_5_5_4", {.table = MiB(1), .max_positions = 1});
  const auto openings = OpeningValues(*FindGame("mnk_5_5_4").value(), *solver);
  ASSERT_TRUE(openings.has_value()) << openings.error().message;
  ASSERT_EQ(openings->size(), 25u);
  for (const OpeningValue& opening : *openings) EXPECT_EQ(opening.value, 0);
}

// Its solver cannot judge openings in a test's time, so this player knows nothing.
TEST(YardstickMeasure, FourInARowIsMeasuredFromPositionsOnTheWay) {
  const GameOps& game = *FindGame("mnk_5_5_4").value();
  auto measure = YardstickMeasure::Create(game, {.positions = 6, .games = 1});
  ASSERT_TRUE(measure.has_value()) << measure.error().message;
  const auto report = measure->Measure([&game](std::span<const std::vector<Action>> positions,
                                               Thinking) -> Result<std::vector<PlayerAnswer>> {
    std::vector<PlayerAnswer> answers;
    for (const auto& actions : positions) {
      AZ_ASSIGN_OR_RETURN(const auto position, game.Replay(actions));
      answers.push_back({.move = position->LegalActions().front(), .raw_value = 0.0});
    }
    return answers;
  });
  ASSERT_TRUE(report.has_value()) << report.error().message;
  EXPECT_EQ(report->openings_right(), 25);
  EXPECT_FALSE(report->games.from_openings);
  EXPECT_EQ(SumOf(report->raw).positions, 6);
}

// ---- the opponent -------------------------------------------------------------------------------

TEST(ExactOpponent, TheHardestReplyLeavesTheFewestGoodMoves) {
  const GameOps& game = *FindGame("hex4").value();
  const auto solver = *MakeSolver("hex4", {.table = MiB(4)});
  ExactOpponent opponent(*solver, 0);
  std::vector<Action> actions = {static_cast<Action>(6)};  // a winning opening
  const auto position = *game.Replay(actions);
  const auto good_after = [&](Action reply) {
    actions.push_back(reply);
    const auto next = PositionAfter(*position, reply);
    const std::size_t left = JudgeMoves(*next, actions, *solver)->keeping.size();
    actions.pop_back();
    return left;
  };
  std::size_t fewest = 100;
  for (const Action a : position->LegalActions()) fewest = std::min(fewest, good_after(a));
  Rng rng(1);
  bool one_was_easier = false;
  for (int i = 0; i < 30; ++i) {
    EXPECT_EQ(good_after(*opponent.Reply(*position, actions, Defence::kHardest, rng)), fewest);
    one_was_easier |=
        good_after(*opponent.Reply(*position, actions, Defence::kRandom, rng)) > fewest;
  }
  EXPECT_TRUE(one_was_easier);
  EXPECT_EQ(actions.size(), 1u);
  EXPECT_EQ(opponent.guesses(), 0);
}

TEST(ExactOpponent, TakesAWinThatIsOffered) {
  const GameOps& game = *FindGame("hex3").value();
  const auto solver = *MakeSolver("hex3", {.table = MiB(4)});
  ExactOpponent opponent(*solver, 0);
  std::vector<Action> actions = {static_cast<Action>(0)};  // a losing opening
  const auto position = *game.Replay(actions);
  Rng rng(1);
  for (int i = 0; i < 10; ++i) {
    actions.push_back(*opponent.Reply(*position, actions, Defence::kRandom, rng));
    EXPECT_EQ(*solver->Solve(actions), -1);
    actions.pop_back();
  }
}

TEST(ExactOpponent, DrawsBeforeTheFirstHardPly) {
  const GameOps& game = *FindGame("hex4").value();
  const auto solver = *MakeSolver("hex4", {.table = MiB(4)});
  ExactOpponent opponent(*solver, 2);
  std::vector<Action> actions = {static_cast<Action>(6)};
  const auto position = *game.Replay(actions);
  std::set<Action> drawn;
  Rng rng(1);
  for (int i = 0; i < 200; ++i) {
    drawn.insert(*opponent.Reply(*position, actions, Defence::kHardest, rng));
  }
  EXPECT_EQ(drawn.size(), 15u);  // all lose
}

TEST(ExactOpponent, SaysWhereItGuessed) {
  const GameOps& game = *FindGame("hex4").value();
  const auto solver = *MakeSolver("hex4", {.table = MiB(1), .max_positions = 2});
  ExactOpponent opponent(*solver, 0);
  std::vector<Action> actions = {static_cast<Action>(0)};
  const auto position = *game.Replay(actions);
  Rng rng(1);
  const auto reply = opponent.Reply(*position, actions, Defence::kHardest, rng);
  ASSERT_TRUE(reply.has_value()) << reply.error().message;
  EXPECT_TRUE(position->IsLegal(*reply));
  EXPECT_EQ(opponent.guesses(), 1);
}

}  // namespace
}  // namespace az
