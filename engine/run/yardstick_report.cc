#include "engine/run/yardstick_report.h"

#include <cstddef>
#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>

#include "base/strings.h"

namespace az {
namespace {

using Json = nlohmann::ordered_json;

double Share(double part, int whole) { return whole == 0 ? 0.0 : part / whole; }

// A fraction as "2.5 %".
std::string Percent(double fraction) { return StrCat(Fixed(100 * fraction, 1), " %"); }

std::string_view ValueWord(int for_mover) {
  return for_mover > 0 ? "wins" : for_mover == 0 ? "draws" : "loses";
}

Json ClassesJson(const YardstickReport& report) {
  Json classes = Json::object();
  for (std::size_t i = 0; i < report.raw.size(); ++i) {
    const ClassScore& raw = report.raw[i];
    classes[raw.in_class.Name()] = {{"positions", raw.positions},
                                    {"raw_mistakes", raw.mistakes},
                                    {"search_mistakes", report.search[i].mistakes},
                                    {"random_mistakes", raw.random_mistakes}};
  }
  return classes;
}

Json OpeningsJson(const YardstickReport& report) {
  Json openings = Json::array();
  for (const OpeningAnswer& answer : report.openings) {
    openings.push_back({{"action", Index(answer.opening.first)},
                        {"value", -answer.opening.value},
                        {"raw_value", -answer.raw_value}});
  }
  return openings;
}

std::string MistakesWords(std::string_view who, const ClassScore& score) {
  return StrCat(who, " ", score.mistakes, " of ", score.positions, " (",
                Percent(Share(score.mistakes, score.positions)), ")");
}

std::string StartsOf(const GamesScore& games) {
  return games.from_openings ? "openings" : "won positions";
}

}  // namespace

std::string YardstickJson(const YardstickReport& report) {
  const ClassScore raw = SumOf(report.raw);
  const ClassScore search = SumOf(report.search);
  const GamesScore& games = report.games;
  const Json json = {{"openings", report.openings.size()},
                     {"openings_right", report.openings_right()},
                     {"opening_smallest_margin", report.smallest_margin()},
                     {"positions", raw.positions},
                     {"raw_mistake_fraction", Share(raw.mistakes, raw.positions)},
                     {"search_mistake_fraction", Share(search.mistakes, search.positions)},
                     {"random_mistake_fraction", Share(raw.random_mistakes, raw.positions)},
                     {"exact_games", games.games},
                     {"exact_games_lost", games.games - games.held},
                     {"exact_games_first", games.by_side[0]},
                     {"exact_games_first_lost", games.by_side[0] - games.held_by_side[0]},
                     {"exact_games_second", games.by_side[1]},
                     {"exact_games_second_lost", games.by_side[1] - games.held_by_side[1]},
                     {"exact_games_from", StartsOf(games)},
                     {"guessed_replies", games.guesses},
                     {"perfect", report.is_perfect()},
                     {"classes", ClassesJson(report)},
                     {"opening_table", OpeningsJson(report)}};
  return json.dump();
}

std::string YardstickLine(const YardstickReport& report) {
  const ClassScore raw = SumOf(report.raw);
  const ClassScore search = SumOf(report.search);
  return StrCat("openings ", report.openings_right(), " of ", report.openings.size(),
                " (smallest margin ", Fixed(report.smallest_margin(), 2), "), mistakes raw ",
                Percent(Share(raw.mistakes, raw.positions)), ", search ",
                Percent(Share(search.mistakes, search.positions)), ", held ", report.games.held,
                " of ", report.games.games, " games against perfect play");
}

std::string YardstickTable(const GameOps& game, const YardstickReport& report) {
  const std::unique_ptr<Position> start = game.Start();
  std::string text = "opening    exact   raw value   (view of who makes the move)\n";
  for (const OpeningAnswer& answer : report.openings) {
    char line[96];
    std::snprintf(line, sizeof line, "%-10s %-7s %+6.3f%s\n",
                  start->MoveText(answer.opening.first).c_str(),
                  std::string(ValueWord(-answer.opening.value)).c_str(), -answer.raw_value,
                  answer.margin() > 0 ? "" : "   wrong");
    text += line;
  }
  text += StrCat("openings right: ", report.openings_right(), " of ", report.openings.size(),
                 ", smallest margin ", Fixed(report.smallest_margin(), 3), "\n");
  for (std::size_t i = 0; i < report.raw.size(); ++i) {
    text += StrCat("mistakes ", report.raw[i].in_class.Name(), ": ",
                   MistakesWords("raw policy", report.raw[i]), ", ",
                   MistakesWords("search", report.search[i]), "\n");
  }
  const ClassScore raw = SumOf(report.raw);
  text += StrCat("mistakes in all: ", MistakesWords("raw policy", raw), ", ",
                 MistakesWords("search", SumOf(report.search)), ", random moves ",
                 Percent(Share(raw.random_mistakes, raw.positions)), "\n");
  const GamesScore& games = report.games;
  text += StrCat("against perfect play, from ", StartsOf(games), ": held ", games.held, " of ",
                 games.games, " (first ", games.held_by_side[0], " of ", games.by_side[0],
                 ", second ", games.held_by_side[1], " of ", games.by_side[1], ")");
  if (games.guesses > 0) {
    text += StrCat("; ", games.guesses, " replies were too early for the solver: any move");
  }
  return text;
}

}  // namespace az
