// The end of a run: measured matches of the best network.

#include "base/strings.h"
#include "engine/loop/training_loop.h"

namespace az {
Result<void> TrainingLoop::FinalMatch(std::size_t number, const std::string& opponent,
                                      PlayerMessage player, std::optional<std::string> checkpoint) {
  RunState& state = s_.dir.state();
  if (state.final_results.size() > number) return {};  // played before a kill
  if (checkpoint) {
    AZ_RETURN_IF_ERROR(s_.governor.Load(1, s_.dir.checkpoint(*checkpoint), state.next_version++));
  }
  // Ids of final games differ from those of an earlier end of this run, before loop.iterations was
  // raised.
  const auto match = state.iteration * 8 + static_cast<std::uint32_t>(number);
  AZ_ASSIGN_OR_RETURN(
      const MatchResult result,
      PlayMatch(GameKind::kFinal, match, s_.config.arena.final_games, 1, player, opponent, false));
  MetricsLine line;
  line.Add("kind", std::string_view("final_match"))
      .Add("opponent", std::string_view(opponent))
      .Add("wins", result.wins)
      .Add("draws", result.draws)
      .Add("losses", result.losses)
      .Add("score_fraction", result.score());
  AZ_RETURN_IF_ERROR(s_.metrics.Append(line));
  state.final_results.push_back(result);
  return SaveState();
}

Result<void> TrainingLoop::Final() {
  if (s_.config.arena.final_games > 0) {
    const ArenaOptions& arena = s_.config.arena;
    const int visits = arena.visits.value_or(s_.config.search.visits);
    AZ_RETURN_IF_ERROR(FinalMatch(0, "its first network",
                                  {.type = PlayerType::kNet, .model = 1, .visits = visits},
                                  CheckpointName(0)));
    AZ_RETURN_IF_ERROR(FinalMatch(1, "random moves", {.type = PlayerType::kRandom}, std::nullopt));
    AZ_RETURN_IF_ERROR(FinalMatch(
        2, StrCat("pure MCTS with ", arena.final_mcts_visits, " simulations"),
        {.type = PlayerType::kPureMcts, .visits = arena.final_mcts_visits}, std::nullopt));
  }
  s_.dir.state().phase = Phase::kComplete;
  return {};
}

}  // namespace az
