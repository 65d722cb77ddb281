#pragma once
// DeviceApp: the device process. It serves inference to the workers through the segment, trains
// when it is told to, and answers the supervisor. One per GPU, or one for the CPU; the only process
// with LibTorch.
//
//   main thread      control channel, model slots, heartbeat, statistics; checks loaded weights
//   runner threads   inference, one LibTorch thread each (engine/server)
//   learner thread   from the first training on; while one runs, shards and prefetcher beside it
//                    (engine/train)

#include <memory>
#include <optional>

#include "base/clock.h"
#include "base/exit_codes.h"
#include "base/log.h"
#include "base/result.h"
#include "base/thread_annotations.h"
#include "engine/apps/device_setup.h"
#include "engine/apps/learner_thread.h"
#include "engine/apps/outbox.h"
#include "engine/apps/training_job.h"
#include "engine/net/inference_device.h"
#include "engine/process/child_setup.h"
#include "engine/server/inference_server.h"
#include "engine/train/trainer.h"

namespace az {

// What a process ends with whose DeviceApp::Start failed. Without memory it is kTryAgain: the run
// takes a rung, as where a load finds none, and what holds the memory may go. A restart mends nothing
// else.
ExitCode ExitCodeOfStart(const Error& error);

// Confined to the main thread.
class DeviceApp {
 public:
  // Opens the device, starts the server and says Ready. Context, setup and log outlive the app.
  // kUnavailable: the device asked for is not there. kNoMemory: it has no room.
  static Result<std::unique_ptr<DeviceApp>> Start(ChildContext& context, DeviceSetup& setup,
                                                  Log& log);
  ~DeviceApp();

  // Serves until the supervisor says stop, SIGTERM arrives or the supervisor is gone. The error is
  // what the process ends with.
  Result<void> Run();

  // Set when the device can answer no more batches: the process should be started again
  // (ExitCode::kTryAgain), and its successor finds the blocks in the segment.
  std::optional<Error> lost_device() const;

 private:
  DeviceApp(ChildContext& context, DeviceSetup& setup, Log& log, UniqueFd event);
  Result<void> OpenDevice();
  Result<void> StartServer();
  Result<bool> Receive();                            // false: stop
  Result<bool> Obey(const ControlMessage& message);  // false: stop
  Result<void> Load(const LoadMessage& message);
  void Unload(const UnloadMessage& message);
  Result<void> Release(const ReleaseMessage& message);
  Result<void> Probe(const ProbeMessage& message);
  Result<void> SendOutbox();
  Result<void> Tick();  // heartbeat and statistics
  void WaitForWork();
  void Lose(Error error);  // Run ends soon
  // Answers that what was asked for failed, or loses the device where that is why.
  Result<void> Refuse(const Error& error);
  void OnFault(const Error& error);           // called by the server's threads
  void OnOutOfMemory(const LearnerOom& oom);  // called by the learner's thread

  ChildContext& context_;
  DeviceSetup& setup_;
  Log& log_;
  const SteadyClock clock_;
  Outbox outbox_;
  mutable Mutex fault_mutex_;
  std::optional<Error> lost_device_ AZ_GUARDED_BY(fault_mutex_);
  std::unique_ptr<InferenceDevice> device_;
  std::unique_ptr<InferenceServer> server_;  // after device_: its runners use it
  std::optional<Trainer> trainer_;
  LearnerThread learner_thread_;
  std::optional<TrainingJob> training_;  // after its parts: trainer, thread, memory, outbox
  TimePoint stats_sent_{};
};

}  // namespace az
