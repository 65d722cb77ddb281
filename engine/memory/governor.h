#pragma once
// Governor: keeps a run inside its memory plan. It samples what the processes use, cleans up at
// phase boundaries and above thresholds, looks for leaks over iterations, remembers what failed,
// plans again and climbs back. What to do is decided by pure functions (scheduler/watch, leak,
// climb, planner; rungs.h); the Fleet does it.

#include <array>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/log.h"
#include "base/result.h"
#include "engine/fleet/fleet.h"
#include "engine/memory/leak_watch.h"
#include "engine/memory/rungs.h"
#include "engine/process/memory_history.h"
#include "engine/run/memory_state.h"
#include "engine/run/metrics.h"
#include "engine/run/progress.h"
#include "scheduler/plan.h"
#include "scheduler/watch.h"

namespace az {

// Confined to the supervisor's main thread.
class Governor {
 public:
  struct Setup {
    PlanInput input;  // what `plan` was made from
    Plan plan;
    Fleet& fleet;  // these outlive it
    MetricsFile& metrics;
    Display& display;
    const Clock& clock;
    const Log& log;
    MemoryState& state;               // a part of state.json, which the loop saves
    std::filesystem::path plan_file;  // plan.json, written with each plan; empty: none
    bool with_device = true;          // false: workers alone, as FleetSetup
  };
  explicit Governor(Setup setup);
  Governor(const Governor&) = delete;
  Governor& operator=(const Governor&) = delete;

  // The plan now in force; changes at phase boundaries alone. Always the same object.
  const Plan& plan() const { return s_.plan; }
  // Batches that the device process of the last Prepare has in flight at a time.
  int runners() const { return IsBesideGpu() ? s_.plan.on_cpu.runners : s_.plan.runners; }

  // A way to give memory back: called at phase boundaries and, if it is light, above a threshold.
  // Returns the bytes given back. One that took longer than kCallbackLimit is told of in the log,
  // and is called at boundaries alone from then on.
  using Callback = std::function<Bytes()>;
  void OnCleanup(std::string name, CleanupLevel level, Callback callback);
  static constexpr Duration kCallbackLimit = std::chrono::milliseconds(100);

  // Writes plan.json. Called once, before the first phase.
  Result<void> Start();
  // A few times a second: samples when it is time, and acts on thresholds. Waits for nobody.
  void Tick();
  // Before a phase, and before its weights are loaded: the device process that the plan has for it.
  // Fails as Fleet::Place, but for kNoMemory, which is dealt with as in Load.
  Result<void> Prepare(PlanPhase phase);
  // `name` is the phase's in the metrics: "final" is planned as an arena.
  void BeginPhase(PlanPhase phase, std::string_view name, std::uint32_t iteration);
  // Fleet::Load. While the device has no room for the weights, rungs of inference are given up, and
  // of the host where that is RAM, and it is tried again. kNoMemory: there is none left; the
  // message has the least that would do. REQUIRES: between phases. Otherwise fails as Fleet::Load
  // and Fleet::Apply.
  Result<void> Load(int slot, const std::filesystem::path& checkpoint, std::uint64_t version);
  // Calls `play`, which plays a phase through the fleet. When that is kNoMemory (Fleet::Play), it
  // is dealt with as in Load, and `play` is called again: it must begin its counts anew, and look
  // at the plan anew. Fails as `play`, and as Load.
  Result<void> Play(const std::function<Result<void>()>& play);
  // Calls `train`, which trains through the fleet with the plan's sizes, until it is not kNoMemory:
  // where weights were refused rungs are given up as in Load, where training itself ran out of what
  // it can give up a rung of training, or of the host; of the host alone where the kernel killed it
  // beside a GPU. Fails as `train`, and as Load.
  Result<TrainedMessage> Train(const std::function<Result<TrainedMessage>()>& train);
  // The boundary procedure: callbacks, peaks, caches back, a metrics line, rungs that were asked
  // for. REQUIRES: nothing is in flight. Fails as Fleet::Release and Fleet::Apply.
  Result<void> EndPhase();
  // Leak samples, and climbing back. `window`: what the replay window is known to take. A stop may
  // end this call, and the next start makes it again: it counts an `iteration` once. Nothing: it is
  // never made again.
  Result<void> EndIteration(Bytes window, std::optional<std::uint32_t> iteration = {});

 private:
  struct Cleanup {
    std::string name;
    CleanupLevel level;
    Callback callback;
  };
  struct PhaseRecord {
    PlanPhase phase = PlanPhase::kSelfPlay;
    std::string name;
    std::uint32_t iteration = 0;
    TimePoint began{};
    MemoryPeaks peaks;
    Duration sampling_cpu{};  // what this thread took for it
    bool told_of_kills = false;
  };
  struct LadderWatch {
    bool has_failed = false;  // in this iteration, which is not clean
    bool wants_rung = false;  // at the end of the phase
    bool must_plan = false;   // took a rung since the plan
    bool is_at_end = false;   // one more rung would change nothing that runs
  };

