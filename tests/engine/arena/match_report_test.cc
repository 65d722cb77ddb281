#include "engine/arena/match_report.h"

#include <gtest/gtest.h>

namespace az {
namespace {

TEST(MatchReportTest, CountsFirstMovesInTheViewOfWhoMadeThem) {
  MatchReport report;
  report.Add({.index = 0, .outcome = Outcome::kFirstWins, .plies = 10, .first = Action(4)});
  report.Add({.index = 1, .outcome = Outcome::kFirstWins, .plies = 6, .first = Action(4)});
  report.Add({.index = 2, .outcome = Outcome::kSecondWins, .plies = 8, .first = Action(0)});
  report.Add({.index = 3, .outcome = Outcome::kDraw, .plies = 4, .first = Action(0)});
  EXPECT_EQ(report.total(), (MatchTally{.wins = 1, .draws = 1, .losses = 2}));
  ASSERT_EQ(report.first_moves().size(), 2u);
  EXPECT_EQ(report.first_moves().at(Action(4)), (MatchTally{.wins = 2}));
  EXPECT_EQ(report.first_moves().at(Action(0)), (MatchTally{.draws = 1, .losses = 1}));
  EXPECT_DOUBLE_EQ(report.mean_plies(), 7.0);
}

TEST(MatchReportTest, AForfeitIsTheLosersAndAGameGivenUpDecidesNothing) {
  MatchReport report;
  report.Add(
      {.index = 0, .outcome = Outcome::kFirstWins, .plies = 3, .reason = EndReason::kTimeout});
  report.Add(
      {.index = 1, .outcome = Outcome::kFirstWins, .plies = 3, .reason = EndReason::kTimeout});
  report.Add(
      {.index = 3, .outcome = Outcome::kFirstWins, .plies = 3, .reason = EndReason::kTimeout});
  report.Add({.index = 2, .outcome = std::nullopt, .plies = 1, .first = Action(1)});
  EXPECT_EQ(report.forfeits(), 3);
  EXPECT_EQ(report.forfeits_of(0), 2);
  EXPECT_EQ(report.forfeits_of(1), 1);
  EXPECT_EQ(report.forfeit_reasons(0).at(EndReason::kTimeout), 2);
  EXPECT_EQ(report.finished(), 4);
  EXPECT_EQ(report.total().games(), 3);
  EXPECT_TRUE(report.first_moves().empty());
}

}  // namespace
}  // namespace az
