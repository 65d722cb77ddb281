#pragma once
// ProbeRun: a device process without a run, asked what batch sizes take of its memory and time. For
// az_plan --measure and for az_train before its first phase. Which sizes to ask for, and what
// follows, is decided elsewhere (scheduler/probe.h).

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "base/clock.h"
#include "base/files.h"
#include "base/log.h"
#include "base/result.h"
#include "base/temp_folder.h"
#include "engine/config/run_config.h"
#include "engine/ipc/run_id.h"
#include "engine/ipc/segment.h"
#include "engine/process/supervisor.h"
#include "games/game_ops.h"
#include "scheduler/plan.h"

namespace az {

struct ProbeSetup {
  const RunConfig& config;  // these outlive the probe
  const GameOps& game;
  const Clock& clock;
  std::filesystem::path programs;      // folder of az_device
  std::function<void(int)> on_signal;  // one that stops the probe came; may be empty
};

// Confined to the process's main thread, which must be its only one (Supervisor). Keeps a folder of
// its own under the system's for temporary files.
class ProbeRun {
 public:
  // Starts the device process with the sizes of `plan` and gives it a fresh network. Blocks until
  // it is ready. Fails as the device process does; nothing is left behind.
  static Result<std::unique_ptr<ProbeRun>> Start(const ProbeSetup& setup, const Plan& plan);
  ~ProbeRun();  // ends the process and removes the folder

  // Blocks for the answer. Fails: kPeerGone when the process died of it; kStopped by a signal;
  // kTimeout; else what the device process says.
  Result<ProbedMessage> Ask(const ProbeMessage& message);

  const std::string& device() const { return device_; }  // what it calls itself
  // Of a GPU: what the driver took for the process beside its allocator, the most that any answer
  // told. Nothing: unknown.
  std::optional<Bytes> context() const { return context_; }

 private:
  explicit ProbeRun(const ProbeSetup& setup) : setup_(setup) {}
  Result<void> Begin(const Plan& plan);
  Result<void> MakeFolder();
  Result<void> StartProcess(const Plan& plan);
  Result<void> MakeNetwork();
  // The error that this event ends the probe with, if any.
  std::optional<Error> EndOf(const SupervisorEvent& event) const;
  // The next message of this kind.
  template <class Message>
  Result<Message> Await(Duration limit);

  ProbeSetup setup_;
  std::optional<TempFolder> folder_;
  UniqueFd log_fd_;
  std::optional<Log> log_;
  RunId run_id_;
  std::unique_ptr<Segment> segment_;
  PosixLauncher launcher_;
  std::optional<Supervisor> supervisor_;
  std::string device_;
  std::optional<Bytes> context_;
};

}  // namespace az