  void Watch(const MemoryUse& use);
  void Act(std::string_view what, WatchStep step, Bytes used, const ThresholdWatch& watch);
  // Of the machine, or of the GPU: less is free than the guard.
  void WatchFree(bool of_gpu, Bytes free);
  void ForceCleanup();
  Bytes CleanUp(CleanupLevel level);
  void SetWatches();
  Result<void> WritePlan() const;
  void WatchAllocator(const MemoryLayersMessage& layers);
  Result<ReleasedMessage> ReleaseAll();
  bool MayRestart(int lane) const;  // against a leak
  void TellLeak(const LeakFinding& leak, bool can_restart);
  Result<void> RestartLeaking(int lane);
  // governor_rungs.cc: what is given up at boundaries, and tried again.
  void TakeReports();  // failures that the device told of, and processes that the kernel killed
  void OnKernelKills(int kills);
  void OnOom(const OomMessage& oom, Ladder ladder);
  // The ladders to take rungs of when the phase is short of RAM, or of the GPU's memory: the first
  // of them that is not at its end.
  std::vector<Ladder> LaddersOfShortage(bool of_gpu) const;
  LadderWatch* ToLower(bool of_gpu);  // that one; null: all are at their ends
  void NoteShortage(bool of_gpu);     // none of them is clean in this iteration
  void AskForRung(bool of_gpu);
  // No other ladder is left, now that this one is at its end.
  bool IsLast(Ladder ladder) const;
  LadderWatch& WatchOf(Ladder ladder) { return ladders_[static_cast<std::size_t>(ladder)]; }
  const LadderWatch& WatchOf(Ladder ladder) const {
    return ladders_[static_cast<std::size_t>(ladder)];
  }
  Result<void> FollowRungs();
  // `state` with one more rung of the ladder, if a lower plan follows from it.
  std::optional<MemoryState> WithRung(Ladder ladder, MemoryState state) const;
  void TellNoSmallerPlan(std::string_view why);
  // Puts `state` into force with the plan that follows from it. False: no plan follows; all stays.
  Result<bool> PlanAgain(const MemoryState& state, std::string_view why);
  Result<void> ClimbBack(Ladder ladder);
  // governor_load.cc: rungs for what the device was asked to do and could not.
  template <class Call>
  auto WithRoom(const Call& call) -> decltype(call());
  Result<void> MakeRoom(const Error& refused);             // of inference, or of the host
  Result<void> MakeRoomToTrain(const Error& refused);      // one of these, or the first
  Result<void> MakeRoomForTraining(const Error& refused);  // of training, or of the host
  Result<void> MakeRoomInRam(const Error& killed);         // of the host alone
  // Takes the rung if it leads to a lower plan, told of as `oom`. False: it does not.
  Result<bool> Descend(Ladder ladder, const OomMessage& oom, std::string_view why);
  // The phase's networks are on the processor although there is a GPU: what fails there is RAM.
  bool IsBesideGpu() const { return s_.plan.on_cpu.Serves(serving_); }
  // What its networks are refused is RAM, which workers have some of.
  bool LacksRam() const { return s_.plan.device == DeviceKind::kCpu || IsBesideGpu(); }
  // The ladder to take a rung of. Inference beside a GPU is of matches alone; self-play on the GPU
  // would pay for rungs of it.
  Ladder LadderHere(Ladder ladder) const {
    return IsBesideGpu() && ladder != Ladder::kTrain ? Ladder::kHost : ladder;
  }
  Error NoRoom(const Error& refused) const;
  Error NoRoomForTraining(const Error& refused) const;
  // governor_metrics.cc: lines of metrics.jsonl. A fault in writing them is logged.
  void WritePhase(const ReleasedMessage& released, const MemoryUse& after, Bytes freed_here);
  MetricsLine Event(std::string_view event) const;
  void Write(const MetricsLine& line);
  void ReportOom(const OomMessage& oom);
  std::string Advice(bool of_gpu) const;

  Setup s_;
  const MemoryOptions& options_;
  std::vector<Cleanup> cleanups_;
  MemoryHistory history_;
  ThresholdWatch ram_watch_{{}};
  ThresholdWatch gpu_watch_{{}};
  FragmentationWatch fragmentation_;
  LeakWatch leaks_;
  SizesInForce in_force_;
  std::optional<PhaseRecord> phase_;
  TimePoint next_sample_{};
  std::uint64_t batches_at_cleanup_ = 0;
  std::int64_t retries_ = 0;
  bool host_waits_ = false;        // a rung of the host for the next start: more change nothing
  bool host_climb_waits_ = false;  // so does what was climbed: no more before it was tried
  int thrashing_trainings_ = 0;    // in a row
  std::array<LadderWatch, kLadders.size()> ladders_;
  bool host_is_short_ = false;  // and was told of
  bool gpu_is_short_ = false;
  PlanPhase serving_ = PlanPhase::kSelfPlay;  // whose device process runs
};

}  // namespace az
