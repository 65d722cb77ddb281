#pragma once
// ProcessFleet: the Fleet of real processes. Owns the segments, the supervisor and the view of the
// journals. A child that dies is started again by the supervisor; this class tells the newcomer
// what it must know (plan, weights, phase, games, running training), so that a phase notices a
// death in its counters alone.

#include <array>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "engine/fleet/device_plan.h"
#include "engine/fleet/fleet.h"
#include "engine/fleet/fleet_setup.h"
#include "engine/fleet/game_dealer.h"
#include "engine/fleet/lane_journals.h"
#include "engine/fleet/seating.h"
#include "engine/fleet/training_deaths.h"
#include "engine/process/memory_monitor.h"
#include "engine/process/supervisor.h"
#include "scheduler/plan.h"

namespace az {

class ProcessFleet final : public Fleet {
 public:
  // Reads the journals, makes the segment, starts all processes and waits until they are ready. The
  // calling thread must be the process's only one. Every error names its cause; no process is left
  // behind.
  static Result<std::unique_ptr<ProcessFleet>> Start(FleetSetup setup);
  // Ends all processes; nothing is left behind.
  ~ProcessFleet() override;

  Result<void> Play(const GamePhaseSpec& spec) override;
  Result<void> Load(int slot, const std::filesystem::path& checkpoint,
                    std::uint64_t version) override;
  void Unload(int slot) override;
  bool RefusedWeights() const override { return refused_weights_; }
  Result<TrainedMessage> Train(
      const TrainMessage& message,
      const std::function<void(const TrainProgressMessage&)>& on_progress) override;
  bool LacksWeights() const override;
  NoRoomFor LackedRoom() const override { return lacked_room_; }
  Result<ReleasedMessage> Release(CleanupLevel level) override;
  void AskRelease(CleanupLevel level) override;
  MemoryUse Memory() override;
  Bytes ProportionalMemory() override;
  std::vector<OomMessage> TakeOoms() override { return std::exchange(ooms_, {}); }
  int TakeKernelKills() override { return std::exchange(kernel_kills_, 0); }
  Result<void> Apply(const Plan& plan) override;
  Result<void> Place(PlanPhase phase) override;
  Result<void> Restart(int lane) override;
  std::vector<LaneBytes> JournalBytes() const override { return journals_->AllBytes(); }
  Result<std::vector<LaneBytes>> SyncedJournalBytes() override { return journals_->SyncedBytes(); }
  FleetTotals Totals() const override;
  std::string DeviceText() const override { return s_.with_device ? device_text_ : "no network"; }
  // Of a lane (kDeviceLane: the device); nothing while its process is being restarted.
  std::optional<pid_t> pid(int lane) const { return supervisor_->pid(lane); }
  std::vector<pid_t> Pids() const;                         // this process and all its children
  Bytes SharedBytes() const { return seating_->bytes(); }  // of the segments
  std::vector<pid_t> DevicePids() const;
  int device_processes() const { return static_cast<int>(seating_->devices().size()); }
  int signal_count() const { return supervisor_ ? supervisor_->signal_count() : 0; }
  // One round of the supervisor, without waiting: for a caller that works on its own lanes, a few
  // times a second. kStopped after a signal; else an error that ends the run.
  Result<void> Look();
  // Of a lane of the caller's own, and of the device that serves it.
  Segment& SegmentOf(int lane) { return seating_->SegmentOf(lane); }

 private:
  struct RunningPhase {
    const GamePhaseSpec* spec = nullptr;
    PhaseMessage message;
    std::unique_ptr<GameDealer> dealer;
    std::set<int> draining;  // lanes that have not answered Drain yet
    bool is_draining = false;
    bool enough = false;  // on_finished said so
  };
  struct RunningTraining {
    TrainMessage message;
    const std::function<void(const TrainProgressMessage&)>* on_progress = nullptr;
    TrainingDeaths deaths;
    std::optional<Result<TrainedMessage>> done;  // an error: kNoMemory, or it kills its process
  };
  struct ModelSlot {
    std::optional<LoadMessage> load;  // what it must hold
    std::set<int> published;          // the devices where it does
  };

