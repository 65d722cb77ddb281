#pragma once
// DevicePipeline: two threads drive the slots of one asynchronous device. The dispatcher seals and
// launches; the completion thread waits for the oldest launch and answers it. A batch is sealed
// shortly before the device is free.

#include <array>
#include <condition_variable>
#include <deque>
#include <memory>
#include <thread>
#include <vector>

#include "base/thread_annotations.h"
#include "engine/server/batch_run.h"
#include "engine/server/completion.h"
#include "engine/server/dispatcher.h"
#include "engine/server/engine.h"
#include "engine/server/flight_watch.h"
#include "engine/server/server_context.h"

namespace az {

// Thread-safe. A slot's Launch and Finish come from two threads, never at once: the slot is handed
// over under mutex_.
class DevicePipeline final : public ServerEngine {
 public:
  // The context outlives it.
  DevicePipeline(ServerContext& context, std::vector<std::unique_ptr<BatchRunner>> slots);
  ~DevicePipeline() override { Stop(); }
  Result<void> Begin() override;
  void Stop() override;
  std::optional<Duration> Overdue() const override;

 private:
  struct Slot {
    std::unique_ptr<BatchRunner> runner;
    SealedBatch batch;
    std::optional<BatchRun> run;
    Result<void> launched;
    FlightWatch watch;
    Duration estimate{};
    bool is_free = true;  // guarded by the pipeline's mutex_
  };
  // How long sealing and launching take: the 95th percentile of the last ones, 20 to 500 us.
  class LeadTime {
   public:
    Duration value() const { return lead_; }
    void Add(Duration launch);

   private:
    std::array<double, 64> samples_s_{};
    std::size_t count_ = 0;
    Duration lead_ = std::chrono::microseconds(120);
  };

  void DispatchLoop();
  void CompletionLoop();
  void LaunchSlot(Slot& slot);
  void FinishSlot(Slot& slot);
  Slot* FreeSlot() AZ_EXCLUDES(mutex_);  // nullptr: none
  TimePoint DeviceFree() AZ_EXCLUDES(mutex_);
  Slot* NextLaunched() AZ_EXCLUDES(mutex_);  // blocks; nullptr: stopped and nothing in flight

  ServerContext& context_;
  Completion completion_;
  Dispatcher dispatcher_;  // the dispatcher thread's
  LeadTime lead_;          // the dispatcher thread's
  std::vector<std::unique_ptr<Slot>> slots_;
  mutable Mutex mutex_;
  std::condition_variable launched_cv_;
  TimePoint device_free_ AZ_GUARDED_BY(mutex_){};     // when all launches should be done
  std::deque<Slot*> launched_ AZ_GUARDED_BY(mutex_);  // in order of launch
  bool no_more_ AZ_GUARDED_BY(mutex_) = false;        // the dispatcher has ended
  TimePoint last_done_{};  // the completion thread's: end of the last batch
  std::thread dispatch_thread_;
  std::thread completion_thread_;
};

}  // namespace az
