// Results as JSON and CSV.

#include <cmath>
#include <memory>
#include <nlohmann/json.hpp>

#include "base/strings.h"
#include "engine/arena/superiority.h"
#include "engine/arena/tournament.h"

namespace az {
namespace {

using Json = nlohmann::ordered_json;

Json Number(double value) { return std::isfinite(value) ? Json(value) : Json(nullptr); }

Json TallyJson(const MatchTally& tally) {
  return {{"wins", tally.wins}, {"draws", tally.draws}, {"losses", tally.losses}};
}

Json SprtJson(const TournamentResults& results, const PlayedMatch& match) {
  if (!results.sprt) return nullptr;
  const Sprt& sprt = *results.sprt;
  const PairCounts& pairs = match.report.score().distinct_pairs();
  return {{"elo0", sprt.options().elo0},
          {"elo1", sprt.options().elo1},
          {"alpha", sprt.options().alpha},
          {"beta", sprt.options().beta},
          {"llr", sprt.LogRatio(pairs)},
          {"lower", sprt.lower_bound()},
          {"upper", sprt.upper_bound()},
          {"verdict", EnumName(match.stopped.value_or(sprt.Verdict(pairs)))},
          {"stopped", match.stopped.has_value()}};
}

Json FirstMovesJson(const GameOps& game, const MatchReport& report) {
  Json moves = Json::array();
  const std::unique_ptr<Position> start = game.Start();
  for (const auto& [action, tally] : report.first_moves()) {
    moves.push_back({{"move", start->MoveText(action)},
                     {"games", tally.games()},
                     {"wins", tally.wins},
                     {"draws", tally.draws},
                     {"losses", tally.losses},
                     {"score", tally.score()}});
  }
  return moves;
}

Json ReasonsJson(const MatchReport& report, int player) {
  Json reasons = Json::object();
  for (const auto& [reason, games] : report.forfeit_reasons(player)) {
    reasons[std::string(EndReasonName(reason))] = games;
  }
  return reasons;
}

Json MatchJson(const TournamentResults& results, const PlayedMatch& match) {
  const MatchReport& report = match.report;
  const MatchTally total = report.total();
  const ScoreEstimate estimate = report.score().Estimate();
  return {{"players", {{"a", results.players[match.meet.a]}, {"b", results.players[match.meet.b]}}},
          {"games", total.games()},
          {"games_asked", match.asked},
          {"wins", total.wins},
          {"draws", total.draws},
          {"losses", total.losses},
          {"by_colour",
           {{"first", TallyJson(report.score().as(Player::kFirst))},
            {"second", TallyJson(report.score().as(Player::kSecond))}}},
          {"score", report.score().score()},
          {"score_low", estimate.score_interval.low},
          {"score_high", estimate.score_interval.high},
          {"elo", Number(estimate.elo)},
          {"elo_low", Number(estimate.elo_interval.low)},
          {"elo_high", Number(estimate.elo_interval.high)},
          {"los", LikelihoodOfSuperiority(report.score().distinct_pairs())},
          {"sprt", SprtJson(results, match)},
          {"pairs", report.score().pairs()},
          {"distinct_pairs", report.score().distinct_pairs()},
          {"average_length", report.mean_plies()},
          {"first_moves", FirstMovesJson(*results.game, report)},
          {"forfeits", {{"a", report.forfeits_of(0)}, {"b", report.forfeits_of(1)}}},
          {"forfeit_reasons", {{"a", ReasonsJson(report, 0)}, {"b", ReasonsJson(report, 1)}}},
          {"given_up", report.score().given_up()},
          {"uncounted", match.uncounted}};
}

// A player's forfeits with their reasons: "timeout 2; refused 1".
std::string ReasonsText(const MatchReport& report, int player) {
  std::string text;
  for (const auto& [reason, games] : report.forfeit_reasons(player)) {
    text += StrCat(text.empty() ? "" : "; ", EndReasonName(reason), " ", games);
  }
  return text;
}

std::string Quoted(std::string_view text) {
  if (text.find_first_of(",\"\n") == std::string_view::npos) return std::string(text);
  std::string quoted = "\"";
  for (const char c : text) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
  return quoted + "\"";
}

// The text of a cell; empty for a value that is not finite.
std::string Cell(double value) { return std::isfinite(value) ? StrCat(value) : ""; }

}  // namespace

std::string ResultJson(const TournamentResults& results) {
  Json json = {{"format", 1},
               {"game", results.game->info().entry},
               {"openings", results.openings},
               {"tournament", EnumName(results.format)}};
  if (results.players.size() == 2) {
    for (const PlayedMatch& match : results.matches) json.update(MatchJson(results, match));
    return json.dump(-1, ' ', false, Json::error_handler_t::replace);
  }
  const std::vector<std::optional<RatedPlayer>> ratings = RatingsOf(results);
  json["players"] = Json::array();
  for (std::size_t i = 0; i < results.players.size(); ++i) {
    json["players"].push_back(
        {{"name", results.players[i]},
         {"elo", ratings[i] ? Json(ratings[i]->elo) : Json(nullptr)},
         {"elo_margin", ratings[i] ? Json(ratings[i]->margin) : Json(nullptr)}});
  }
  json["matches"] = Json::array();
  for (const PlayedMatch& match : results.matches) {
    json["matches"].push_back(MatchJson(results, match));
  }
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::string ResultCsv(const TournamentResults& results) {
  std::string text =
      "a,b,games,wins,draws,losses,first_wins,first_draws,first_losses,second_wins,second_draws,"
      "second_losses,score,elo,elo_low,elo_high,los,pairs_0,pairs_1,pairs_2,pairs_3,pairs_4,"
      "average_length,forfeits_a,forfeits_b,forfeit_reasons_a,forfeit_reasons_b\n";
  for (const PlayedMatch& match : results.matches) {
    const MatchReport& report = match.report;
    const ScoreEstimate estimate = report.score().Estimate();
    text += StrCat(Quoted(results.players[match.meet.a]), ",",
                   Quoted(results.players[match.meet.b]), ",", report.total().games());
    for (const MatchTally& tally :
         {report.total(), report.score().as(Player::kFirst), report.score().as(Player::kSecond)}) {
      text += StrCat(",", tally.wins, ",", tally.draws, ",", tally.losses);
    }
    text += StrCat(",", report.score().score(), ",", Cell(estimate.elo), ",",
                   Cell(estimate.elo_interval.low), ",", Cell(estimate.elo_interval.high), ",",
                   LikelihoodOfSuperiority(report.score().distinct_pairs()));
    for (const std::int64_t count : report.score().pairs()) text += StrCat(",", count);
    text += StrCat(",", report.mean_plies(), ",", report.forfeits_of(0), ",", report.forfeits_of(1),
                   ",", ReasonsText(report, 0), ",", ReasonsText(report, 1), "\n");
  }
  return text;
}

}  // namespace az
