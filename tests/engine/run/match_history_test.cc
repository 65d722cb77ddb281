#include "engine/run/match_history.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>

#include "base/strings.h"

namespace az {
namespace {

HistoricMatch Between(std::uint32_t number, std::string a, std::string b, MatchTally tally) {
  return {.kind = GameKind::kGate,
          .match = number,
          .a = std::move(a),
          .b = std::move(b),
          .tally = tally};
}

class MatchHistoryTest : public testing::Test {
 protected:
  ~MatchHistoryTest() override { std::filesystem::remove(file_); }
  const std::filesystem::path file_ = testing::TempDir() + StrCat("matches_", ::getpid(), ".jsonl");
};

TEST_F(MatchHistoryTest, KeepsMatchesOnceAndReadsThemBack) {
  {
    Result<MatchHistory> history = MatchHistory::Open(file_);
    ASSERT_TRUE(history) << history.error().message;
    ASSERT_TRUE(history->Add(Between(1, "x", "y", {.wins = 3, .draws = 1, .losses = 2})));
    ASSERT_TRUE(history->Add(Between(1, "x", "y", {.wins = 9})));
    ASSERT_TRUE(history->Add(Between(2, "z", "x", {.wins = 5})));
  }
  std::ofstream(file_, std::ios::app) << "{\"kind\":1,\"ma";  // killed in the middle
  const Result<MatchHistory> again = MatchHistory::Open(file_);
  ASSERT_TRUE(again) << again.error().message;
  ASSERT_EQ(again->matches().size(), 2u);
  EXPECT_EQ(again->matches()[0].tally, (MatchTally{.wins = 3, .draws = 1, .losses = 2}));
  EXPECT_TRUE(again->Holds(GameKind::kGate, 2));
  EXPECT_FALSE(again->Holds(GameKind::kFinal, 2));
}

TEST_F(MatchHistoryTest, WhatIsAddedBehindATornLineIsRead) {
  std::ofstream(file_) << "{\"kind\":1,\"ma";
  {
    Result<MatchHistory> history = MatchHistory::Open(file_);
    ASSERT_TRUE(history);
    ASSERT_TRUE(history->Add(Between(7, "x", "y", {.wins = 1})));
  }
  EXPECT_TRUE(MatchHistory::Open(file_).value().Holds(GameKind::kGate, 7));
}

TEST_F(MatchHistoryTest, GamesThatRepeatOthersAreKeptAndNotRated) {
  const MatchTally few = {.wins = 3, .losses = 1};
  HistoricMatch match = Between(1, "b", "a", {.wins = 30, .losses = 10});
  match.replayed = {.wins = 27, .losses = 9};
  ASSERT_TRUE(MatchHistory::Open(file_)->Add(match));
  const Result<MatchHistory> again = MatchHistory::Open(file_);
  ASSERT_TRUE(again);
  EXPECT_EQ(again->matches()[0].tally, match.tally);
  EXPECT_EQ(again->matches()[0].distinct(), few);
  const double margin = again->Ratings("a").back().margin;
  std::filesystem::remove(file_);
  Result<MatchHistory> other = MatchHistory::Open(file_);
  ASSERT_TRUE(other->Add(Between(1, "b", "a", few)));
  EXPECT_EQ(margin, other->Ratings("a").back().margin);
}

TEST_F(MatchHistoryTest, ALineOfAnOlderBuildHasNoReplays) {
  std::ofstream(file_) << R"({"kind":1,"match":7,"a":"x","b":"y","wins":3,"draws":0,"losses":1})"
                       << "\n";
  const Result<MatchHistory> history = MatchHistory::Open(file_);
  ASSERT_EQ(history->matches().size(), 1u);
  EXPECT_EQ(history->matches()[0].distinct(), history->matches()[0].tally);
}

TEST_F(MatchHistoryTest, RatesWhoeverIsJoinedToTheAnchor) {
  Result<MatchHistory> history = MatchHistory::Open(file_);
  ASSERT_TRUE(history);
  ASSERT_TRUE(history->Add(Between(1, "b", "a", {.wins = 75, .losses = 25})));
  ASSERT_TRUE(history->Add(Between(2, "c", "b", {.wins = 75, .losses = 25})));
  ASSERT_TRUE(history->Add(Between(3, "far", "away", {.wins = 5, .losses = 5})));
  const std::vector<RatedName> ratings = history->Ratings("a");
  ASSERT_EQ(ratings.size(), 3u);
  EXPECT_EQ(ratings[0].elo, 0);
  EXPECT_NEAR(ratings[1].elo, 190.8, 5);  // 400 log10(3), but for the prior
  EXPECT_NEAR(ratings[2].elo, 381.7, 10);
  EXPECT_TRUE(history->Upsets("a").empty());
}

TEST_F(MatchHistoryTest, SeesARockPaperScissors) {
  Result<MatchHistory> history = MatchHistory::Open(file_);
  ASSERT_TRUE(history);
  ASSERT_TRUE(history->Add(Between(1, "b", "a", {.wins = 80, .losses = 20})));
  ASSERT_TRUE(history->Add(Between(2, "c", "b", {.wins = 80, .losses = 20})));
  ASSERT_TRUE(history->Add(Between(3, "a", "c", {.wins = 80, .losses = 20})));
  EXPECT_EQ(history->Upsets("a").size(), 3u);
}

}  // namespace
}  // namespace az
