// The yardstick of a run: how far the playing weights are from what an exact solver knows. A look
// comes between two iterations, so that none of its work is in the metrics of either.

#include <map>
#include <optional>
#include <utility>

#include "base/check.h"
#include "base/strings.h"
#include "engine/fleet/fleet_player.h"
#include "engine/loop/training_loop.h"
#include "engine/players/player_settings.h"
#include "engine/run/run_points.h"
#include "engine/run/yardstick_report.h"

namespace az {
namespace {

constexpr std::string_view kExactSolver = "the exact solver";
// Questions of one look, at most; with the look's number they name games.
constexpr std::uint32_t kMostQuestions = 64;

}  // namespace

// Whether the next look would stay within its share of the time if it takes what the last one did;
// the first does always.
bool TrainingLoop::YardstickHasTime() const {
  const YardstickState& state = s_.dir.state().yardstick;
  const double elapsed = seconds_before_ + Seconds(s_.clock.Now() - started_);
  const double allowed = static_cast<double>(s_.config.loop.yardstick.time_fraction) * elapsed;
  return state.looks == 0 || state.seconds + state.look_seconds <= allowed;
}

YardstickSettings TrainingLoop::SettingsOfYardstick() const {
  const LoopYardstickOptions& options = s_.config.loop.yardstick;
  return {
      .sims = options.sims,
      .measured = {.positions = options.positions, .games = options.games, .seed = options.seed},
      .search = SearchText(s_.config.search)};
}

// `is_last`: the iterations are over. REQUIRES: the best network is loaded.
Result<void> TrainingLoop::Yardstick(bool is_last) {
  const auto every = static_cast<std::uint32_t>(s_.config.loop.yardstick.every);
  const std::uint32_t done = s_.dir.state().iteration;
  if (every == 0 || done == 0) return {};
  if (!is_last && (done % every != 0 || !YardstickHasTime())) return {};
  if (!curve_) {
    AZ_ASSIGN_OR_RETURN(YardstickCurve curve, YardstickCurve::Open(s_.dir.yardstick()));
    curve_.emplace(std::move(curve));
  }
  // A start that goes on after a look comes here again.
  if (curve_->Holds({done, s_.dir.state().best}, SettingsOfYardstick())) return {};
  return Look();
}

// Whether there is one: a solver that gives up must not end a run.
Result<bool> TrainingLoop::SetUpYardstick() {
  if (measure_ || yardstick_is_off_) return !yardstick_is_off_;
  s_.display.Say(StrCat("yardstick: the solver judges ", s_.config.loop.yardstick.positions,
                        " positions and every first move"));
  const TimePoint began = s_.clock.Now();
  Result<YardstickMeasure> measure =
      YardstickMeasure::Create(s_.game, SettingsOfYardstick().measured);
  s_.dir.state().yardstick.seconds += Seconds(s_.clock.Now() - began);
  if (!measure) {
    if (measure.error().code != Errc::kTimeout) return std::move(measure).error();
    yardstick_is_off_ = true;
    s_.display.Say(StrCat("yardstick: off from here on: ", measure.error().message));
    s_.log.Warn(StrCat("event=yardstick_off why=\"", measure.error().message, "\""));
    return false;
  }
  measure_.emplace(std::move(*measure));
  return true;
}

// A look that was killed goes on with the answers in the journals, if it asks the same of the same
// network; otherwise its games have other names.
Result<void> TrainingLoop::NumberTheLook() {
  RunState& state = s_.dir.state();
  const std::string asked = StrCat("iteration ", state.iteration, " network ", state.best, " ",
                                   ToJson(SettingsOfYardstick()));
  if (state.yardstick.asked == asked) return {};
  state.yardstick.asked = asked;
  state.yardstick.asked_seconds = 0;
  ++state.yardstick.question;
  return SaveState();
}

Result<std::vector<PlayerAnswer>> TrainingLoop::AskBest(
    std::uint32_t question, std::span<const std::vector<Action>> positions, Thinking thinking) {
  AZ_CHECK_LT(question, kMostQuestions);
  view_.wanted = std::ssize(positions);
  FleetAnswers answers;
  AZ_RETURN_IF_ERROR(s_.governor.Play([&]() -> Result<void> {
    view_.done = 0;
    const FleetQuestion asked = {
        .number = s_.dir.state().yardstick.question * kMostQuestions + question,
        .workers = plan().arena_workers,
        .player = YardstickPlayer(thinking, 0, s_.config.loop.yardstick.sims),
        .on_answer = [&](std::size_t n) { view_.done = static_cast<std::int64_t>(n); }};
    AZ_ASSIGN_OR_RETURN(answers, AskFleet(s_.fleet, asked, positions));
    return {};
  }));
  if (answers.fault) {
    look_is_useless_ = true;
    return *std::move(answers.fault);
  }
  return std::move(answers.of_positions);
}

// The line of a look. Its costs are those of the iterations before it.
Result<MetricsLine> TrainingLoop::PointOf(const YardstickReport& report) const {
  const RunState& state = s_.dir.state();
  const std::map<std::uint32_t, RunCost> costs = RunCosts(s_.dir.metrics());
  RunCost cost = {.elapsed_s = seconds_before_ + Seconds(s_.clock.Now() - started_),
                  .evaluations = std::nullopt};
  if (const auto found = costs.find(state.iteration); found != costs.end()) {
    cost = found->second;
  } else {
    s_.log.Warn(StrCat("event=yardstick_costs why=\"", s_.dir.metrics().string(),
                       " has no iteration ", state.iteration - 1,
                       ", which has ended: the look has no evaluations\""));
  }
  AZ_ASSIGN_OR_RETURN(MetricsLine line, YardstickPoint({state.iteration, state.best}, cost,
                                                       SettingsOfYardstick(), report));
  line.Add("seconds", state.yardstick.asked_seconds);
  return line;
}

// Asks the workers everything, and counts the time that this takes however it ends.
Result<YardstickReport> TrainingLoop::AskEverything() {
  const TimePoint began = s_.clock.Now();
  const auto last_match = std::exchange(view_.arena, std::nullopt);
  BeginPhase(Phase::kArena, 0, std::string(kExactSolver));
  look_is_useless_ = false;
  std::uint32_t question = 0;
  Result<YardstickReport> report =
      measure_->Measure([&](std::span<const std::vector<Action>> positions, Thinking thinking) {
        return AskBest(question++, positions, thinking);
      });
  if (report || look_is_useless_) AZ_RETURN_IF_ERROR(s_.governor.EndPhase());
  view_.arena = last_match;
  YardstickState& state = s_.dir.state().yardstick;
  const double took = Seconds(s_.clock.Now() - began);
  state.seconds += took;
  state.asked_seconds += took;
  return report;
}

Result<void> TrainingLoop::Look() {
  AZ_ASSIGN_OR_RETURN(const bool has_one, SetUpYardstick());
  if (!has_one) return {};
  AZ_RETURN_IF_ERROR(s_.governor.Prepare(PlanPhase::kArena));
  AZ_RETURN_IF_ERROR(NumberTheLook());
  const Result<YardstickReport> report = AskEverything();
  if (!report && !look_is_useless_) return report.error();

  RunState& run = s_.dir.state();
  ++run.yardstick.looks;
  run.yardstick.look_seconds = run.yardstick.asked_seconds;
  if (!report) {
    // A measurement ends no run. The next look asks anew: the journals' answers are no use.
    run.yardstick.asked.clear();
    s_.display.Say(
        StrCat("warning: no look after iteration ", run.iteration, ": ", report.error().message));
    s_.log.Warn(StrCat("event=yardstick_skipped iteration=", run.iteration, " why=\"",
                       report.error().message, "\""));
    return SaveState();
  }
  AZ_ASSIGN_OR_RETURN(const MetricsLine line, PointOf(*report));
  // What is in the curve is not looked at again, so that no kill here makes two lines of one look.
  AZ_RETURN_IF_ERROR(curve_->Append({run.iteration, run.best}, SettingsOfYardstick(), line));
  AZ_RETURN_IF_ERROR(s_.metrics.Append(line));
  run.yardstick.last = StrCat("after iteration ", run.iteration, ": ", YardstickLine(*report));
  s_.display.Say(StrCat("yardstick ", run.yardstick.last));
  return SaveState();
}

}  // namespace az
