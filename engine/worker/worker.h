#pragma once
// Worker<S>: the loop of a worker process. Many game slots in one thread; it runs whatever can go
// on, submits rows in blocks, and sleeps only when every slot waits for an answer. It shows life
// and hears its supervisor every few milliseconds, however long a move takes that a slot makes by
// itself.

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/log.h"
#include "base/result.h"
#include "engine/config/visits_schedule.h"
#include "engine/process/worker_counts.h"
#include "engine/worker/block_board.h"
#include "engine/worker/game_slot.h"
#include "engine/worker/worker_control.h"

namespace az {

struct WorkerSetup {
  const SearchOptions& search;  // these outlive the worker
  std::uint64_t run_seed = 0;
  std::optional<VisitsSchedule> visits = std::nullopt;  // in self-play; none: search.visits
  int slots = 64;
  Bytes cache;  // 0: no evaluation cache
  Evaluator& evaluator;
  WorkerControl& control;
  JournalWriter& journal;
  const Clock& clock;
  const Log& log;
};

// Confined to the worker's thread.
template <GameState S>
class Worker {
 public:
  explicit Worker(const WorkerSetup& setup);

  // Until the supervisor stops it. Every error ends the process: the journal's, an answer that
  // failed for another reason than its own position, a message that breaks the protocol.
  Result<void> Run();

 private:
  static constexpr auto kControlEvery = std::chrono::milliseconds(3);
  static constexpr auto kWaitLimit = std::chrono::milliseconds(100);
  // While a program thinks and the server works, and while nothing else happens.
  static constexpr auto kProgramEvery = std::chrono::milliseconds(1);
  static constexpr auto kProgramWait = std::chrono::milliseconds(20);
  static constexpr auto kStatsEvery = std::chrono::seconds(1);
  static constexpr auto kSyncEvery = std::chrono::seconds(5);

  Result<void> Pass();
  Result<void> Housekeeping();
  // Shows life and hears the supervisor; safe in the middle of a move, for it touches no game.
  Result<void> LookAtControl();
  bool ControlIsDue() const;
  void LookSoon() { control_at_ = {}; }
  // What long moves call as they go. kStopped: something heard ends them.
  Result<void> LookUp();
  bool EndsMoves(const ControlMessage& message) const;
  Result<void> On(const ControlMessage& message);
  Result<void> BeginPhase(const PhaseMessage& phase);
  void DropGames();
  Result<void> EndPhase(std::uint64_t phase);
  Result<void> TakeAnswers(Deadline deadline);
  Result<void> Take(const BlockBoard::Answer& answer);
  Result<void> TakeNotFinite(const BlockBoard::Answer& answer);
  // Ends the slot's game without a result: its own row was not finite, or for another reason.
  Result<void> EndByBadRow(int index, std::string_view reason);
  Result<void> GiveUp(int index, std::string_view reason);
  enum class SlotRun : std::uint8_t {
    kSettled,  // waits for an answer, or has no game
    kYields,   // can go on, after the others
    kBlocked,  // can go on when a block is free
  };
  // Runs each slot that can go on once, until control is due: those not served are the next ones
  // then. True when one was blocked.
  Result<bool> RunSlots();
  Result<SlotRun> RunSlot(int index);
  Result<SlotRun> AskForRow(int index);
  Result<bool> StartNextGame(GameSlot<S>& slot);
  void WakePrograms(Duration most);
  void SendStats();
  GameSlot<S>& slot(int index) { return *slots_[static_cast<std::size_t>(index)]; }

  WorkerSetup s_;
  std::unique_ptr<EvalCache> cache_;
  TreeScratch scratch_;
  WorkerCounts stats_;
  BlockBoard board_;
  std::unique_ptr<Solver> solver_;      // from the first phase with one
  std::optional<SlotContext> context_;  // the running phase's
  std::vector<std::unique_ptr<GameSlot<S>>> slots_;
  std::deque<int> runnable_;         // slots that can go on
  std::vector<int> awaiting_;        // slots whose program thinks
  std::deque<GrantedGame> granted_;  // games not begun
  std::vector<int> idle_;            // slots without a game
  bool stopping_ = false;
  TimePoint control_at_{};  // the last look; zero: the next one is due
  TimePoint stats_at_{};
  TimePoint sync_at_{};
  std::deque<ControlMessage> inbox_;  // heard and not acted upon
};

}  // namespace az
