#include "engine/arena/gate.h"

#include <gtest/gtest.h>

#include "base/rng.h"

namespace az {
namespace {

TEST(Gate, FollowsTheTable) {
  struct Case {
    GateRule rule;
    MatchTally candidate;
    std::int64_t given_up;
    GateVerdict verdict;
  };
  const GateRule of100{.games = 100, .threshold = 0.55};
  const Case cases[] = {
      {of100, {}, 0, GateVerdict::kUndecided},
      {of100, {.wins = 55, .draws = 0, .losses = 45}, 0, GateVerdict::kPass},  // exactly 0.55
      {of100, {.wins = 54, .draws = 1, .losses = 45}, 0, GateVerdict::kFail},
      {of100, {.wins = 54, .draws = 2, .losses = 44}, 0, GateVerdict::kPass},
      {of100,
       {.wins = 55, .draws = 0, .losses = 0},
       0,
       GateVerdict::kPass},  // the rest may be lost
      {of100, {.wins = 54, .draws = 0, .losses = 0}, 0, GateVerdict::kUndecided},
      {of100, {.wins = 0, .draws = 0, .losses = 45}, 0, GateVerdict::kUndecided},
      {of100, {.wins = 0, .draws = 1, .losses = 45}, 0, GateVerdict::kFail},  // 54.5 at most
      {of100, {.wins = 0, .draws = 0, .losses = 46}, 0, GateVerdict::kFail},
      {of100, {.wins = 44, .draws = 0, .losses = 36}, 20, GateVerdict::kPass},  // 44 of 80
      {of100, {.wins = 43, .draws = 1, .losses = 36}, 20, GateVerdict::kFail},
      {of100, {}, 100, GateVerdict::kFail},
      {{.games = 2, .threshold = 0}, {}, 0, GateVerdict::kPass},
      {{.games = 2, .threshold = 1}, {.wins = 1}, 0, GateVerdict::kUndecided},
      {{.games = 2, .threshold = 1}, {.wins = 2}, 0, GateVerdict::kPass},
      {{.games = 2, .threshold = 1}, {.draws = 1}, 0, GateVerdict::kFail},
  };
  for (const Case& c : cases) {
    EXPECT_EQ(DecideGate(c.rule, c.candidate, c.given_up), c.verdict)
        << c.candidate.wins << " " << c.candidate.draws << " " << c.candidate.losses << " of "
        << c.rule.games;
  }
}

TEST(Gate, StoppingEarlyNeverChangesTheVerdict) {
  Rng rng(17);
  for (int match = 0; match < 3000; ++match) {
    const GateRule rule{.games = 2 + static_cast<std::int64_t>(rng.Below(40)),
                        .threshold = 0.3 + 0.5 * rng.Uniform()};
    MatchTally candidate;
    std::int64_t given_up = 0;
    GateVerdict early = GateVerdict::kUndecided;
    for (std::int64_t game = 0; game < rule.games; ++game) {
      switch (rng.Below(8)) {
        case 0:
          ++given_up;
          break;
        case 1:
          ++candidate.draws;
          break;
        case 2:
        case 3:
        case 4:
          ++candidate.losses;
          break;
        default:
          ++candidate.wins;
          break;
      }
      if (early == GateVerdict::kUndecided) early = DecideGate(rule, candidate, given_up);
    }
    const GateVerdict full = DecideGate(rule, candidate, given_up);
    ASSERT_NE(full, GateVerdict::kUndecided);
    ASSERT_EQ(early, full) << "match " << match;
  }
}

}  // namespace
}  // namespace az
