// The matches of a run: the gate, and what all of them say of the networks' strength.

#include "base/hash.h"
#include "base/strings.h"
#include "engine/arena/pairing.h"
#include "engine/loop/training_loop.h"
#include "engine/run/match_text.h"

namespace az {
namespace {

PlayerMessage NetPlayer(int model, int visits) {
  PlayerMessage player;
  player.type = PlayerType::kNet;
  player.model = model;
  player.visits = visits;
  return player;
}

PlayerMessage OtherPlayer(PlayerType type, int visits) {
  PlayerMessage player;
  player.type = type;
  player.visits = visits;
  return player;
}

int VisitsOf(const RunConfig& config) { return config.arena.visits.value_or(config.search.visits); }

}  // namespace

TrainingLoop::Opponent TrainingLoop::CheckpointOpponent(std::string words,
                                                        const std::string& name) const {
  return {.words = std::move(words),
          .name = name,
          .player = NetPlayer(1, VisitsOf(s_.config)),
          .weights = s_.dir.checkpoint(name)};
}

TrainingLoop::Opponent TrainingLoop::RandomOpponent() {
  return {.words = "random moves",
          .name = "random",
          .player = OtherPlayer(PlayerType::kRandom, 0),
          .weights = {}};
}

TrainingLoop::Opponent TrainingLoop::MctsOpponent() const {
  const int visits = s_.config.arena.final_mcts_visits;
  return {.words = StrCat("pure MCTS with ", visits, " simulations"),
          .name = StrCat("mcts:sims=", visits),
          .player = OtherPlayer(PlayerType::kPureMcts, visits),
          .weights = {}};
}

Result<MatchReport> TrainingLoop::PlayMatch(const Match& match, const Opponent& opponent) {
  RunState& state = s_.dir.state();
  if (!opponent.weights.empty()) {
    AZ_RETURN_IF_ERROR(s_.governor.Load(1, opponent.weights, state.next_version++));
  }
  const std::uint64_t seed = HashCombine(
      HashCombine(s_.config.run.seed, static_cast<std::uint64_t>(match.kind)), match.number);
  const OpeningDealer openings(s_.game, match.opening_plies, seed);
  MatchSpec spec;
  spec.kind = match.kind;
  spec.match = match.number;
  spec.games = GamesOfMatch(static_cast<std::uint32_t>(match.games));
  spec.players = {NetPlayer(match.is_candidates ? 1 : 0, VisitsOf(s_.config)), opponent.player};
  spec.opening = [&](std::uint32_t pair) { return openings.Opening(pair); };
  if (match.is_decided) spec.order = CountOrder::kByPair;
  spec.is_decided = match.is_decided;
  spec.on_game = [&](const MatchCount& count) {
    view_.done = count.ended();
    view_.arena = ToResult(count.report().score(), opponent.words);
  };
  view_.arena = ToResult(MatchScore(), opponent.words);
  BeginPhase(match.shown_as, spec.games, opponent.words);
  MatchEnd end;
  AZ_RETURN_IF_ERROR(s_.governor.Play([&]() -> Result<void> {
    spec.workers = plan().arena_workers;
    AZ_ASSIGN_OR_RETURN(end, RunMatch(s_.fleet, spec));
    return {};
  }));
  // No other phase has memory for a second network; EndPhase gives the freed bytes back.
  if (match.is_candidates || !opponent.weights.empty()) s_.fleet.Unload(1);
  AZ_RETURN_IF_ERROR(s_.governor.EndPhase());
  AZ_RETURN_IF_ERROR(s_.history.Add({.kind = match.kind,
                                     .match = match.number,
                                     .a = match.is_candidates ? state.candidate : state.best,
                                     .b = opponent.name,
                                     .tally = end.report.total(),
                                     .replayed = end.report.score().replayed()}));
  return std::move(end.report);
}

// `games`: of the match as it stands in the config, or those it came to when it is over.
GateVerdict TrainingLoop::Judge(const MatchReport& report, std::int64_t games) const {
  if (sprt_) return DecideGate(*sprt_, games, report.score());
  const MatchScore& score = report.score();
  return DecideGate({.games = games, .threshold = static_cast<double>(s_.config.arena.threshold)},
                    score.distinct_total(), score.given_up() + score.replayed().games());
}

Result<void> TrainingLoop::Arena() {
  AZ_RETURN_IF_ERROR(s_.governor.Prepare(PlanPhase::kArena));
  RunState& state = s_.dir.state();
  AZ_RETURN_IF_ERROR(s_.governor.Load(1, s_.dir.checkpoint(state.candidate), state.next_version++));
  const auto games = GamesOfMatch(static_cast<std::uint32_t>(s_.config.arena.games));
  AZ_ASSIGN_OR_RETURN(const MatchReport report,
                      PlayMatch({.kind = GameKind::kGate,
                                 .number = state.iteration,
                                 .games = s_.config.arena.games,
                                 .opening_plies = s_.config.arena.opening_plies,
                                 .shown_as = Phase::kArena,
                                 .is_candidates = true,
                                 .is_decided =
                                     [&](const MatchReport& so_far) {
                                       return Judge(so_far, games) != GateVerdict::kUndecided;
                                     }},
                                {.words = "best",
                                 .name = state.best,
                                 .player = NetPlayer(0, VisitsOf(s_.config)),
                                 .weights = {}}));
  const bool is_promoted = Judge(report, report.finished()) == GateVerdict::kPass;
  const MatchResult result = ToResult(report.score(), "best");
  MetricsLine metrics;
  metrics.Add("arena_s", Seconds(s_.clock.Now() - phase_started_))
      .Add("arena_wins", result.wins)
      .Add("arena_draws", result.draws)
      .Add("arena_losses", result.losses)
      .Add("arena_score_fraction", result.score())
      .Add("promoted", std::int64_t{is_promoted ? 1 : 0});
  AZ_RETURN_IF_ERROR(KeepMetrics(metrics));
  state.gates += 1;
  s_.display.Say(StrCat("iteration ", state.iteration + 1, ": candidate against best ",
                        ResultText(result), " in ", result.games(), " games, ",
                        is_promoted ? "promoted" : "not promoted"));
  state.phase = Phase::kPublish;
  // A redone publish must not need the match again: promotion is part of the saved state.
  if (is_promoted) {
    state.best = state.candidate;
    state.best_version = 0;
    state.promotions += 1;
  }
  return {};
}

// Where the best network stands on the run's own scale: its first network is 0.
void TrainingLoop::AddRatings(MetricsLine& line) const {
  const std::string first = CheckpointName(0);
  for (const RatedName& rated : s_.history.Ratings(first)) {
    if (rated.name != s_.dir.state().best || rated.name == first) continue;
    line.Add("best_elo", rated.elo).Add("best_elo_margin", rated.margin);
  }
  line.Add("upsets", static_cast<std::int64_t>(s_.history.Upsets(first).size()));
}

}  // namespace az