  explicit ProcessFleet(FleetSetup setup);
  Result<void> Begin();
  Result<void> RepairJournals();
  int lanes() const;

  // One round of the supervisor, of at most `wait`; the first error that must end the run, or
  // kStopped.
  Result<void> Pump(Duration wait);
  // Pumps until `done`, or until a signal came that nobody was told of yet.
  Result<void> PumpUntil(const std::function<bool()>& done);
  Result<void> Handle(const SupervisorEvent& event);
  Result<void> On(const ChildStarted& event);
  Result<void> On(const ChildSaid& event);
  Result<void> On(const ChildDied& event);
  Result<void> OnDeviceSaid(int lane, const ControlMessage& message);
  void OnDeviceDied(const ChildDied& died);
  void TellSlots(int device);            // what they must hold, or that they hold nothing
  bool HoldsItsSlots(int device) const;  // the weights that it was told to load
  // Whether the device says that it cannot hold the weights of a slot that it was told to load.
  bool IsRefusedLoad(int lane) const;
  Result<void> RestartWorkers();
  // Pumps until each of these devices is ready and holds what the slots must hold, or has refused.
  Result<void> AwaitLoads(const std::vector<int>& devices);
  // Whether what answers this training is waited for: one before it may have been given up.
  bool Trains(std::uint32_t attempt) const {
    return training_ && training_->message.attempt == attempt;
  }
  void TellTraining(const TrainMessage& message);
  void OnProgress(const TrainProgressMessage& progress);
  void OnTrainerDied(const ChildDied& died);
  DevicePlanMessage PlanFor(int device) const;
  void OnDeviceMemory(int lane, const ControlMessage& message);
  void AskReleaseOf(int device, CleanupLevel level);
  Result<void> OnWorkerSaid(int lane, const ControlMessage& message);
  void OnDeviceReady(int lane, const ReadyMessage& ready);
  void OnWorkerReady(int lane);

  void Tell(int lane, const ControlMessage& message);
  void Deal(int lane);
  void Drain();
  // The end of Play: the workers let go of open games where the fleet can still tell them to, also
  // where a device has no room for its weights. Returns how Play ends.
  Result<void> LetGo(const Result<void>& played);
  Result<void> Ended(const Result<void>& waited);
  bool InPhase(int lane) const;
  void KeepStatsOfDead(int lane);
  void CountMemory() const;
  RunProcesses Processes() const;

  FleetSetup s_;
  std::optional<Seating> seating_;
  std::unique_ptr<LaneJournals> journals_;
  PosixLauncher launcher_;
  std::optional<Supervisor> supervisor_;
  PlanPhase serving_ = PlanPhase::kSelfPlay;  // whose device process runs
  std::set<int> ready_;                       // lanes that said Ready, of their newest process
  std::string device_text_;
  std::array<ModelSlot, 2> slots_;
  // Devices that do not take what a slot must hold, or died without room for their least batch.
  std::map<int, Error> refused_;
  NoRoomFor lacked_room_ = NoRoomFor::kWeights;
  int signals_told_ = 0;          // by kStopped; more may have come with another error
  bool awaits_loads_ = false;     // somebody deals with refusals
  bool refused_weights_ = false;  // the last wait ended with one of them
  std::optional<RunningPhase> phase_;
  std::optional<RunningTraining> training_;
  std::map<int, ReleasedMessage> released_;    // by device
  std::optional<CleanupLevel> release_asked_;  // and waited for
  std::map<int, int> releases_out_;            // asked of a device and not answered
  std::uint64_t phases_ = 0;
  std::uint32_t trainings_ = 0;
  std::map<int, WorkerStatsMessage> worker_stats_;  // of running workers
  WorkerCounts dead_counts_;                        // of those that died
  MemoryMonitor monitor_;
  MemoryLayersMessage layers_;  // as the device last told them
  std::vector<OomMessage> ooms_;
  int kernel_kills_ = 0;                  // that nobody has taken yet
  std::map<int, SizesInForce> in_force_;  // of devices that gave up something since the plan
  mutable TimePoint memory_at_{};
  mutable Bytes memory_;
};

}  // namespace az
