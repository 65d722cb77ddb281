#include "engine/fleet/match_run.h"

#include "base/check.h"
#include "engine/arena/pairing.h"
#include "engine/fleet/failure_limit.h"
#include "engine/process/player_message.h"

namespace az {

MatchGame ToMatchGame(const FinishedGame& game) {
  return {.index = game.id.index(),
          .outcome = game.outcome,
          .plies = game.plies,
          .first = game.first,
          .reason = game.reason,
          .moves = game.moves};
}

Replays ReplaysOf(const std::array<PlayerMessage, 2>& players) {
  return DrawsMoves(players[0]) || DrawsMoves(players[1]) ? Replays::kCount : Replays::kCountOnce;
}

Result<MatchEnd> RunMatch(Fleet& fleet, const MatchSpec& spec) {
  AZ_CHECK_EQ(spec.games % 2, 0u);
  MatchCount count(spec.order, spec.is_decided, ReplaysOf(spec.players));
  GamePhaseSpec phase;
  phase.kind = spec.kind;
  phase.iteration = spec.match;
  phase.games = spec.games;
  phase.workers = spec.workers;
  phase.players = {spec.players[0], spec.players[1]};
  if (spec.opening) {
    phase.opening = [&](std::uint32_t index) { return spec.opening(PairOf(index)); };
  }
  phase.on_finished = [&](const FinishedGame& game) {
    count.Add(ToMatchGame(game));
    if (spec.on_game) spec.on_game(count);
    return !count.is_decided() && !TooManyFailed(static_cast<std::uint64_t>(count.given_up()),
                                                 static_cast<std::uint64_t>(count.ended()));
  };
  const std::uint64_t bad_rows = fleet.Totals().bad_rows;
  AZ_RETURN_IF_ERROR(fleet.Play(phase));
  AZ_RETURN_IF_ERROR(CheckFailures(static_cast<std::uint64_t>(count.given_up()),
                                   static_cast<std::uint64_t>(count.ended()),
                                   fleet.Totals().bad_rows - bad_rows));
  return MatchEnd{
      .report = count.report(), .uncounted = count.uncounted(), .was_decided = count.is_decided()};
}

}  // namespace az
