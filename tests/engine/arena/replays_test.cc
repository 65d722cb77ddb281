#include "engine/arena/replays.h"

#include <gtest/gtest.h>

#include <utility>

#include "engine/arena/match_count.h"

namespace az {
namespace {

MatchGame GameOf(std::uint32_t index, std::uint64_t moves, Outcome outcome = Outcome::kFirstWins) {
  return {.index = index, .outcome = outcome, .plies = 9, .first = {}, .moves = moves};
}

TEST(ReplayWatch, APairIsAReplayWhenBothOfItsGamesAreThoseOfOneBefore) {
  ReplayWatch watch(Replays::kCountOnce);
  const auto pair = [&](std::uint32_t number, MatchGame even, MatchGame odd) {
    even.index = 2 * number;
    odd.index = 2 * number + 1;
    EXPECT_EQ(watch.NewsOf(odd), PairNews::kNew);  // half a pair; the games may end in any order
    return watch.NewsOf(even);
  };
  EXPECT_EQ(pair(0, GameOf(0, 11), GameOf(0, 12)), PairNews::kNew);
  EXPECT_EQ(pair(1, GameOf(0, 11), GameOf(0, 12)), PairNews::kReplay);
  EXPECT_EQ(pair(2, GameOf(0, 12), GameOf(0, 11)), PairNews::kNew);  // with colours changed
  EXPECT_EQ(pair(3, GameOf(0, 11), GameOf(0, 13)), PairNews::kNew);  // one game differs
  // The same moves with another end, as after a forfeit.
  EXPECT_EQ(pair(4, GameOf(0, 11), GameOf(0, 12, Outcome::kSecondWins)), PairNews::kNew);
  EXPECT_EQ(pair(5, GameOf(0, 11), GameOf(0, 12)), PairNews::kReplay);
}

TEST(ReplayWatch, OfPlayersThatDrawEveryPairIsNew) {
  ReplayWatch watch(Replays::kCount);
  for (std::uint32_t index = 0; index < 20; ++index) {
    EXPECT_EQ(watch.NewsOf(GameOf(index, 7)), PairNews::kNew);
  }
}

// 80 games of players that draw nothing from two openings: player 0 wins both games of one pair and
// loses one of the other.
MatchCount FromTwoOpenings(CountOrder order, Replays replays, MatchCount::Decided decided = {}) {
  MatchCount count(order, std::move(decided), replays);
  for (std::uint32_t index = 0; index < 80; ++index) {
    const std::uint32_t opening = index / 2 % 2;
    const bool is_even = index % 2 == 0;
    count.Add(GameOf(index, 10 * opening + (is_even ? 1 : 2),
                     is_even || opening == 1 ? Outcome::kFirstWins : Outcome::kSecondWins));
  }
  return count;
}

TEST(ReplayWatch, EightyGamesFromTwoOpeningsAreTheEvidenceOfTwoPairs) {
  const PairCounts two = {0, 0, 1, 0, 1};
  for (const CountOrder order : {CountOrder::kAsTheyEnd, CountOrder::kByPair}) {
    const MatchCount count = FromTwoOpenings(order, Replays::kCountOnce);
    const MatchScore& score = count.report().score();
    EXPECT_EQ(score.total(), (MatchTally{.wins = 60, .losses = 20}));
    EXPECT_EQ(score.pairs(), (PairCounts{0, 0, 20, 0, 20}));
    EXPECT_EQ(score.distinct_pairs(), two);
    EXPECT_EQ(score.replayed(), (MatchTally{.wins = 57, .losses = 19}));
    EXPECT_EQ(score.distinct_total(), (MatchTally{.wins = 3, .losses = 1}));
    EXPECT_EQ(score.Estimate().score_interval.low, EstimateFromPairs(two).score_interval.low);
    EXPECT_EQ(score.Estimate().score_interval.high, EstimateFromPairs(two).score_interval.high);
  }
  EXPECT_EQ(FromTwoOpenings(CountOrder::kByPair, Replays::kCount).report().score().distinct_pairs(),
            (PairCounts{0, 0, 20, 0, 20}));
}

TEST(ReplayWatch, NoTestIsDecidedByReplays) {
  const std::optional<Sprt> test = Sprt::Create({.elo0 = 0, .elo1 = 100}).value();
  const auto decided = [&](const MatchReport& report) { return Stops(test, report).has_value(); };
  EXPECT_TRUE(FromTwoOpenings(CountOrder::kByPair, Replays::kCount, decided).is_decided());
  EXPECT_FALSE(FromTwoOpenings(CountOrder::kByPair, Replays::kCountOnce, decided).is_decided());
}

}  // namespace
}  // namespace az
