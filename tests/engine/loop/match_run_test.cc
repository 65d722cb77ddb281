// A match against a fleet that answers at once.

#include "engine/loop/match_run.h"

#include <gtest/gtest.h>

#include "tests/engine/loop/still_fleet.h"

namespace az {
namespace {

// Ends every game at once: player 0 wins those of `wins`, and loses the others.
class MatchFleet final : public StillFleet {
 public:
  std::uint32_t failed = 0;  // the first so many have no result
  std::uint64_t bad_rows = 0;
  int played = 0;
  std::vector<std::vector<Action>> openings;

  Result<void> Play(const GamePhaseSpec& spec) override {
    totals.bad_rows += bad_rows;
    for (std::uint32_t index = 0; index < spec.games; ++index) {
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
  spec.on_game = [&](const MatchReport& report) { EXPECT_EQ(report.finished(), ++told); };
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
