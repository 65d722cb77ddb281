// The end of a run: measured matches of the best network.

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "base/strings.h"
#include "engine/loop/training_loop.h"
#include "engine/run/match_text.h"

namespace az {
namespace {

constexpr std::uint32_t kMatchesOfAnEnd = 8;
constexpr std::uint32_t kMctsMatch = 2;  // and all after it, one for each number of simulations

}  // namespace

// `order`: in the summary. `number`: below kMatchesOfAnEnd, of one opponent for good.
Result<void> TrainingLoop::FinalMatch(std::size_t order, std::uint32_t number,
                                      const Opponent& opponent) {
  RunState& state = s_.dir.state();
  if (state.final_results.size() > order) return {};  // played before a kill
  // Ids of final games differ from those of an earlier end of this run, before loop.iterations was
  // raised.
  const std::uint32_t match = state.iteration * kMatchesOfAnEnd + number;
  AZ_ASSIGN_OR_RETURN(const MatchReport report, PlayMatch({.kind = GameKind::kFinal,
                                                           .number = match,
                                                           .games = s_.config.arena.final_games,
                                                           .opening_plies = 1,
                                                           .shown_as = Phase::kFinal,
                                                           .is_decided = {}},
                                                          opponent));
  const MatchResult result = ToResult(report.score(), opponent.words);
  MetricsLine line;
  line.Add("kind", std::string_view("final_match"))
      .Add("opponent", std::string_view(opponent.words))
      .Add("wins", result.wins)
      .Add("draws", result.draws)
      .Add("losses", result.losses)
      .Add("score_fraction", result.score())
      .Add("distinct_pairs", PairsIn(report.score().distinct_pairs()));
  AZ_RETURN_IF_ERROR(s_.metrics.Append(line));
  state.final_results.push_back(result);
  return SaveState();
}

// A match that was stopped may go on under another config, and must not count games against another
// number of simulations.
Result<std::uint32_t> TrainingLoop::NumberOfMctsMatch() {
  std::vector<int>& begun = s_.dir.state().final_mcts;
  const int visits = s_.config.arena.final_mcts_visits;
  const auto known = std::ranges::find(begun, visits);
  const auto number = kMctsMatch + static_cast<std::uint32_t>(known - begun.begin());
  if (known != begun.end()) return number;
  if (number >= kMatchesOfAnEnd) {
    std::vector<std::string> others;
    for (const int other : begun) others.push_back(StrCat(other));
    return Error{Errc::kInvalid, StrCat("arena.final_mcts_visits: ", visits,
                                        ": this end of the run has begun with ", others.size(),
                                        " other numbers already, which is the limit; use one of ",
                                        Join(others, ", "))};
  }
  begun.push_back(visits);
  AZ_RETURN_IF_ERROR(SaveState());
  return number;
}

Result<void> TrainingLoop::Final() {
  AZ_RETURN_IF_ERROR(Yardstick(true));
  AZ_RETURN_IF_ERROR(s_.governor.Prepare(PlanPhase::kArena));
  if (s_.config.arena.final_games > 0) {
    AZ_RETURN_IF_ERROR(
        FinalMatch(0, 0, CheckpointOpponent("its first network", CheckpointName(0))));
    AZ_RETURN_IF_ERROR(FinalMatch(1, 1, RandomOpponent()));
    AZ_ASSIGN_OR_RETURN(const std::uint32_t mcts, NumberOfMctsMatch());
    AZ_RETURN_IF_ERROR(FinalMatch(2, mcts, MctsOpponent()));
  }
  s_.dir.state().phase = Phase::kComplete;
  return {};
}

}  // namespace az
