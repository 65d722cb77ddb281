#include "engine/loop/train_run.h"

#include <fcntl.h>
#include <malloc.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/files.h"
#include "base/log.h"
#include "base/strings.h"
#include "engine/fleet/process_fleet.h"
#include "engine/loop/plan_training.h"
#include "engine/loop/training_loop.h"
#include "engine/memory/governor.h"
#include "engine/memory/kept_probe.h"
#include "engine/memory/measure.h"
#include "engine/process/proc_memory.h"
#include "engine/run/match_history.h"
#include "engine/run/metrics.h"
#include "engine/run/summary.h"
#include "engine/tournament/arena_identity.h"
#include "scheduler/report.h"

namespace az {
namespace {

constexpr int kSignalExit = 128;

int Complain(const Error& error) {
  std::fprintf(stderr, "az_train: %s\n", error.message.c_str());
  return static_cast<int>(ExitCodeFor(error.code));
}

Result<UniqueFd> OpenLog(const std::filesystem::path& path) {
  UniqueFd fd(::open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644));
  if (!fd.valid()) return SystemError(StrCat("open ", path.string()), errno);
  return fd;
}

std::string PlanLine(const PlannedRun& planned) {
  const Plan& plan = planned.plan;
  return StrCat("plan: ", plan.num_workers, " self-play and ", plan.arena_workers,
                " arena workers x ", plan.slots, " games, ", plan.runners, " inference runner",
                plan.runners == 1 ? "" : "s", " up to batch ", plan.buckets.back(), " in ",
                EnumName(plan.inference_precision), ", training ", plan.learner_shards, " x ",
                plan.micro_batch, " rows in ", EnumName(plan.train_precision), ", memory budget ",
                FormatBytes(plan.ram_budget));
}

// What the person should know of the plan without asking for it.
std::vector<std::string> GivenUp(const Plan& plan) {
  std::vector<std::string> lines;
  for (const Reason& reason : plan.reasons) {
    if (reason.kind == ReasonKind::kGivenUp || reason.kind == ReasonKind::kFallback ||
        reason.kind == ReasonKind::kWarning) {
      lines.push_back(
          StrCat(reason.kind == ReasonKind::kFallback ? "plan: " : "memory: ", reason.text));
    }
  }
  return lines;
}

// Gives back what the C library's heap of this process keeps.
Bytes ReturnHeap() {
  const Result<ProcMemory> before = ReadProcMemory(::getpid());
  ::malloc_trim(0);
  const Result<ProcMemory> after = ReadProcMemory(::getpid());
  return before && after ? before->anonymous - after->anonymous : Bytes();
}

// What a run needs besides its processes, in the order of its life.
struct Session {
  RunDir dir;
  UniqueFd log_fd;
  MetricsFile metrics;
  MatchHistory history;
};

Result<Session> OpenSession(const RunConfig& config, const TrainRunOptions& options) {
  const std::filesystem::path wanted = RunDir::WantedPath(config);
  std::error_code code;
  if (options.mode == RunDir::Mode::kResume && std::filesystem::exists(wanted / kArenaFile, code)) {
    return Error{Errc::kInvalid, StrCat("run directory ", wanted.string(),
                                        " holds the games of az_arena (choose another run.dir)")};
  }
  AZ_ASSIGN_OR_RETURN(RunDir dir, RunDir::Open(config, options.mode));
  AZ_ASSIGN_OR_RETURN(UniqueFd log_fd, OpenLog(dir.log()));
  AZ_ASSIGN_OR_RETURN(MetricsFile metrics, MetricsFile::Open(dir.metrics()));
  AZ_ASSIGN_OR_RETURN(MatchHistory history, MatchHistory::Open(dir.path() / kMatchesFile));
  return Session{std::move(dir), std::move(log_fd), std::move(metrics), std::move(history)};
}

Result<void> Drive(const RunConfig& config, const PlannedTraining& planned,
                   const TrainRunOptions& options, Session& session, Display& display,
                   const Clock& clock, int& signal) {
  const Log log(session.log_fd.get(), "train");
  log.Info(StrCat("event=start workers=", planned.plan.num_workers,
                  " runners=", planned.plan.runners, " slots=", planned.plan.slots));
  Governor* governor_for_ticks = nullptr;
  TrainingLoop* loop_for_ticks = nullptr;
  FleetSetup setup{.config = config,
                   .plan = planned.plan,
                   .game = *planned.game,
                   .clock = clock,
                   .log = log,
                   .run_dir = std::filesystem::absolute(session.dir.path()),
                   .run_id = session.dir.state().run_id,
                   .iteration = session.dir.state().iteration,
                   .trained_on = session.dir.state().train_reads,
                   .programs = options.programs,
                   .other_networks = !planned.panel.needs.nets.empty(),
                   .log_fd = session.log_fd.get(),
                   .on_tick =
                       [&] {
                         if (governor_for_ticks != nullptr) governor_for_ticks->Tick();
                         if (loop_for_ticks != nullptr) loop_for_ticks->Tick();
                       },
                   .on_signal = [&](int number) { signal = number; },
                   .warn =
                       [](const std::string& text) {
                         std::fprintf(stderr, "az_train: warning: %s\n", text.c_str());
                       }};
  AZ_ASSIGN_OR_RETURN(const std::unique_ptr<ProcessFleet> fleet,
                      ProcessFleet::Start(std::move(setup)));
  Governor governor({.input = planned.input,
                     .plan = planned.plan,
                     .fleet = *fleet,
                     .metrics = session.metrics,
                     .display = display,
                     .clock = clock,
                     .log = log,
                     .state = session.dir.state().memory,
                     .plan_file = session.dir.plan()});
  governor.OnCleanup("supervisor's heap", CleanupLevel::kFull, ReturnHeap);
  AZ_RETURN_IF_ERROR(governor.Start());
  TrainingLoop loop({.config = config,
                     .governor = governor,
                     .game = *planned.game,
                     .panel = planned.panel,
                     .dir = session.dir,
                     .fleet = *fleet,
                     .metrics = session.metrics,
                     .history = session.history,
                     .display = display,
                     .clock = clock,
                     .log = log});
  governor_for_ticks = &governor;
  loop_for_ticks = &loop;
  const Result<void> run = loop.Run();
  loop_for_ticks = nullptr;
  governor_for_ticks = nullptr;
  return run;
}

// Plans again with what batches really take. Where that cannot be measured, the formulas stand.
// Returns the signal that stopped it, or 0.
int MeasureFirst(const RunConfig& config, const TrainRunOptions& options, const Clock& clock,
                 Display& display, PlannedRun& planned) {
  display.Say("measuring what batches take of the device (memory.probe)");
  int signal = 0;
  Result<Measurement> measured =
      Measure(config, *planned.game, planned.input, options.programs, clock,
              {.on_signal = [&signal](int number) { signal = number; }});
  if (signal != 0) return signal;
  if (!measured) {
    display.Say(
        StrCat("warning: nothing was measured, the plan is predicted: ", measured.error().message));
    return 0;
  }
  const Result<void> kept = KeepProbe(planned.input, options.programs, measured->calibration);
  if (!kept) display.Say(StrCat("warning: ", kept.error().message));
  planned.input.calibration = measured->calibration;
  planned.plan = std::move(measured->plan);
  return 0;
}

// Nothing is left to do under this config.
bool HasEnded(const RunConfig& config, const RunState& state) {
  return state.phase == Phase::kComplete &&
         state.iteration >= static_cast<std::uint32_t>(config.loop.iterations);
}

// The same of the folder that would be opened, as far as can be seen without its lock. What cannot
// be read is told of where it is opened.
bool LooksEnded(const RunConfig& config, RunDir::Mode mode) {
  if (mode != RunDir::Mode::kResume) return false;
  const Result<std::string> text = ReadFile(RunDir::WantedPath(config) / "state.json");
  if (!text) return false;
  const Result<RunState> state = RunStateFromJson(*text);
  return state && HasEnded(config, *state);
}

int TellEnd(const Session& session, Display& display) {
  display.Tell(SummaryText(session.dir, session.history));
  display.Say("nothing is left to do: raise loop.iterations to train on, or use --fresh");
  return 0;
}

int Stopped(int signal, const Session& session, Display& display) {
  display.Tell(StrCat("stopped: everything is saved in ", session.dir.path().string(),
                      "; the same command goes on"));
  return kSignalExit + signal;
}

}  // namespace

