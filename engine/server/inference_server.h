#pragma once
// InferenceServer: answers the rows that workers submit to a segment, on the runners it is given.
// Runs in the device process; knows no network and no LibTorch.

#include <cstdint>
#include <memory>
#include <vector>

#include "base/clock.h"
#include "base/log.h"
#include "base/result.h"
#include "engine/ipc/batch_runner.h"
#include "engine/ipc/segment.h"
#include "engine/server/server_options.h"

namespace az {

// Thread-safe. Owns its threads.
class InferenceServer {
  struct Parts;

 public:
  // Takes the segment's work over from the server of an older epoch and starts the threads: one for
  // each runner, or with gpu_pipeline two and the runners as slots. Slots that the old server had
  // in use are kLoading, the others kEmpty. The segment and the log outlive the server. kInvalid:
  // options; no runner. REQUIRES: no other server on this segment, the last one was reaped;
  // device_epoch is larger than its own.
  static Result<std::unique_ptr<InferenceServer>> Start(
      Segment& segment, std::uint32_t device_epoch,
      std::vector<std::unique_ptr<BatchRunner>> runners, ServerOptions options, Log& log);

  explicit InferenceServer(std::unique_ptr<Parts> parts);  // for Start alone
  ~InferenceServer();                                      // as Stop
  InferenceServer(const InferenceServer&) = delete;
  InferenceServer& operator=(const InferenceServer&) = delete;

  // kReady publishes: batches sealed after it returns use `version` or a newer one, so the runners
  // must have the weights before the call. Blocks of a slot wait while it is kLoading and FAIL
  // while it is kEmpty.
  void SetModel(ModelId model, ModelState state, WeightsVersion version);

  // Phases without inference: look for lost hints ten times a second only. Submissions still wake
  // the server at once.
  void Idle(bool idle);

  // False when a batch has been running for longer than max(10 s, 50 times the usual), 120 s for
  // the first of its bucket: the device process should stop its heartbeat and be killed.
  bool Healthy() const;

  // Seals nothing more, finishes what is in flight, joins. What is SUBMITTED stays so. Idempotent;
  // one caller.
  void Stop();

 private:
  std::unique_ptr<Parts> parts_;
};

}  // namespace az
