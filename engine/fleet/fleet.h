#pragma once
// Fleet: the processes of a run as the phases see them: play these games, train, load these
// weights. It owns the segment, the supervisor's state machine and the journals' readers; it
// restarts what dies and tells the newcomer what it must know, so that a phase never notices a
// death except in its counters.

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "base/result.h"
#include "engine/data/game_record.h"
#include "engine/fleet/lane_journals.h"
#include "engine/process/memory_monitor.h"
#include "engine/process/messages.h"
#include "engine/run/fleet_totals.h"
#include "engine/run/run_state.h"
#include "scheduler/plan.h"

namespace az {

struct GamePhaseSpec {
  GameKind kind = GameKind::kSelfPlay;
  std::uint32_t iteration = 0;
  std::uint32_t games = 0;
  std::uint32_t extra_games = 0;  // of iteration + 1, to keep workers busy at the end
  int workers = 1;
  std::vector<PlayerMessage> players;
  double resign_threshold = 0;  // see PhaseMessage
  bool may_resign = false;
  int moves = 0;  // a game is cut so many after its opening; 0: never
  // Prescribed first actions of a game; may be empty. Called once a grant.
  std::function<std::vector<Action>(std::uint32_t index)> opening;
  // Called for each finished game, those found in the journal at the start included; false ends the
  // phase early.
  std::function<bool(const FinishedGame&)> on_finished;
  // Asked a few times a second; true ends the phase early. May be empty.
  std::function<bool()> enough;
};

// What had no room where a call ended with kNoMemory.
enum class NoRoomFor : std::uint8_t {
  kWeights,   // what a slot must hold, in a device
  kBatch,     // a device's smallest batch; it died of that
  kTraining,  // a training with nothing left to give up
  kProcess,   // the process of a training, killed by others: RAM, wherever its networks are
};

// Confined to the supervisor's main thread. ProcessFleet is the real one; tests play with a fake.
class Fleet {
 public:
  virtual ~Fleet() = default;

  // Blocks until every game is in (or on_finished said enough), then drains the workers. kStopped
  // on a first SIGINT or SIGTERM, after draining. kNoMemory: a device died because its smallest
  // batch had no room, or one that was started again in the phase has none for what a slot must
  // hold; the workers are drained, and the phase may be played again under another plan.
  virtual Result<void> Play(const GamePhaseSpec& spec) = 0;
  // Blocks until the slot's weights are published. kNoMemory: a device has no room for them; the
  // slot is as it was, and may be loaded again under another plan. It is as it was, too, when a
  // device refused the checkpoint itself (RefusedWeights): missing, damaged, of another game.
  virtual Result<void> Load(int slot, const std::filesystem::path& checkpoint,
                            std::uint64_t version) = 0;
  // The slot holds no weights from now on, in devices started later neither. Does not wait.
  // REQUIRES: between phases.
  virtual void Unload(int slot) = 0;
  // Whether the last Load or Play failed because a device refused what a slot must hold, and for
  // nothing else: once that slot is unloaded, the fleet goes on. kNoMemory may be of batches too.
  virtual bool RefusedWeights() const { return false; }
  // Blocks until the training is done; a device that dies meanwhile starts it again from `from`,
  // unless it is the third in a row that got no further (TrainingDeaths). Killed by others, which
  // is what the kernel does when RAM runs out, that is kNoMemory (kProcess); else it ends the run.
  // kNoMemory: it has nothing left to give up for the training, or no room for a batch or, started
  // again, for what a slot must hold (LacksWeights); the same training may be asked for again under
  // another plan.
  virtual Result<TrainedMessage> Train(
      const TrainMessage& message,
      const std::function<void(const TrainProgressMessage&)>& on_progress) = 0;
  // Of the last call that ended with kNoMemory.
  virtual NoRoomFor LackedRoom() const { return NoRoomFor::kWeights; }
  // Whether a device refused what a slot must hold, or died, and has not been given it since.
  virtual bool LacksWeights() const { return false; }
  // Phase boundary: cached memory goes back. Blocks until it has. kNoMemory as Play.
  virtual Result<ReleasedMessage> Release(CleanupLevel level) = 0;
  // The same in the middle of a phase: asks, and does not wait.
  virtual void AskRelease(CleanupLevel level) = 0;
  // What the processes use now, and the layers of the device's allocator as it last told them.
  virtual MemoryUse Memory() = 0;
  // Proportional set size of all processes. Milliseconds each.
  virtual Bytes ProportionalMemory() = 0;
  // Failed allocations that the device told of since the last call.
  virtual std::vector<OomMessage> TakeOoms() = 0;
  // Processes that the kernel killed since the last call because RAM ran out; others took their
  // place.
  virtual int TakeKernelKills() { return 0; }
  // Trainings and processes started from now on follow this plan, of the same lanes as the first.
  // The device, or the workers, are started again when they cannot change to it as they run; so is
  // a device that has given up batches of the plan before, which may be the same.
  // kNoMemory: a device that was started again has no room for what a slot must hold; a smaller
  // plan may follow. REQUIRES: between phases.
  virtual Result<void> Apply(const Plan& plan) = 0;
  // The device process that the plan has for this phase serves from now on, with what the slots
  // must hold; another one is ended first. kNoMemory as Apply. REQUIRES: between phases. A fleet
  // whose device serves every phase has nothing to do.
  virtual Result<void> Place(PlanPhase) { return {}; }
  // Ends a lane's process (kDeviceLane: the device's) and blocks until its successor is as ready as
  // it was. kNoMemory as Apply. REQUIRES: between phases.
  virtual Result<void> Restart(int lane) = 0;
  // How far each lane's journal has been read without an error.
  virtual std::vector<LaneBytes> JournalBytes() const = 0;
  // The same, once they are on the disk: what state.json may name. Blocks. kNoSpace, kIo.
  virtual Result<std::vector<LaneBytes>> SyncedJournalBytes() = 0;
  virtual FleetTotals Totals() const = 0;
  virtual std::string DeviceText() const = 0;  // from the device's Ready
};

}  // namespace az
