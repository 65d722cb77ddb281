#pragma once
// PlayService: an inference server for this process alone. It is a device process like that of a
// training run, planned by the same scheduler, with one network; this process searches on its lane.

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <utility>

#include "base/clock.h"
#include "base/result.h"
#include "engine/config/run_config.h"
#include "engine/ipc/shm_evaluator.h"
#include "engine/memory/temporary_run.h"
#include "engine/play/served_evaluator.h"

namespace az {

struct ServiceSetup {
  RunConfig config;                // the player's game, net, search and memory
  std::filesystem::path weights;   // the absolute path for a LoadMessage
  std::filesystem::path programs;  // the folder of az_device
  // Called for SIGINT, SIGTERM or SIGHUP, also during the start; may be empty.
  std::function<void(int)> on_signal = {};
};

// Confined to the main thread, which must be the process's only one.
class PlayService {
 public:
  // Plans, starts the device process and loads the network. A device that dies later is started
  // again. Also removes what killed processes left in /tmp. Fails as PlanRun and
  // ProcessFleet::Start do.
  static Result<std::unique_ptr<PlayService>> Start(const ServiceSetup& setup);
  PlayService(const PlayService&) = delete;
  PlayService& operator=(const PlayService&) = delete;

  Evaluator& evaluator() { return *served_; }
  const PlannedRun& planned() const { return run_->planned(); }
  const RunConfig& config() const { return run_->config(); }
  const Clock& clock() const { return run_->clock(); }
  // Looks after the device process; must be called a few times a second while the evaluator is not
  // used. Fails with kStopped after a signal.
  Result<void> Idle() { return run_->fleet().Look(); }

  static constexpr WeightsVersion kVersion = 1;  // the version of the network in slot 0

 private:
  explicit PlayService(std::unique_ptr<TemporaryRun> run) : run_(std::move(run)) {}
  Result<void> Begin(const ServiceSetup& setup);

  const std::unique_ptr<TemporaryRun> run_;
  std::optional<ShmEvaluator> evaluator_;
  std::optional<ServedEvaluator> served_;
};

}  // namespace az
