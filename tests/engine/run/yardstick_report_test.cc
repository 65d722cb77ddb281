#include "engine/run/yardstick_report.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "games/registry.h"

namespace az {
namespace {

// Of two openings on 3x3: the first loses and is known to, the second wins and is thought to lose.
YardstickReport SomeReport() {
  YardstickReport report;
  report.openings = {{.opening = {.first = Action{0}, .value = 1}, .raw_value = 0.75},
                     {.opening = {.first = Action{4}, .value = -1}, .raw_value = 0.25}};
  ClassScore raw;
  raw.positions = 40;
  raw.mistakes = 3;
  raw.random_mistakes = 20;
  ClassScore search = raw;
  search.mistakes = 1;
  report.raw = {raw};
  report.search = {search};
  report.games.games = 8;
  report.games.held = 7;
  report.games.by_side[0] = 2;
  report.games.held_by_side[0] = 2;
  report.games.by_side[1] = 6;
  report.games.held_by_side[1] = 5;
  return report;
}

TEST(YardstickReport, JsonHasFractionsLossesAndTheViewOfTheMover) {
  const auto json = nlohmann::json::parse(YardstickJson(SomeReport()));
  EXPECT_EQ(json.at("openings"), 2);
  EXPECT_EQ(json.at("openings_right"), 1);
  EXPECT_DOUBLE_EQ(json.at("opening_smallest_margin"), -0.25);
  EXPECT_DOUBLE_EQ(json.at("raw_mistake_fraction"), 3.0 / 40);
  EXPECT_DOUBLE_EQ(json.at("search_mistake_fraction"), 1.0 / 40);
  EXPECT_DOUBLE_EQ(json.at("random_mistake_fraction"), 0.5);
  EXPECT_EQ(json.at("exact_games_lost"), 1);
  EXPECT_EQ(json.at("exact_games_first_lost"), 0);
  EXPECT_EQ(json.at("exact_games_second_lost"), 1);
  EXPECT_EQ(json.at("perfect"), false);
  EXPECT_EQ(json.at("opening_table")[0].at("value"), -1);
  EXPECT_DOUBLE_EQ(json.at("opening_table")[0].at("raw_value"), -0.75);
  EXPECT_DOUBLE_EQ(json.at("opening_table")[1].at("raw_value"), -0.25);
}

TEST(YardstickReport, PerfectNeedsGames) {
  YardstickReport report = SomeReport();
  report.openings[1].raw_value = -0.25;
  report.games.held = 8;
  EXPECT_TRUE(report.is_perfect());
  report.games.games = report.games.held = 0;
  EXPECT_FALSE(report.is_perfect());
}

TEST(YardstickReport, TextNamesWhatIsWrong) {
  EXPECT_EQ(YardstickLine(SomeReport()),
            "openings 1 of 2 (smallest margin -0.25), mistakes raw 7.5 %, search 2.5 %, held 7 of "
            "8 games against perfect play");
  const std::string table = YardstickTable(*FindGame("hex3").value(), SomeReport());
  EXPECT_NE(table.find("b2         wins    -0.250   wrong\n"), table.npos) << table;
  EXPECT_NE(table.find("a1         loses   -0.750\n"), table.npos) << table;
  EXPECT_NE(table.find("held 7 of 8 (first 2 of 2, second 5 of 6)"), table.npos) << table;
}

}  // namespace
}  // namespace az
