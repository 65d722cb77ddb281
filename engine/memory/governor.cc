#include "engine/memory/governor.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

#include "base/files.h"
#include "base/strings.h"
#include "engine/config/plan_json.h"
#include "engine/process/proc_memory.h"
#include "engine/process/supervisor.h"
#include "scheduler/bill.h"
#include "scheduler/climb.h"

namespace az {
namespace {

Duration PeriodOf(double hertz) {
  return std::chrono::duration_cast<Duration>(std::chrono::duration<double>(1.0 / hertz));
}

Bytes Cached(const MemoryLayersMessage& layers) {
  if (layers.reserved_bytes < 0 || layers.allocated_bytes < 0) return Bytes();
  return Bytes(layers.reserved_bytes - layers.allocated_bytes);
}

std::optional<Bytes> Known(std::int64_t bytes) {
  if (bytes < 0) return {};
  return Bytes(bytes);
}

}  // namespace

Governor::Governor(Setup setup)
    : s_(std::move(setup)),
      options_(s_.input.wishes.memory),
      history_(static_cast<std::size_t>(options_.history)),
      leaks_({.slope = options_.leak_slope}),
      in_force_(SizesOf(s_.plan)) {
  SetWatches();
}

void Governor::SetWatches() {
  const Duration interval = std::chrono::seconds(options_.auto_cleanup_interval);
  ram_watch_.Replan({.budget = s_.plan.ram_budget,
                     .threshold = static_cast<double>(options_.cpu_threshold),
                     .predicted = Peak(s_.plan.ram),
                     .guard = s_.plan.ram_guard,
                     .cleanup_interval = interval});
  gpu_watch_.Replan({.budget = s_.plan.vram_budget,
                     .threshold = static_cast<double>(options_.gpu_threshold),
                     .predicted = Peak(s_.plan.vram),
                     .guard = s_.plan.vram_guard,
                     .cleanup_interval = interval});
}

void Governor::OnCleanup(std::string name, CleanupLevel level, Callback callback) {
  cleanups_.push_back({std::move(name), level, std::move(callback)});
}

Bytes Governor::CleanUp(CleanupLevel level) {
  Bytes freed;
  for (Cleanup& cleanup : cleanups_) {
    if (level == CleanupLevel::kLight && cleanup.level == CleanupLevel::kFull) continue;
    const TimePoint began = s_.clock.Now();
    freed += cleanup.callback();
    const Duration took = s_.clock.Now() - began;
    if (took <= kCallbackLimit) continue;
    cleanup.level = CleanupLevel::kFull;
    s_.log.Warn(StrCat("event=slow_cleanup name=", cleanup.name,
                       " took_ms=", Fixed(1e3 * Seconds(took), 0),
                       " limit_ms=", Fixed(1e3 * Seconds(kCallbackLimit), 0)));
  }
  return freed;
}

Result<void> Governor::Start() { return WritePlan(); }

Result<void> Governor::WritePlan() const {
  if (s_.plan_file.empty()) return {};
  return WriteFileAtomic(s_.plan_file, PlanJson(s_.input, s_.plan));
}

// ---- within a phase -----------------------------------------------------------------------------

void Governor::Tick() {
  TakeReports();
  ForceCleanup();
  if (!options_.enable_monitoring || !phase_) return;
  const TimePoint now = s_.clock.Now();
  if (now < next_sample_) return;
  next_sample_ = now + PeriodOf(static_cast<double>(options_.sample_hz));
  const Duration cpu = ThreadCpuTime();
  const MemoryUse use = s_.fleet.Memory();
  history_.Add({.at = now, .ram = use.Ram(), .gpu = use.gpu.used, .gpu_own = use.gpu_share.bytes});
  phase_->peaks.Add(use);
  phase_->sampling_cpu += ThreadCpuTime() - cpu;
  Watch(use);
}

void Governor::Watch(const MemoryUse& use) {
  const TimePoint now = s_.clock.Now();
  const bool has_gpu = s_.with_device && s_.plan.device == DeviceKind::kCuda && !IsBesideGpu();
  const Bytes cached = Cached(use.layers);
  if (s_.plan.ram_budget > Bytes()) {
    const Bytes used = use.Ram();
    Act("ram", ram_watch_.Sample(now, used, has_gpu ? Bytes() : cached), used, ram_watch_);
  }
  const std::optional<Bytes> gpu =
      use.gpu_share.bytes ? use.gpu_share.bytes : Known(use.layers.reserved_bytes);
  if (has_gpu && gpu && s_.plan.vram_budget > Bytes()) {
    Act("gpu", gpu_watch_.Sample(now, *gpu, cached), *gpu, gpu_watch_);
  }
  if (use.host_free) WatchFree(false, *use.host_free);
  if (has_gpu && use.gpu.free) WatchFree(true, *use.gpu.free);
  WatchAllocator(use.layers);
}

// Others take memory that the plan counted on: what we cache goes back, and the person is told.
void Governor::WatchFree(bool of_gpu, Bytes free) {
  const Bytes guard = of_gpu ? s_.plan.vram_guard : s_.plan.ram_guard;
  bool& is_short = of_gpu ? gpu_is_short_ : host_is_short_;
  if (free >= guard * 2) is_short = false;
  if (free >= guard || std::exchange(is_short, true)) return;
  const std::string_view event = of_gpu ? "gpu_short" : "host_short";
  CleanUp(CleanupLevel::kLight);
  s_.fleet.AskRelease(CleanupLevel::kLight);
  s_.log.Warn(
      StrCat("event=", event, " free_bytes=", free.count(), " guard_bytes=", guard.count()));
  s_.display.Say(StrCat("memory: the ", of_gpu ? "GPU" : "machine", " has ", FormatBytes(free),
                        " left, less than the guard of ", FormatBytes(guard),
                        ": another program takes what was planned with (stop it, or lower ",
                        of_gpu ? "memory.vram_budget)" : "memory.ram_budget)"));
  Write(Event(event).Add("free_bytes", free.count()).Add("guard_bytes", guard.count()));
}

void Governor::WatchAllocator(const MemoryLayersMessage& layers) {
  const std::optional<double> fragmentation =
      Fragmentation(Known(layers.inactive_split_bytes), Known(layers.reserved_bytes));
  std::optional<std::int64_t> retries;
  if (layers.alloc_retries >= 0) retries = layers.alloc_retries;
  if (!fragmentation_.Sample(fragmentation, retries)) return;
  s_.log.Warn(
      StrCat("event=fragmentation fraction=", Fixed(*fragmentation, 3), " retries=", *retries));
  Write(Event("fragmentation")
            .Add("fragmentation_fraction", *fragmentation)
            .Add("alloc_retries", *retries));
}

void Governor::Act(std::string_view what, WatchStep step, Bytes used, const ThresholdWatch& watch) {
  const bool of_gpu = what == "gpu";
  if (watch.is_too_high()) NoteShortage(of_gpu);
  if (step == WatchStep::kNone) return;
  std::string advice;
  switch (step) {
    case WatchStep::kCleanUp:
      CleanUp(CleanupLevel::kLight);
      s_.fleet.AskRelease(CleanupLevel::kLight);
      break;
    case WatchStep::kSuggest:
      advice = Advice(of_gpu);
      break;
    case WatchStep::kRung:
      AskForRung(of_gpu);
      break;
    case WatchStep::kCalm:
    case WatchStep::kNone:
      break;
  }
  const std::string line =
      StrCat("event=threshold what=", what, " step=", WatchStepName(step),
             " used_bytes=", used.count(), " threshold_bytes=", watch.threshold().count(),
             advice.empty() ? "" : StrCat(" advice=\"", advice, "\""));
  s_.log.Write(step == WatchStep::kCalm ? LogLevel::kInfo : LogLevel::kWarn, line);
  if (!advice.empty()) {
    s_.display.Say(StrCat("memory: ", FormatBytes(used), " in use, above ",
                          FormatBytes(watch.threshold()), "; ", advice));
  }
  Write(Event("threshold")
            .Add("what", what)
            .Add("step", WatchStepName(step))
            .Add("used_bytes", used.count())
            .Add("threshold_bytes", watch.threshold().count())
            .Add("advice", std::string_view(advice)));
}

void Governor::ForceCleanup() {
  if (options_.force_cleanup_every == 0) return;
  const std::uint64_t batches = s_.fleet.Totals().batches;
  if (batches < batches_at_cleanup_ + static_cast<std::uint64_t>(options_.force_cleanup_every)) {
    return;
  }
  batches_at_cleanup_ = batches;
  s_.fleet.AskRelease(CleanupLevel::kLight);
}

// ---- between phases -----------------------------------------------------------------------------

void Governor::BeginPhase(PlanPhase phase, std::string_view name, std::uint32_t iteration) {
  phase_ = PhaseRecord{.phase = phase,
                       .name = std::string(name),
                       .iteration = iteration,
                       .began = s_.clock.Now(),
                       .peaks = {},
                       .sampling_cpu = {}};
  next_sample_ = s_.clock.Now();
  // What was seen while the processes changed to a plan is of neither; and a rung that was taken
  // may not have been enough.
  for (LadderWatch& ladder : ladders_) ladder.wants_rung = false;
  if (ToLower(/*of_gpu=*/false) != nullptr) ram_watch_.MayAskForRung();
  if (ToLower(/*of_gpu=*/true) != nullptr) gpu_watch_.MayAskForRung();
}

Result<void> Governor::EndPhase() {
  if (!phase_) return {};
  TakeReports();
  phase_->peaks.Add(s_.fleet.Memory());
  const Bytes freed_here = CleanUp(CleanupLevel::kFull);
  AZ_ASSIGN_OR_RETURN(const ReleasedMessage released, ReleaseAll());
  MemoryUse after = s_.fleet.Memory();
  after.layers = released.after;
  WatchAllocator(released.before);
  WritePhase(released, after, freed_here);
  // An allocator that had to empty its cache and try again, in two trainings in a row: a rung now,
  // before something fails.
  if (released.before.alloc_retries >= 0) {
    const bool is_thrashing = released.before.alloc_retries > retries_;
    retries_ = released.before.alloc_retries;  // those of other phases are no training's
    if (phase_->phase == PlanPhase::kTrain) {
      thrashing_trainings_ = is_thrashing ? thrashing_trainings_ + 1 : 0;
      if (thrashing_trainings_ >= 2) {
        NoteShortage(!LacksRam());
        AskForRung(!LacksRam());
      }
    }
  }
  AZ_RETURN_IF_ERROR(FollowRungs());
  phase_.reset();
  return {};
}

Result<void> Governor::EndIteration(Bytes window, std::optional<std::uint32_t> iteration) {
  std::set<int> leaking;  // lanes: one process may have several series
  for (const LeakFinding& leak : leaks_.Add(s_.fleet.Memory(), window)) {
    const bool can_restart = MayRestart(leak.lane);
    TellLeak(leak, can_restart);
    if (can_restart) leaking.insert(leak.lane);
  }
  for (const int lane : leaking) AZ_RETURN_IF_ERROR(RestartLeaking(lane));
  if (iteration && s_.state.counted == std::int64_t{*iteration}) return {};
  if (iteration) s_.state.counted = *iteration;
  // All are counted before any is climbed: a stop while a plan is applied leaves out none.
  std::vector<Ladder> climbing;
  const ClimbOptions options{.climb_after = options_.climb_after};
  for (const Ladder ladder : kLadders) {
    const bool was_clean = !std::exchange(WatchOf(ladder).has_failed, false);
    if (was_clean && ladder == Ladder::kHost && host_climb_waits_) continue;
    if (az::EndIteration(StateOf(s_.state, ladder), options, was_clean)) climbing.push_back(ladder);
  }
  for (const Ladder ladder : climbing) AZ_RETURN_IF_ERROR(ClimbBack(ladder));
  return {};
}

bool Governor::MayRestart(int lane) const {
  if (lane == kDeviceLane) return !s_.state.has_restarted_device;
  return lane != kSupervisorLane;
}

void Governor::TellLeak(const LeakFinding& leak, bool can_restart) {
  const Bytes slope(std::llround(leak.trend.slope));
  const Bytes room = s_.plan.ram_budget - s_.fleet.Memory().Ram();
  const std::optional<std::int64_t> left = IterationsLeft(leak.trend, room);
  const std::string_view remedy = can_restart ? "its process is started again" : "none";
  s_.log.Warn(StrCat("event=leak series=", leak.series, " bytes_per_iteration=", slope.count(),
                     " points=", leak.trend.points, " iterations_left=", left.value_or(-1),
                     " remedy=\"", remedy, "\""));
  s_.display.Say(StrCat("memory: ", leak.series, " grows by ", FormatBytes(slope), " an iteration",
                        left ? StrCat(", ", *left, " iterations left") : "", "; remedy: ", remedy));
  MetricsLine line = Event("leak");
  line.Add("series", std::string_view(leak.series))
      .Add("bytes_per_iteration", slope.count())
      .Add("points", std::int64_t{leak.trend.points});
  if (left) line.Add("iterations_left", *left);
  Write(line.Add("remedy", remedy));
}

Result<void> Governor::RestartLeaking(int lane) {
  if (lane == kDeviceLane) s_.state.has_restarted_device = true;
  if (const Result<void> restarted = s_.fleet.Restart(lane); !restarted) {
    if (restarted.error().code != Errc::kNoMemory) return restarted;
    AZ_RETURN_IF_ERROR(MakeRoom(restarted.error()));
  }
  leaks_.Restart(lane);
  return {};
}

}  // namespace az
