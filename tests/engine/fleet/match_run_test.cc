// A match against a fleet that answers at once.

#include "engine/fleet/match_run.h"

#include <gtest/gtest.h>

#include "tests/engine/fleet/still_fleet.h"

namespace az {
namespace {

// Ends every game at once: player 0 wins those of `wins`, and loses the others.
class MatchFleet final : public StillFleet {
 public:
  std::uint32_t failed = 0;  // the first so many have no result
  std::uint64_t bad_rows = 0;
  int played = 0;
  bool backwards = false;  // the last game ends first
  std::vector<std::vector<Action>> openings;

  Result<void> Play(const GamePhaseSpec& spec) override {
    totals.bad_rows += bad_rows;
    for (std::uint32_t played_now = 0; played_now < spec.games; ++played_now) {
      const std::uint32_t index = backwards ? spec.games - 1 - played_now : played_now;
      if (spec.opening) openings.push_back(spec.opening(index));
      ++played;
      const bool goes_on = spec.on_finished(
          {.id = GameId::Make(spec.kind, spec.iteration, index),
           .outcome = index < failed ? std::nullopt : std::optional(Outcome::kFirstWins),
           .plies = 5,
           .first = Action(2)});
      if (!goes_on) break;
    }
    return {};
  }
};

MatchSpec SpecOf(std::uint32_t games) {
  MatchSpec spec;
  spec.games = games;
  return spec;
}

TEST(MatchRunTest, PlaysEveryGameAndBothOfAPairFromOneOpening) {
  MatchFleet fleet;
  MatchSpec spec = SpecOf(6);
  spec.opening = [](std::uint32_t pair) {
    return std::vector<Action>{Action(static_cast<std::uint16_t>(pair))};
  };
  int told = 0;
  spec.on_game = [&](const MatchCount& count) { EXPECT_EQ(count.ended(), ++told); };
  const Result<MatchEnd> end = RunMatch(fleet, spec);
  ASSERT_TRUE(end) << end.error().message;
  EXPECT_FALSE(end->was_decided);
  EXPECT_EQ(told, 6);
  EXPECT_EQ(end->report.total(), (MatchTally{.wins = 3, .losses = 3}));
  EXPECT_EQ(end->report.first_moves().at(Action(2)).wins, 6);
  for (std::size_t index = 0; index < 6; ++index) {
    EXPECT_EQ(Index(fleet.openings[index].at(0)), static_cast<int>(index / 2));
  }
}

TEST(MatchRunTest, EndsAsSoonAsItIsDecided) {
  MatchFleet fleet;
  MatchSpec spec = SpecOf(100);
  spec.is_decided = [](const MatchReport& report) { return report.finished() == 7; };
  const Result<MatchEnd> end = RunMatch(fleet, spec);
  ASSERT_TRUE(end);
  EXPECT_TRUE(end->was_decided);
  EXPECT_EQ(fleet.played, 7);
}

TEST(MatchRunTest, BySequenceOfPairsTheMatchEndsAtThePairThatDecidesIt) {
  MatchFleet fleet;
  fleet.backwards = true;
  MatchSpec spec = SpecOf(10);
  spec.order = CountOrder::kByPair;
  spec.is_decided = [](const MatchReport& report) { return report.finished() >= 4; };
  const Result<MatchEnd> end = RunMatch(fleet, spec);
  ASSERT_TRUE(end);
  EXPECT_TRUE(end->was_decided);
  EXPECT_EQ(fleet.played, 10);
  EXPECT_EQ(end->report.score().pairs(), (PairCounts{0, 0, 2, 0, 0}));
  EXPECT_EQ(end->uncounted, 6);
}

TEST(MatchRunTest, WhatPlayersThatDrawNothingRepeatCountsOnce) {
  MatchFleet fleet;  // every game has the same moves
  MatchSpec spec = SpecOf(10);
  const Result<MatchEnd> networks = RunMatch(fleet, spec);
  ASSERT_TRUE(networks);
  EXPECT_EQ(networks->report.score().pairs(), (PairCounts{0, 0, 5, 0, 0}));
  EXPECT_EQ(networks->report.score().distinct_pairs(), (PairCounts{0, 0, 1, 0, 0}));
  spec.players[1].type = PlayerType::kRandom;
  const Result<MatchEnd> random = RunMatch(fleet, spec);
  ASSERT_TRUE(random);
  EXPECT_EQ(random->report.score().distinct_pairs(), (PairCounts{0, 0, 5, 0, 0}));
}

TEST(MatchRunTest, TooManyGamesWithoutAResultEndItAndSayWhy) {
  MatchFleet fleet;
  fleet.failed = 60;
  const Result<MatchEnd> silent = RunMatch(fleet, SpecOf(100));
  ASSERT_FALSE(silent);
  EXPECT_EQ(silent.error().code, Errc::kIo);
  EXPECT_EQ(fleet.played, 20);
  fleet.bad_rows = 3;
  const Result<MatchEnd> broken = RunMatch(fleet, SpecOf(100));
  ASSERT_FALSE(broken);
  EXPECT_EQ(broken.error().code, Errc::kNotFinite);
}

}  // namespace
}  // namespace az
