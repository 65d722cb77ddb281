#pragma once
// RunnerPool: runners of a CPU pull their work. A free runner takes the baton, collects and
// decides, sleeps with the baton in its hand when there is nothing, and lets go of it once it has
// sealed a batch; then it runs and completes the batch itself. So there is one sleeper on the bell,
// no hand-over, and a batch is sealed as late as can be.

#include <atomic>
#include <memory>
#include <thread>
#include <vector>

#include "base/thread_annotations.h"
#include "engine/server/completion.h"
#include "engine/server/dispatcher.h"
#include "engine/server/engine.h"
#include "engine/server/flight_watch.h"
#include "engine/server/server_context.h"

namespace az {

// Thread-safe. Owns a thread for each runner.
class RunnerPool final : public ServerEngine {
 public:
  // The context outlives it.
  RunnerPool(ServerContext& context, std::vector<std::unique_ptr<BatchRunner>> runners);
  ~RunnerPool() override { Stop(); }
  Result<void> Begin() override;
  void Stop() override;
  std::optional<Duration> Overdue() const override;

 private:
  struct Runner {
    std::unique_ptr<BatchRunner> runner;
    FlightWatch watch;
    std::thread thread;
  };
  void Loop(Runner& self);
  bool NextBatch(SealedBatch& batch) AZ_EXCLUDES(baton_);  // false: stop

  ServerContext& context_;
  Completion completion_;
  std::atomic<int> free_runners_{
      0};        // hold or wait for the baton; a stale count seals a slightly smaller batch
  Mutex baton_;  // nothing else may need it: its holder may sleep long
  Dispatcher dispatcher_ AZ_GUARDED_BY(baton_);
  std::vector<std::unique_ptr<Runner>> runners_;
};

}  // namespace az
