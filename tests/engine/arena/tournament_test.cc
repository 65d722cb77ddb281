#include "engine/arena/tournament.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

#include "base/strings.h"
#include "engine/arena/superiority.h"
#include "games/registry.h"

namespace az {
namespace {

// Player a wins as the first to move, loses as the second, but for the first `extra` pairs.
PlayedMatch Played(std::size_t a, std::size_t b, std::uint32_t pairs, std::uint32_t extra) {
  PlayedMatch match{
      .meet = {a, b}, .asked = 2 * pairs, .report = {}, .uncounted = 0, .stopped = {}};
  for (std::uint32_t pair = 0; pair < pairs; ++pair) {
    const Outcome second = pair < extra ? Outcome::kSecondWins : Outcome::kFirstWins;
    match.report.Add(
        {.index = 2 * pair, .outcome = Outcome::kFirstWins, .plies = 9, .first = Action(0)});
    match.report.Add({.index = 2 * pair + 1, .outcome = second, .plies = 11, .first = Action(24)});
  }
  return match;
}

TournamentResults Example(std::vector<std::string> players) {
  TournamentResults results;
  results.game = FindGame("hex5").value();
  results.players = std::move(players);
  results.openings = "plies=2";
  return results;
}

TEST(TournamentTest, EverybodyMeetsEverybodyOnceAndMorePlayersChangeNothing) {
  const std::vector<Meet> meets = MeetsOf(TournamentFormat::kRoundRobin, 4);
  ASSERT_EQ(meets.size(), 6u);
  std::set<std::pair<std::size_t, std::size_t>> pairs;
  for (const Meet& meet : meets) pairs.insert(std::minmax(meet.a, meet.b));
  EXPECT_EQ(pairs.size(), 6u);
  const std::vector<Meet> fewer = MeetsOf(TournamentFormat::kRoundRobin, 3);
  for (std::size_t i = 0; i < fewer.size(); ++i) {
    EXPECT_EQ(meets[i].a, fewer[i].a);
    EXPECT_EQ(meets[i].b, fewer[i].b);
  }
  const std::vector<Meet> gauntlet = MeetsOf(TournamentFormat::kGauntlet, 4);
  ASSERT_EQ(gauntlet.size(), 3u);
  for (const Meet& meet : gauntlet) EXPECT_EQ(meet.a, 0u);
}

TEST(TournamentTest, TheObjectOfAPairHasTheKeysThatScriptsRead) {
  TournamentResults results = Example({"runs/x", "random"});
  results.sprt = Sprt::Create({}).value();
  results.matches.push_back(Played(0, 1, 10, 4));
  const auto json = nlohmann::json::parse(ResultJson(results));
  EXPECT_EQ(json.at("players").at("a"), "runs/x");
  EXPECT_EQ(json.at("players").at("b"), "random");
  EXPECT_EQ(json.at("games"), 20);
  EXPECT_EQ(json.at("wins"), 14);
  EXPECT_EQ(json.at("draws"), 0);
  EXPECT_EQ(json.at("losses"), 6);
  EXPECT_EQ(json.at("by_colour").at("first").at("wins"), 10);
  EXPECT_EQ(json.at("by_colour").at("second").at("losses"), 6);
  EXPECT_DOUBLE_EQ(json.at("score"), 0.7);
  EXPECT_GT(json.at("elo"), json.at("elo_low"));
  EXPECT_LT(json.at("elo"), json.at("elo_high"));
  EXPECT_GT(json.at("los"), 0.9);
  EXPECT_EQ(json.at("pairs"), (std::vector<int>{0, 0, 6, 0, 4}));
  EXPECT_DOUBLE_EQ(json.at("average_length"), 10.0);
  ASSERT_EQ(json.at("first_moves").size(), 2u);
  EXPECT_EQ(json.at("first_moves")[0].at("games"), 10);
  EXPECT_DOUBLE_EQ(json.at("first_moves")[0].at("score"), 1.0);
  EXPECT_EQ(json.at("forfeits").at("a"), 0);
  for (const char* key : {"llr", "lower", "upper", "verdict"}) {
    EXPECT_TRUE(json.at("sprt").contains(key)) << key;
  }
  EXPECT_EQ(json.at("sprt").at("stopped"), false);
}

TEST(TournamentTest, WhatHasNoNumberIsNull) {
  TournamentResults results = Example({"a", "b"});
  results.matches.push_back(Played(0, 1, 3, 3));
  const auto json = nlohmann::json::parse(ResultJson(results));
  EXPECT_TRUE(json.at("elo").is_null());  // every game won
  EXPECT_TRUE(json.at("elo_high").is_null());
  EXPECT_TRUE(json.at("elo_low").is_number());
  EXPECT_TRUE(json.at("sprt").is_null());
  EXPECT_NE(ResultTable(results).find("+inf"), std::string::npos);
}

// Three of four pairs are one over again.
TEST(TournamentTest, ReplaysAreToldAndAreNoEvidence) {
  TournamentResults results = Example({"a", "b", "c"});
  results.sprt = Sprt::Create({}).value();
  PlayedMatch match{.meet = {0, 1}, .asked = 8, .report = {}, .uncounted = 0, .stopped = {}};
  for (std::uint32_t index = 0; index < 8; ++index) {
    const PairNews news = index / 2 == 0 || index / 2 == 3 ? PairNews::kNew : PairNews::kReplay;
    const bool a_wins = index != 7;
    const bool first_wins = (index % 2 == 0) == a_wins;
    match.report.Add(
        {.index = index, .outcome = first_wins ? Outcome::kFirstWins : Outcome::kSecondWins}, news);
  }
  results.matches.push_back(match);
  const auto json = nlohmann::json::parse(ResultJson(results)).at("matches").at(0);
  const PairCounts distinct = {0, 0, 1, 0, 1};
  EXPECT_EQ(json.at("wins"), 7);
  EXPECT_EQ(json.at("pairs"), (std::vector<int>{0, 0, 1, 0, 3}));
  EXPECT_EQ(json.at("distinct_pairs"), (std::vector<int>{0, 0, 1, 0, 1}));
  EXPECT_DOUBLE_EQ(json.at("score"), 0.75);
  EXPECT_DOUBLE_EQ(json.at("score_low"), EstimateFromPairs(distinct).score_interval.low);
  EXPECT_DOUBLE_EQ(json.at("los"), LikelihoodOfSuperiority(distinct));
  EXPECT_DOUBLE_EQ(json.at("sprt").at("llr"), results.sprt->LogRatio(distinct));
  EXPECT_NE(ResultTable(results).find("only 2 of 4 pairs are distinct"), std::string::npos);
  // The ratings are those of the four games that tell something.
  const double margin = RatingsOf(results)[1]->margin;
  TournamentResults few = Example({"a", "b", "c"});
  PlayedMatch short_match{.meet = {0, 1}, .asked = 4, .report = {}, .uncounted = 0, .stopped = {}};
  for (std::uint32_t index = 0; index < 4; ++index) {
    const bool first_wins = (index % 2 == 0) == (index != 3);
    short_match.report.Add(
        {.index = index, .outcome = first_wins ? Outcome::kFirstWins : Outcome::kSecondWins});
  }
  few.matches.push_back(short_match);
  EXPECT_DOUBLE_EQ(margin, RatingsOf(few)[1]->margin);
}

TEST(TournamentTest, SeveralPlayersAreRatedTogether) {
  TournamentResults results = Example({"first", "second", "third, quoted"});
  results.matches = {Played(0, 1, 40, 10), Played(0, 2, 40, 20), Played(1, 2, 40, 10)};
  const std::vector<std::optional<RatedPlayer>> ratings = RatingsOf(results);
  ASSERT_EQ(ratings.size(), 3u);
  EXPECT_EQ(ratings[0]->elo, 0);
  EXPECT_LT(ratings[1]->elo, 0);
  EXPECT_LT(ratings[2]->elo, ratings[1]->elo);
  const auto json = nlohmann::json::parse(ResultJson(results));
  EXPECT_EQ(json.at("matches").size(), 3u);
  EXPECT_EQ(json.at("players")[2].at("name"), "third, quoted");
  const std::string csv = ResultCsv(results);
  EXPECT_EQ(std::ranges::count(csv, '\n'), 4);
  EXPECT_NE(csv.find(",\"third, quoted\",80,"), std::string::npos) << csv;
  const std::string table = ResultTable(results);
  EXPECT_NE(table.find("[3] third, quoted"), std::string::npos) << table;
  EXPECT_NE(table.find("62.5 %"), std::string::npos) << table;
}

TEST(TournamentTest, APlayerWithoutAGameHasNoRating) {
  TournamentResults results = Example({"a", "b", "c"});
  results.matches = {Played(0, 1, 4, 1)};
  EXPECT_TRUE(RatingsOf(results)[1].has_value());
  EXPECT_FALSE(RatingsOf(results)[2].has_value());
  EXPECT_TRUE(nlohmann::json::parse(ResultJson(results)).at("players")[2].at("elo").is_null());
}

TEST(TournamentTest, AnEvenMatchHasNoMinusBeforeItsZero) {
  TournamentResults results = Example({"a", "b"});
  results.matches.push_back(Played(0, 1, 4, 0));
  EXPECT_NE(ResultTable(results).find("Elo +0 ["), std::string::npos) << ResultTable(results);
  EXPECT_EQ(ResultJson(results).find("-0.0,"), std::string::npos) << ResultJson(results);
  EXPECT_EQ(EloText(-0.3), "+0");
}

TEST(TournamentTest, ForfeitsAreToldByReason) {
  TournamentResults results = Example({"a", "b"});
  PlayedMatch match{.meet = {0, 1}, .asked = 4, .report = {}, .stopped = {}};
  const auto add = [&](std::uint32_t index, Outcome outcome, EndReason reason) {
    match.report.Add({.index = index, .outcome = outcome, .plies = 3, .reason = reason});
  };
  add(0, Outcome::kSecondWins, EndReason::kIllegal);
  add(1, Outcome::kFirstWins, EndReason::kTimeout);
  add(2, Outcome::kSecondWins, EndReason::kTimeout);
  add(3, Outcome::kFirstWins, EndReason::kTimeout);
  results.matches.push_back(match);
  EXPECT_NE(ResultTable(results).find("forfeits: a 4 (1 illegal_move, 3 timeout), b 0\n"),
            std::string::npos)
      << ResultTable(results);
  const auto json = nlohmann::json::parse(ResultJson(results));
  EXPECT_EQ(json.at("forfeits"), (nlohmann::json{{"a", 4}, {"b", 0}}));
  EXPECT_EQ(json.at("forfeit_reasons").at("a"),
            (nlohmann::json{{"illegal_move", 1}, {"timeout", 3}}));
  EXPECT_EQ(json.at("forfeit_reasons").at("b"), nlohmann::json::object());
}

}  // namespace
}  // namespace az
