#include "engine/tournament/arena_faults.h"

#include <gtest/gtest.h>

#include "engine/arena/pairing.h"

namespace az {
namespace {

ArenaPlayer PlayerOf(std::string_view text) {
  return {.spec = ParsePlayer(text).value(), .source = {}};
}

// Player 0 loses games 0, 1, 2 ... for these reasons.
PlayedMatch LostFor(Meet meet, const std::vector<EndReason>& reasons) {
  PlayedMatch match{.meet = meet, .asked = 2, .report = {}, .uncounted = 0, .stopped = {}};
  for (std::uint32_t index = 0; index < reasons.size(); ++index) {
    const bool is_first = FirstToMove(index) == 0;
    match.report.Add({.index = index,
                      .outcome = is_first ? Outcome::kSecondWins : Outcome::kFirstWins,
                      .plies = 1,
                      .first = {},
                      .reason = reasons[index]});
  }
  return match;
}

TEST(ArenaFaults, AreThoseThatTheGameDoesNotExplain) {
  const std::vector<ArenaPlayer> players = {PlayerOf("gtp:x"), PlayerOf("random"),
                                            PlayerOf("gtp:y?clock=10+0")};
  using enum EndReason;
  const std::vector<PlayedMatch> matches = {
      LostFor({0, 1}, {kRules, kIllegal, kResigned, kRefused, kGone}),
      LostFor({0, 2}, {kTimeout, kRefused}), LostFor({2, 1}, {kTimeout, kTimeout, kNoAnswer})};
  const std::string words = " forfeited games for causes outside of the game: ";
  EXPECT_EQ(
      FaultsOf(players, matches),
      (std::vector<std::string>{"player gtp:x" + words + "timeout 1, refused 2, program_gone 1",
                                "player gtp:y?clock=10+0" + words + "no_answer 1"}));
}

TEST(ArenaFaults, APlayerOnTheOtherSideIsSeenToo) {
  const std::vector<ArenaPlayer> players = {PlayerOf("random"), PlayerOf("solver")};
  PlayedMatch match{.meet = {0, 1}, .asked = 2, .report = {}, .uncounted = 0, .stopped = {}};
  match.report.Add({.index = 0,
                    .outcome = FirstToMove(0) == 0 ? Outcome::kFirstWins : Outcome::kSecondWins,
                    .plies = 1,
                    .first = {},
                    .reason = EndReason::kTimeout});
  ASSERT_EQ(FaultsOf(players, {match}).size(), 1u);
  EXPECT_NE(FaultsOf(players, {match})[0].find("player solver"), std::string::npos);
}

}  // namespace
}  // namespace az
