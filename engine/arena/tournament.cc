#include "engine/arena/tournament.h"

#include <algorithm>
#include <cmath>
#include <memory>

#include "base/readable.h"
#include "base/strings.h"
#include "engine/arena/rating.h"
#include "engine/arena/superiority.h"

namespace az {
namespace {

std::string Tally(const MatchTally& tally) {
  return StrCat("+", tally.wins, " =", tally.draws, " -", tally.losses);
}

std::string Percent(double share) { return Fixed(100.0 * share, 1) + " %"; }

std::string FirstMoves(const TournamentResults& results, const MatchReport& report) {
  const std::unique_ptr<Position> start = results.game->Start();
  std::string text;
  for (const auto& [action, tally] : report.first_moves()) {
    text += StrCat(text.empty() ? "" : ", ", start->MoveText(action), " ", Percent(tally.score()),
                   " of ", tally.games());
  }
  return text;
}

// A player's forfeits with their reasons: "4 (1 illegal_move, 3 timeout)".
std::string Forfeits(const MatchReport& report, int player) {
  std::string reasons;
  for (const auto& [reason, games] : report.forfeit_reasons(player)) {
    reasons += StrCat(reasons.empty() ? "" : ", ", games, " ", EndReasonName(reason));
  }
  const std::int64_t all = report.forfeits_of(player);
  return reasons.empty() ? StrCat(all) : StrCat(all, " (", reasons, ")");
}

std::string ReplaysText(const MatchScore& score) {
  const std::int64_t all = PairsIn(score.pairs());
  const std::int64_t distinct = PairsIn(score.distinct_pairs());
  if (all == distinct) return "";
  return StrCat("  only ", distinct, " of ", all,
                " pairs are distinct: the others repeat one of them ",
                "move for move and are no evidence; score, Elo, LOS and LLR count each once (more ",
                "openings tell more)\n");
}

std::string MatchText(const TournamentResults& results, const PlayedMatch& match) {
  const MatchReport& report = match.report;
  const std::string& a = results.players[match.meet.a];
  const std::string& b = results.players[match.meet.b];
  std::string text = StrCat(a, " against ", b, ": ", ScoreLine(report, results.sprt), "\n");
  const MatchTally first = report.score().as(Player::kFirst);
  const MatchTally second = report.score().as(Player::kSecond);
  text += StrCat("  moving first ", Tally(first), ", second ", Tally(second),
                 "; pairs 0-2: ", report.score().pairs()[0]);
  for (std::size_t i = 1; i < 5; ++i) text += StrCat(" ", report.score().pairs()[i]);
  text += StrCat("; ", Fixed(report.mean_plies(), 1), " plies a game\n");
  text += ReplaysText(report.score());
  if (match.stopped) {
    text += StrCat("  stopped by the test after ", report.finished(), " of ", match.asked,
                   " games: accepts ", EnumName(*match.stopped));
    if (match.uncounted > 0) {
      text += StrCat("; ", match.uncounted, " more ended meanwhile and do not count");
    }
    text += "\n";
  }
  if (report.forfeits() > 0) {
    text += StrCat("  forfeits: ", a, " ", Forfeits(report, 0), ", ", b, " ", Forfeits(report, 1),
                   "\n");
  }
  if (report.score().given_up() > 0) {
    text += StrCat("  without a result: ", report.score().given_up(), " games\n");
  }
  // Where there are many first moves, only the files list them.
  if (!report.first_moves().empty() && report.first_moves().size() <= 12) {
    text += StrCat("  score of the side that begins, by first move: ", FirstMoves(results, report),
                   "\n");
  }
  return text;
}

// The scores of each row's player against each column's.
std::string CrossTable(const TournamentResults& results) {
  const std::size_t count = results.players.size();
  std::vector<std::vector<MatchTally>> cells(count, std::vector<MatchTally>(count));
  for (const PlayedMatch& match : results.matches) {
    const MatchTally total = match.report.total();
    cells[match.meet.a][match.meet.b] = total;
    cells[match.meet.b][match.meet.a] = {
        .wins = total.losses, .draws = total.draws, .losses = total.wins};
  }
  std::size_t width = 6;
  for (const std::string& player : results.players) width = std::max(width, player.size());
  const std::vector<std::optional<RatedPlayer>> ratings = RatingsOf(results);
  std::string text = LeftAligned("player", width + 5) + RightAligned("Elo", 16) + "  points/games";
  for (std::size_t i = 0; i < count; ++i) text += RightAligned(StrCat("[", i + 1, "]"), 9);
  text += "\n";
  for (std::size_t i = 0; i < count; ++i) {
    MatchTally sum;
    std::string row;
    for (std::size_t j = 0; j < count; ++j) {
      const MatchTally& cell = cells[i][j];
      sum.wins += cell.wins;
      sum.draws += cell.draws;
      sum.losses += cell.losses;
      row += RightAligned(cell.games() == 0 ? "-" : Percent(cell.score()), 9);
    }
    const std::string elo =
        ratings[i] ? StrCat(EloText(ratings[i]->elo), " +- ", Fixed(ratings[i]->margin, 0)) : "-";
    text += LeftAligned(StrCat("[", i + 1, "] ", results.players[i]), width + 5) +
            RightAligned(elo, 16) + "  " +
            LeftAligned(StrCat(Fixed(sum.points(), 1), "/", sum.games()), 12) + row + "\n";
  }
  return text;
}

}  // namespace

Result<TournamentFormat> ParseFormat(std::string_view name) {
  if (const auto format = EnumFromName<TournamentFormat>(name)) return *format;
  return Error{Errc::kInvalid, StrCat("--format ", name, " is neither round_robin nor gauntlet")};
}

std::vector<Meet> MeetsOf(TournamentFormat format, std::size_t players) {
  std::vector<Meet> meets;
  for (std::size_t b = 1; b < players; ++b) {
    const std::size_t rivals = format == TournamentFormat::kGauntlet ? 1 : b;
    for (std::size_t a = 0; a < rivals; ++a) meets.push_back({a, b});
  }
  return meets;
}

std::string EloText(double elo) {
  if (std::isinf(elo)) return elo > 0 ? "+inf" : "-inf";
  return Signed(elo, 0);
}

std::string ScoreLine(const MatchReport& report, const std::optional<Sprt>& sprt) {
  const PairCounts& pairs = report.score().distinct_pairs();
  std::string text = StrCat(Tally(report.total()), ", score ", Percent(report.score().score()));
  if (PairsIn(pairs) > 0) {
    const ScoreEstimate estimate = report.score().Estimate();
    text += StrCat(", Elo ", EloText(estimate.elo), " [", EloText(estimate.elo_interval.low), ", ",
                   EloText(estimate.elo_interval.high), "], LOS ",
                   Percent(LikelihoodOfSuperiority(pairs)));
  }
  if (sprt) {
    text += StrCat(", LLR ", Fixed(sprt->LogRatio(pairs), 2), " (", Fixed(sprt->lower_bound(), 2),
                   " to ", Fixed(sprt->upper_bound(), 2), ")");
  }
  return text;
}

std::string ResultTable(const TournamentResults& results) {
  std::string text;
  for (const PlayedMatch& match : results.matches) text += MatchText(results, match);
  if (results.players.size() > 2) {
    text += "\n";
    text += CrossTable(results);
  }
  return text;
}

std::vector<std::optional<RatedPlayer>> RatingsOf(const TournamentResults& results) {
  std::vector<Meeting> meetings;
  for (const PlayedMatch& match : results.matches) {
    const MatchTally tally = match.report.score().distinct_total();
    if (tally.games() == 0) continue;
    meetings.push_back({match.meet.a, match.meet.b, tally});
  }
  std::vector<std::optional<RatedPlayer>> rated(results.players.size());
  const Result<std::vector<std::optional<Rating>>> fit =
      FitRatings(meetings, {.players = results.players.size()});
  AZ_CHECK(fit.has_value()) << fit.error().message;
  for (std::size_t i = 0; i < rated.size(); ++i) {
    const std::optional<Rating>& rating = (*fit)[i];
    if (rating) rated[i] = {rating->elo, kZ95 * rating->standard_error};
  }
  return rated;
}

}  // namespace az
