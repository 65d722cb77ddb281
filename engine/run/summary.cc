#include "engine/run/summary.h"

#include <algorithm>
#include <vector>

#include "base/files.h"
#include "base/strings.h"
#include "engine/run/health.h"
#include "engine/run/match_text.h"
#include "engine/run/progress.h"

namespace az {
namespace {

std::string MatchWords(const MatchResult& result) {
  return StrCat("  against ", result.opponent, ": ", result.wins, " wins, ", result.draws,
                " draws, ", result.losses, " losses in ", result.games(), " games, score ",
                ScoreText(result), " (95 % interval ", Fixed(100 * result.score_low, 1), " to ",
                Fixed(100 * result.score_high, 1), " %)\n");
}

std::string PromotionWords(const RunState& state) {
  if (state.promotions == 0) return "no candidate was promoted: the first network still plays\n";
  const std::string times = StrCat(state.promotions, state.promotions == 1 ? " time" : " times");
  if (state.gates == 0) return StrCat("the network was replaced ", times, ", without a gate\n");
  return StrCat("the network was promoted ", times, " in ", state.gates, " gate matches\n");
}

std::string EloWords(const RatedName& rated) {
  return StrCat(rated.name, " ", rated.elo >= 0 ? "+" : "", Fixed(rated.elo, 0), " +- ",
                Fixed(rated.margin, 0));
}

// The curve over the networks that met others, thinned to a line or two, and whoever else played.
std::string RatingWords(const MatchHistory& history) {
  const std::string first = CheckpointName(0);
  std::vector<RatedName> networks;
  std::string others;
  for (const RatedName& rated : history.Ratings(first)) {
    const bool is_plain = rated.name.find('?') == std::string::npos;  // no settings of its own
    if (is_plain && rated.name.starts_with("iter_")) {
      networks.push_back(rated);
    } else {
      others += StrCat(others.empty() ? "" : ", ", EloWords(rated));
    }
  }
  if (networks.size() < 2) return "";
  std::string text = StrCat("Elo from all ", history.matches().size(),
                            " matches of the run, its first network 0 (95 %):\n");
  constexpr std::size_t kPoints = 8;
  const std::size_t points = std::min(kPoints, networks.size());
  for (std::size_t i = 0; i < points; ++i) {
    text += StrCat("  ", EloWords(networks[i * (networks.size() - 1) / (points - 1)]), "\n");
  }
  if (!others.empty()) text += StrCat("  ", others, "\n");
  for (const Upset& upset : history.Upsets(first)) {
    text += StrCat("  not explained by these: ", upset.match.a, " scored ",
                   Fixed(100 * upset.match.distinct().score(), 0), " % of ",
                   upset.match.distinct().games(), " games against ", upset.match.b, ", expected ",
                   Fixed(100 * upset.expected, 0), " %\n");
  }
  return text;
}

// The warnings that stand. A metrics file that cannot be read says nothing about the run's health.
std::string HealthWords(const std::filesystem::path& metrics) {
  const Result<std::string> lines = ReadFile(metrics);
  if (!lines) return "";
  std::string text;
  for (const HealthWarning& warning : JudgeHealth(ReadHealth(*lines))) {
    text += StrCat("warning: ", warning.text, "\n");
  }
  return text;
}

}  // namespace

std::string SummaryText(const RunDir& dir, const MatchHistory& history) {
  const RunState& state = dir.state();
  std::string text =
      StrCat("run ", dir.path().string(), " is complete: ", state.iteration, " iterations, ",
             state.games, " self-play games, ", state.positions, " training positions in ",
             FormatDuration(state.seconds), "\n", PromotionWords(state));
  if (!state.final_results.empty()) text += "the best network, in measured matches:\n";
  for (const MatchResult& result : state.final_results) {
    if (result.games() > 0) text += MatchWords(result);
  }
  if (!state.yardstick.last.empty()) {
    text += StrCat("against the exact solver, ", state.yardstick.last, "\n");
  }
  text += RatingWords(history);
  text += HealthWords(dir.metrics());
  text += StrCat("best network: ", dir.checkpoint(state.best).string(),
                 "\nmetrics: ", dir.metrics().string(), "\nlog: ", dir.log().string());
  return text;
}

}  // namespace az
