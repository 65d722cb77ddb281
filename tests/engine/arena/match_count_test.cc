#include "engine/arena/match_count.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <queue>
#include <vector>

#include "base/rng.h"
#include "engine/arena/pairing.h"

namespace az {
namespace {

// Player 0 wins game `index`, or loses it.
MatchGame GameOf(std::uint32_t index, bool wins) {
  const bool first_wins = (FirstToMove(index) == 0) == wins;
  return {.index = index,
          .outcome = first_wins ? Outcome::kFirstWins : Outcome::kSecondWins,
          .plies = 9,
          .first = {}};
}

TEST(MatchCountTest, PairsCountInTheOrderOfTheirIndex) {
  MatchCount count(CountOrder::kByPair);
  for (const std::uint32_t index : {5u, 4u, 1u, 3u}) count.Add(GameOf(index, true));
  EXPECT_EQ(count.report().finished(), 0);
  EXPECT_EQ(count.ended(), 4);
  EXPECT_EQ(count.uncounted(), 4);
  count.Add(GameOf(0, false));
  EXPECT_EQ(count.report().score().pairs(), (PairCounts{0, 0, 1, 0, 0}));
  count.Add(GameOf(2, true));
  EXPECT_EQ(count.report().score().pairs(), (PairCounts{0, 0, 1, 0, 2}));
  EXPECT_EQ(count.uncounted(), 0);
}

TEST(MatchCountTest, AGameGivenUpHoldsUpNoOthers) {
  MatchCount count(CountOrder::kByPair);
  count.Add({.index = 0, .outcome = std::nullopt, .plies = 1, .first = {}});
  for (const std::uint32_t index : {1u, 2u, 3u}) count.Add(GameOf(index, true));
  EXPECT_EQ(count.given_up(), 1);
  EXPECT_EQ(count.report().finished(), 4);
  EXPECT_EQ(count.report().score().pairs(), (PairCounts{0, 0, 0, 0, 1}));
  // A score and its Elo are of the same pairs: the lone game of pair 0 is in neither.
  EXPECT_EQ(count.report().score().score(), count.report().score().Estimate().score);
}

TEST(MatchCountTest, TheMatchIsThePairsUpToTheOneThatDecidedIt) {
  MatchCount count(CountOrder::kByPair,
                   [](const MatchReport& report) { return report.finished() == 4; });
  for (std::uint32_t index = 1; index < 10; ++index) count.Add(GameOf(index, true));
  EXPECT_FALSE(count.is_decided());
  count.Add(GameOf(0, true));  // lets five pairs count; the second decides
  EXPECT_TRUE(count.is_decided());
  count.Add(GameOf(10, true));
  EXPECT_EQ(count.report().finished(), 4);
  EXPECT_EQ(count.ended(), 11);
  EXPECT_EQ(count.uncounted(), 7);
}

TEST(MatchCountTest, AsTheyEndEveryGameCounts) {
  MatchCount count(CountOrder::kAsTheyEnd,
                   [](const MatchReport& report) { return report.finished() == 2; });
  for (const std::uint32_t index : {6u, 1u, 3u}) count.Add(GameOf(index, true));
  EXPECT_TRUE(count.is_decided());
  EXPECT_EQ(count.report().finished(), 3);
  EXPECT_EQ(count.uncounted(), 0);
}

// A match of players elo0 apart in which the games that player 0 wins are the short ones, with
// `slots` games in flight: whether the test accepts elo1.
bool Errs(const Sprt& sprt, CountOrder order, int slots, Rng& rng) {
  struct Open {
    int ends = 0;
    std::uint32_t index = 0;
    bool wins = false;
    bool operator>(const Open& other) const {
      return ends != other.ends ? ends > other.ends : index > other.index;
    }
  };
  const std::optional<Sprt> test = sprt;
  std::optional<SprtVerdict> verdict;
  MatchCount count(order, [&](const MatchReport& report) {
    verdict = Stops(test, report);
    return verdict.has_value();
  });
  const double score = ScoreOfElo(sprt.options().elo0);
  std::priority_queue<Open, std::vector<Open>, std::greater<>> open;
  std::uint32_t next = 0;
  int now = 0;
  while (!count.is_decided()) {
    while (open.size() < static_cast<std::size_t>(slots)) {
      const bool wins = rng.Uniform() < score;
      open.push({now + (wins ? 10 : 20) + static_cast<int>(rng.Below(10)), next++, wins});
    }
    now = open.top().ends;
    count.Add(GameOf(open.top().index, open.top().wins));
    open.pop();
  }
  return verdict == SprtVerdict::kAcceptElo1;
}

double ErrorRate(const Sprt& sprt, CountOrder order, int slots) {
  constexpr int kMatches = 2000;
  Rng rng(31);
  int wrong = 0;
  for (int match = 0; match < kMatches; ++match) wrong += Errs(sprt, order, slots, rng);
  const double rate = wrong / static_cast<double>(kMatches);
  std::printf("wrong verdicts %.4f: %d games in flight, %s\n", rate, slots,
              order == CountOrder::kByPair ? "by pair" : "as they end");
  return rate;
}

// 2,000 matches: the standard error is 0.5 %, the seed is fixed and the limit is alpha itself.
TEST(MatchCountTest, TheTestErrsAsSeldomAsPromisedWhereWinsAreQuick) {
  const Sprt sprt = Sprt::Create({.elo0 = 245, .elo1 = 325}).value();
  for (const int slots : {2, 192, 768}) {
    EXPECT_LE(ErrorRate(sprt, CountOrder::kByPair, slots), sprt.options().alpha) << slots;
  }
  // What the order is for: the same matches, with pairs taken as they end.
  EXPECT_GE(ErrorRate(sprt, CountOrder::kAsTheyEnd, 192), 3 * sprt.options().alpha);
}

}  // namespace
}  // namespace az
