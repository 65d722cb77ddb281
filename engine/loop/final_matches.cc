// The end of a run: measured matches of the best network.

#include "base/strings.h"
#include "engine/loop/match_text.h"
#include "engine/loop/training_loop.h"

namespace az {

Result<void> TrainingLoop::FinalMatch(std::size_t number, const Opponent& opponent) {
  RunState& state = s_.dir.state();
  if (state.final_results.size() > number) return {};  // played before a kill
  // Ids of final games differ from those of an earlier end of this run, before loop.iterations was
  // raised.
  const auto match = state.iteration * 8 + static_cast<std::uint32_t>(number);
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

Result<void> TrainingLoop::Final() {
  AZ_RETURN_IF_ERROR(Yardstick(true));
  AZ_RETURN_IF_ERROR(s_.governor.Prepare(PlanPhase::kArena));
  if (s_.config.arena.final_games > 0) {
    AZ_RETURN_IF_ERROR(FinalMatch(0, CheckpointOpponent("its first network", CheckpointName(0))));
    AZ_RETURN_IF_ERROR(FinalMatch(1, RandomOpponent()));
    AZ_RETURN_IF_ERROR(FinalMatch(2, MctsOpponent()));
  }
  s_.dir.state().phase = Phase::kComplete;
  return {};
}

}  // namespace az
