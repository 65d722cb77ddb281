#include "engine/loop/summary.h"

#include "base/strings.h"
#include "engine/loop/progress.h"

namespace az {
namespace {

std::string MatchWords(const MatchResult& result) {
  return StrCat("  against ", result.opponent, ": ", result.wins, " wins, ", result.draws,
                " draws, ", result.losses, " losses in ", result.games(), " games, score ",
                Fixed(100 * result.score(), 1), " % (95 % interval ",
                Fixed(100 * result.score_low, 1), " to ", Fixed(100 * result.score_high, 1),
                " %)\n");
}

std::string PromotionWords(const RunState& state) {
  if (state.promotions == 0) return "no candidate was promoted: the first network still plays\n";
  const std::string times = StrCat(state.promotions, state.promotions == 1 ? " time" : " times");
  if (state.gates == 0) return StrCat("the network was replaced ", times, ", without a gate\n");
  return StrCat("the network was promoted ", times, " in ", state.gates, " gate matches\n");
}

}  // namespace

std::string SummaryText(const RunDir& dir) {
  const RunState& state = dir.state();
  std::string text =
      StrCat("run ", dir.path().string(), " is complete: ", state.iteration, " iterations, ",
             state.games, " self-play games, ", state.positions, " training positions in ",
             FormatDuration(state.seconds), "\n", PromotionWords(state));
  if (!state.final_results.empty()) text += "the best network, in measured matches:\n";
  for (const MatchResult& result : state.final_results) {
    if (result.games() > 0) text += MatchWords(result);
  }
  text += StrCat("best network: ", dir.checkpoint(state.best).string(),
                 "\nmetrics: ", dir.metrics().string(), "\nlog: ", dir.log().string());
  return text;
}

}  // namespace az