int RunTraining(const RunConfig& asked, const TrainRunOptions& options) {
  const SteadyClock clock;
  Display display(STDOUT_FILENO, options.style, options.colour, clock);
  // Before its plan and its panel, whose players may be gone by now.
  if (LooksEnded(asked, options.mode)) {
    const Result<Session> ended = OpenSession(asked, options);
    if (!ended) return Complain(ended.error());
    if (HasEnded(asked, ended->dir.state())) return TellEnd(*ended, display);
  }
  Result<PlannedTraining> planned = PlanTraining(asked, options.programs);
  if (!planned) return Complain(WithOrigin(planned.error(), options.origins));
  const Result<void> checked = CheckPanelPrograms(planned->panel, *planned->game, clock);
  if (!checked) return Complain(checked.error());
  RunConfig config = asked;
  config.engine.device = planned->engine_device;
  Result<Session> session = OpenSession(config, options);
  if (!session) return Complain(session.error());
  const RunState& state = session->dir.state();
  if (HasEnded(config, state)) return TellEnd(*session, display);
  display.Say(session->dir.is_new()
                  ? StrCat("new run in ", session->dir.path().string())
                  : StrCat("resuming ", session->dir.path().string(), ": iteration ",
                           state.iteration + 1, ", phase ", PhaseName(state.phase)));
  if (!planned->probe_refused.empty()) display.Say(StrCat("memory: ", planned->probe_refused));
  int signal = 0;
  if (ShouldMeasure(config, planned->input)) {
    signal = MeasureFirst(config, options, clock, display, *planned);
    if (signal != 0) return Stopped(signal, *session, display);
  }
  const std::string learned =
      PlanWithLearned(session->dir.plan(), session->dir.state().memory, *planned);
  if (!learned.empty()) display.Say(learned);
  const std::string others = CoTenantsText(planned->input.device);
  if (!others.empty()) display.Say(others);
  display.Say(PlanLine(*planned));
  for (const std::string& line : GivenUp(planned->plan)) display.Say(line);
  const Result<void> run = Drive(config, *planned, options, *session, display, clock, signal);
  if (run) {
    display.Tell(SummaryText(session->dir, session->history));
    return 0;
  }
  if (run.error().code == Errc::kStopped && signal != 0) {
    return Stopped(signal, *session, display);
  }
  display.Clear();  // it would take the error with it later
  Error error = run.error();
  // The command was right: a file of the run is missing.
  if (error.code == Errc::kNotFound) error.code = Errc::kIncompatible;
  return Complain(WithContext(StrCat("run ", session->dir.path().string(),
                                     " failed (log: ", session->dir.log().string(), ")"),
                              std::move(error)));
}

}  // namespace az
