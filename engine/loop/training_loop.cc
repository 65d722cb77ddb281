#include "engine/loop/training_loop.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/strings.h"
#include "engine/fleet/failure_limit.h"
#include "engine/run/health.h"

namespace az {
namespace {

double Since(TimePoint start, const Clock& clock) { return Seconds(clock.Now() - start); }

PlanPhase PlanPhaseOf(Phase phase) {
  switch (phase) {
    case Phase::kSelfPlay:
      return PlanPhase::kSelfPlay;
    case Phase::kTrain:
      return PlanPhase::kTrain;
    case Phase::kArena:
    case Phase::kFinal:
      return PlanPhase::kArena;
    case Phase::kPublish:
    case Phase::kComplete:
      return PlanPhase::kPublish;
  }
  return PlanPhase::kPublish;
}

}  // namespace

TrainingLoop::TrainingLoop(const Setup& setup)
    : s_(setup),
      lessons_(
          setup.dir.state().memory, [&dir = setup.dir] { return dir.SaveState(); }, setup.clock,
          setup.log),
      started_(setup.clock.Now()),
      seconds_before_(setup.dir.state().seconds),
      iteration_started_(started_) {
  view_.run = s_.dir.path().filename().string();
  view_.game = s_.game.info().entry;
  view_.device = s_.fleet.DeviceText();
  view_.workers = plan().num_workers;
  view_.iterations = s_.config.loop.iterations;
  view_.memory_budget = plan().ram_budget;
  if (s_.config.arena.gate == Gate::kSprt) {
    sprt_ = Sprt::Create(s_.config.arena.sprt).value();  // Validate has seen them
  }
}

Result<void> TrainingLoop::Run() {
  Result<void> run = Phases();
  // The phase is done again from where it was saved; the time that it took counts.
  if (!run && run.error().code == Errc::kStopped) {
    s_.dir.state().totals.is_open = false;  // self-play has counted
    AZ_RETURN_IF_ERROR(SaveState());
  }
  lessons_.Keep();
  return run;
}

Result<void> TrainingLoop::Phases() {
  RunState& state = s_.dir.state();
  if (state.best.empty()) AZ_RETURN_IF_ERROR(CreateFirstNetwork());
  ForgetLostBytes();
  const auto iterations = static_cast<std::uint32_t>(s_.config.loop.iterations);
  const bool has_ended = state.phase == Phase::kComplete || state.phase == Phase::kFinal;
  if (has_ended && state.iteration < iterations) {
    state.phase = Phase::kSelfPlay;  // loop.iterations was raised
    state.final_results.clear();
    state.final_mcts.clear();
  }
  AZ_RETURN_IF_ERROR(LoadBest());
  counted_ = s_.fleet.Totals();
  while (state.phase != Phase::kComplete) {
    AZ_RETURN_IF_ERROR(SaveState());
    switch (state.phase) {
      case Phase::kSelfPlay:
        if (state.iteration >= iterations) {
          state.phase = Phase::kFinal;
        } else {
          AZ_RETURN_IF_ERROR(Yardstick(false));
          AZ_RETURN_IF_ERROR(OpenTotals());
          AZ_RETURN_IF_ERROR(SelfPlay());
        }
        break;
      case Phase::kTrain:
        AZ_RETURN_IF_ERROR(Train());
        break;
      case Phase::kArena:
        AZ_RETURN_IF_ERROR(Arena());
        break;
      case Phase::kPublish:
        AZ_RETURN_IF_ERROR(Publish());
        break;
      case Phase::kFinal:
        AZ_RETURN_IF_ERROR(Final());
        break;
      case Phase::kComplete:
        break;
    }
  }
  return SaveState();
}

Result<void> TrainingLoop::OpenTotals() {
  IterationTotals& totals = s_.dir.state().totals;
  totals.has_lost |= totals.is_open;
  totals.is_open = true;
  return SaveState();
}

Result<void> TrainingLoop::CreateFirstNetwork() {
  AZ_RETURN_IF_ERROR(s_.governor.Prepare(PlanPhase::kTrain));  // it has the learner's state
  RunState& state = s_.dir.state();
  TrainMessage message;
  message.to = s_.dir.checkpoint(CheckpointName(0)).string();
  AZ_ASSIGN_OR_RETURN(const TrainedMessage trained, TrainFleet(message, [](const auto&) {}));
  state.best = state.learner = CheckpointName(0);
  // Fixed for the run's life: another plan after a resume must not change what an iteration is.
  state.games_per_iteration = GamesPerIteration();
  s_.log.Info(StrCat("event=first_network path=", trained.path));
  return SaveState();
}

// What was cut off as damaged when the fleet started cannot be trained on again.
void TrainingLoop::ForgetLostBytes() {
  for (const LaneBytes& have : s_.fleet.JournalBytes()) {
    for (LaneBytes& read : s_.dir.state().train_reads) {
      if (read.file == have.file) read.bytes = std::min(read.bytes, have.bytes);
    }
  }
}

Result<void> TrainingLoop::LoadBest() {
  RunState& state = s_.dir.state();
  if (state.best_version == 0) state.best_version = state.next_version++;
  return s_.governor.Load(0, s_.dir.checkpoint(state.best), state.best_version);
}

void TrainingLoop::BeginPhase(Phase phase, std::int64_t wanted, std::string match) {
  const RunState& state = s_.dir.state();
  s_.governor.BeginPhase(PlanPhaseOf(phase), PhaseName(phase), state.iteration);
  phase_started_ = s_.clock.Now();
  view_.phase = phase;
  view_.iteration = std::min(state.iteration, static_cast<std::uint32_t>(view_.iterations - 1));
  view_.match = std::move(match);
  view_.done = 0;
  view_.wanted = wanted;
  done_before_.reset();
  view_.promotions = state.promotions;
  meter_.Start(phase_started_, s_.fleet.Totals());
  s_.log.Info(StrCat("event=phase phase=", PhaseName(phase), " iteration=", state.iteration,
                     " wanted=", wanted));
}

void TrainingLoop::Tick() {
  lessons_.Tick();
  if (phase_started_ == TimePoint{}) return;
  if (!done_before_) done_before_ = view_.done;
  const TimePoint now = s_.clock.Now();
  const FleetTotals totals = s_.fleet.Totals();
  const RateMeter::Rates rates = meter_.Sample(now, totals);
  const double phase_s = std::max(1e-3, Seconds(now - phase_started_));
  view_.games_per_s =
      view_.phase == Phase::kTrain ? 0 : static_cast<double>(view_.done - *done_before_) / phase_s;
  view_.evaluations_per_s = rates.evaluations_per_s;
  view_.mean_batch_rows = rates.mean_batch_rows;
  view_.server_busy_fraction = rates.busy_runners / std::max(1, s_.governor.runners());
  view_.cache_hit_fraction = rates.cache_hit_fraction;
  view_.memory_used = totals.memory;
  view_.elapsed_s = seconds_before_ + Since(started_, s_.clock);
  view_.eta_s.reset();
  const double left = view_.iterations - static_cast<double>(s_.dir.state().iteration);
  if (iterations_this_start_ > 0 && left > 0) {
    const double per_iteration = Seconds(iteration_started_ - started_) / iterations_this_start_;
    view_.eta_s = std::max(0.0, left * per_iteration - Seconds(now - iteration_started_));
  }
  s_.display.Update(view_);
}

std::uint32_t TrainingLoop::GamesPerIteration() const {
  if (s_.config.self_play.games_per_iteration) {
    return static_cast<std::uint32_t>(*s_.config.self_play.games_per_iteration);
  }
  // A tenth of the first window (docs/learning.md), and enough games to keep every slot busy most
  // of the phase.
  const int mean_plies = std::max(1, s_.game.info().max_plies * 7 / 10);
  const int from_window = s_.config.train.window_start / 10 / mean_plies;
  const int from_slots = 4 * plan().num_workers * plan().slots;
  return static_cast<std::uint32_t>(std::max({1, from_window, from_slots}));
}

Result<void> TrainingLoop::SelfPlay() {
  AZ_RETURN_IF_ERROR(s_.governor.Prepare(PlanPhase::kSelfPlay));
  RunState& state = s_.dir.state();
  GamePhaseSpec spec;
  spec.kind = GameKind::kSelfPlay;
  spec.iteration = state.iteration;
  spec.games = state.games_per_iteration;
  const bool last = state.iteration + 1 >= static_cast<std::uint32_t>(s_.config.loop.iterations);
  spec.extra_games = last ? 0 : spec.games;
  spec.players = {PlayerMessage{.type = PlayerType::kNet, .model = 0}};
  if (state.resign.threshold == 0) state.resign.threshold = s_.config.search.resign.threshold;
  spec.resign_threshold = state.resign.threshold;
  spec.may_resign = MayResign(state.resign);
  counted_ = s_.fleet.Totals();  // what the yardstick asked is not the iteration's
  BeginPhase(state.phase, spec.games, "");
  const Result<void> played = PlayGames(std::move(spec));
  state.totals.self_play += CountTotals();  // of a phase that was stopped, too
  state.totals.self_play_s += Since(phase_started_, s_.clock);
  state.totals.is_open = false;
  AZ_RETURN_IF_ERROR(played);
  const FleetTotals& totals = state.totals.self_play;
  AZ_RETURN_IF_ERROR(CheckFailures(facts_.failed, facts_.games, totals.bad_rows));
  AZ_RETURN_IF_ERROR(s_.governor.EndPhase());
  // Once nothing can stop the phase any more: done again it would count them again.
  state.resign = AfterGames(state.resign, static_cast<std::int64_t>(totals.resign_audited),
                            static_cast<std::int64_t>(totals.resign_errors));
  state.games += facts_.games;
  state.positions += facts_.policy_samples;
  AZ_RETURN_IF_ERROR(KeepMetrics(SelfPlayMetrics()));
  AZ_ASSIGN_OR_RETURN(state.train_reads, s_.fleet.SyncedJournalBytes());
  state.phase = Phase::kTrain;
  return {};
}

Result<void> TrainingLoop::PlayGames(GamePhaseSpec spec) {
  spec.on_finished = [this](const FinishedGame& game) {
    ++view_.done;
    facts_.games += 1;
    facts_.plies += static_cast<std::uint64_t>(game.plies);
    facts_.policy_samples += static_cast<std::uint64_t>(game.policy_samples);
    facts_.first_wins += game.outcome == Outcome::kFirstWins ? 1 : 0;
    facts_.draws += game.outcome == Outcome::kDraw ? 1 : 0;
    facts_.failed += game.outcome.has_value() ? 0 : 1;
    return !TooManyFailed(facts_.failed, facts_.games);
  };
  return s_.governor.Play([&] {
    facts_ = {};  // a fleet that plays again tells of every game again
    view_.done = 0;
    spec.workers = plan().num_workers;
    return s_.fleet.Play(spec);
  });
}

Result<TrainedMessage> TrainingLoop::TrainFleet(
    TrainMessage message, const std::function<void(const TrainProgressMessage&)>& on_progress) {
  return s_.governor.Train([&] {
    message.micro_batch = plan().micro_batch;
    message.checkpoint_blocks = plan().checkpoint_blocks;
    return s_.fleet.Train(message, on_progress);
  });
}

Result<void> TrainingLoop::Train() {
  AZ_RETURN_IF_ERROR(s_.governor.Prepare(PlanPhase::kTrain));
  RunState& state = s_.dir.state();
  TrainMessage message;
  message.iteration = state.iteration;
  message.games_before_iteration = state.iteration + 1;
  message.from = s_.dir.checkpoint(state.learner).string();
  message.to = s_.dir.checkpoint(CheckpointName(state.iteration + 1)).string();
  for (const LaneBytes& lane : state.train_reads) {
    message.journals.push_back({(s_.dir.journal() / lane.file).string(), lane.bytes});
  }
  BeginPhase(state.phase, 0, "");
  const auto progress = [&](const TrainProgressMessage& now) {
    view_.done = now.step;
    view_.wanted = now.steps;
    view_.loss = now.loss;
  };
  AZ_ASSIGN_OR_RETURN(const TrainedMessage trained, TrainFleet(message, progress));
  MetricsLine metrics;
  metrics.Add("train_s", Since(phase_started_, s_.clock));
  AZ_RETURN_IF_ERROR(metrics.Merge(trained.metrics_json));
  AZ_RETURN_IF_ERROR(KeepMetrics(metrics));
  if (const std::string returns = ReturnsText(trained.metrics_json); !returns.empty()) {
    s_.display.Say(StrCat("warning: iteration ", state.iteration + 1, ": ", returns));
    s_.log.Warn(StrCat("event=returns iteration=", state.iteration, " what=\"", returns, "\""));
  }
  AZ_RETURN_IF_ERROR(s_.governor.EndPhase());
  if (trained.path.empty()) {
    // Too few positions, or none new: nothing to gate, the same network goes on.
    s_.display.Say(StrCat("iteration ", state.iteration + 1, ": nothing to train yet, with ",
                          state.positions, " positions (train.min_positions is ",
                          s_.config.train.min_positions, ")"));
    state.candidate.clear();
    state.phase = Phase::kPublish;
    return {};
  }
  state.learner = CheckpointName(state.iteration + 1);  // with what is left of the rate
  if (KeptMetric("steps", 1) == 0) {  // it went back in the end, or skipped every step
    state.candidate.clear();
    state.phase = Phase::kPublish;
    return {};
  }
  state.candidate = state.learner;
  state.phase = s_.config.arena.gate == Gate::kNone ? Phase::kPublish : Phase::kArena;
  return {};
}

Result<void> TrainingLoop::Publish() {
  RunState& state = s_.dir.state();
  if (s_.config.arena.gate == Gate::kNone && !state.candidate.empty() &&
      state.best != state.candidate) {
    state.best = state.candidate;
    state.best_version = 0;
    state.promotions += 1;
  }
  MetricsLine metrics;
  const TimePoint began = s_.clock.Now();
  if (state.best_version == 0) AZ_RETURN_IF_ERROR(LoadBest());
  metrics.Add("publish_s", Since(began, s_.clock));
  const TimePoint loaded = s_.clock.Now();
  AZ_RETURN_IF_ERROR(MeetPanel());
  if (!state.panel.empty()) metrics.Add("panel_s", Since(loaded, s_.clock));
  AZ_RETURN_IF_ERROR(
      s_.governor.EndIteration(Bytes(KeptMetric("window_bytes", 0)), state.iteration));
  AZ_RETURN_IF_ERROR(KeepMetrics(metrics));
  AZ_RETURN_IF_ERROR(WriteIterationMetrics());
  state.metrics.clear();
  state.totals = {};
  state.iteration += 1;
  state.phase = Phase::kSelfPlay;
  state.candidate.clear();
  state.panel.clear();
  ++iterations_this_start_;
  iteration_started_ = s_.clock.Now();
  AZ_RETURN_IF_ERROR(SaveState());
  if (const Result<void> pruned = PruneCheckpoints(s_.dir, s_.config.loop); !pruned) {
    s_.display.Say(StrCat("old checkpoints stay: ", pruned.error().message));
  }
  return {};
}

FleetTotals TrainingLoop::CountTotals() {
  FleetTotals done = s_.fleet.Totals();
  done -= std::exchange(counted_, done);
  s_.dir.state().totals.all += done;
  return done;
}

Result<void> TrainingLoop::SaveState() {
  const Phase phase = s_.dir.state().phase;  // of the others, self-play counts for itself
  if (phase == Phase::kTrain || phase == Phase::kArena || phase == Phase::kPublish) CountTotals();
  s_.dir.state().seconds = seconds_before_ + Since(started_, s_.clock);
  return s_.dir.SaveState();
}

}  // namespace az
