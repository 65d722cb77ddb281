#include "engine/run/match_history.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <system_error>
#include <utility>

#include "base/files.h"
#include "base/strings.h"
#include "engine/arena/rating.h"

namespace az {
namespace {

constexpr double kUpset = 3.0;  // standard errors

Result<HistoricMatch> FromLine(std::string_view line) {
  try {
    const auto json = nlohmann::json::parse(line);
    return HistoricMatch{.kind = static_cast<GameKind>(json.at("kind").get<int>()),
                         .match = json.at("match").get<std::uint32_t>(),
                         .a = json.at("a").get<std::string>(),
                         .b = json.at("b").get<std::string>(),
                         .tally = {.wins = json.at("wins").get<std::int64_t>(),
                                   .draws = json.at("draws").get<std::int64_t>(),
                                   .losses = json.at("losses").get<std::int64_t>()},
                         // Lines of older builds have none.
                         .replayed = {.wins = json.value("replayed_wins", std::int64_t{0}),
                                      .draws = json.value("replayed_draws", std::int64_t{0}),
                                      .losses = json.value("replayed_losses", std::int64_t{0})}};
  } catch (const nlohmann::json::exception& error) {
    return Error{Errc::kCorrupt, error.what()};
  }
}

bool Has(const std::vector<HistoricMatch>& matches, GameKind kind, std::uint32_t match) {
  return std::ranges::any_of(matches, [&](const HistoricMatch& known) {
    return known.kind == kind && known.match == match;
  });
}

MetricsLine ToLine(const HistoricMatch& match) {
  MetricsLine line;
  line.Add("kind", static_cast<std::int64_t>(match.kind))
      .Add("match", static_cast<std::int64_t>(match.match))
      .Add("a", std::string_view(match.a))
      .Add("b", std::string_view(match.b))
      .Add("wins", match.tally.wins)
      .Add("draws", match.tally.draws)
      .Add("losses", match.tally.losses)
      .Add("replayed_wins", match.replayed.wins)
      .Add("replayed_draws", match.replayed.draws)
      .Add("replayed_losses", match.replayed.losses);
  return line;
}

}  // namespace

Result<std::vector<HistoricMatch>> ReadMatches(const std::filesystem::path& path) {
  std::error_code code;
  if (!std::filesystem::exists(path, code)) return std::vector<HistoricMatch>();
  AZ_ASSIGN_OR_RETURN(const std::string text, ReadFile(path));
  std::vector<HistoricMatch> matches;
  for (const std::string_view line : Split(text, '\n')) {
    if (Trim(line).empty()) continue;
    Result<HistoricMatch> match = FromLine(line);
    if (match && !Has(matches, match->kind, match->match)) {
      matches.push_back(std::move(match).value());
    }
  }
  return matches;
}

Result<MatchHistory> MatchHistory::Open(const std::filesystem::path& path) {
  AZ_ASSIGN_OR_RETURN(std::vector<HistoricMatch> matches, ReadMatches(path));
  AZ_ASSIGN_OR_RETURN(MetricsFile file, MetricsFile::Open(path));
  MatchHistory history(std::move(file));
  history.matches_ = std::move(matches);
  return history;
}

bool MatchHistory::Holds(GameKind kind, std::uint32_t match) const {
  return Has(matches_, kind, match);
}

Result<void> MatchHistory::Add(const HistoricMatch& match) {
  if (Holds(match.kind, match.match)) return {};
  AZ_RETURN_IF_ERROR(file_.Append(ToLine(match)));
  matches_.push_back(match);
  return {};
}

std::vector<RatedName> MatchHistory::Ratings(std::string_view anchor) const {
  std::map<std::string, std::size_t, std::less<>> numbers = {{std::string(anchor), 0}};
  for (const HistoricMatch& match : matches_) {
    for (const std::string& name : {match.a, match.b}) numbers.try_emplace(name, 0);
  }
  std::size_t number = 0;
  for (auto& [name, value] : numbers) value = number++;
  std::vector<Meeting> meetings;
  for (const HistoricMatch& match : matches_) {
    const std::size_t a = numbers.at(match.a);
    const std::size_t b = numbers.at(match.b);
    if (a != b && match.distinct().games() > 0) meetings.push_back({a, b, match.distinct()});
  }
  const Result<std::vector<std::optional<Rating>>> fit =
      FitRatings(meetings, {.players = numbers.size(), .anchor = numbers.find(anchor)->second});
  AZ_CHECK(fit.has_value()) << fit.error().message;
  std::vector<RatedName> rated;
  for (const auto& [name, value] : numbers) {
    const std::optional<Rating>& rating = (*fit)[value];
    if (rating) rated.push_back({name, rating->elo, kZ95 * rating->standard_error});
  }
  return rated;
}

std::vector<Upset> MatchHistory::Upsets(std::string_view anchor) const {
  std::map<std::string, double, std::less<>> elo;
  for (const RatedName& rated : Ratings(anchor)) elo[rated.name] = rated.elo;
  std::vector<Upset> upsets;
  for (const HistoricMatch& match : matches_) {
    const MatchTally tally = match.distinct();
    if (!elo.contains(match.a) || !elo.contains(match.b) || tally.games() == 0) continue;
    const double expected = ScoreOfElo(elo[match.a] - elo[match.b]);
    const double error = std::sqrt(expected * (1 - expected) / static_cast<double>(tally.games()));
    if (std::abs(tally.score() - expected) > kUpset * error) {
      upsets.push_back({match, expected});
    }
  }
  return upsets;
}

}  // namespace az
