#pragma once
// PlayService: an inference server for this process alone. A device process as a training run has
// it, planned by the same scheduler, with one network; this process searches on its lane.

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>

#include "base/clock.h"
#include "base/files.h"
#include "base/log.h"
#include "base/result.h"
#include "base/temp_folder.h"
#include "engine/config/run_config.h"
#include "engine/ipc/shm_evaluator.h"
#include "engine/loop/process_fleet.h"
#include "engine/loop/train_run.h"
#include "engine/play/served_evaluator.h"

namespace az {

struct ServiceSetup {
  RunConfig config;                // game, net, search and memory of the player
  std::filesystem::path weights;   // what a LoadMessage names
  std::filesystem::path programs;  // folder of az_device
  // SIGINT, SIGTERM or SIGHUP came, while it starts too; may be empty.
  std::function<void(int)> on_signal = {};
};

// Confined to the main thread, which must be the process's only one.
class PlayService {
 public:
  // Plans, starts the device process and loads the network. A device that dies later is started
  // again. Removes what killed ones left in /tmp. Fails as PlanRun and ProcessFleet::Start.
  static Result<std::unique_ptr<PlayService>> Start(const ServiceSetup& setup);
  PlayService(const PlayService&) = delete;
  PlayService& operator=(const PlayService&) = delete;

  Evaluator& evaluator() { return *served_; }
  const PlannedRun& planned() const { return planned_; }
  const RunConfig& config() const { return config_; }
  const Clock& clock() const { return clock_; }
  // To be called a few times a second while the evaluator is not used. kStopped after a signal.
  Result<void> Idle() { return fleet_->Look(); }

  static constexpr WeightsVersion kVersion = 1;  // of the network in slot 0

 private:
  PlayService(TempFolder folder, RunConfig config, PlannedRun planned)
      : folder_(std::move(folder)), config_(std::move(config)), planned_(std::move(planned)) {}
  Result<void> Begin(const ServiceSetup& setup);

  TempFolder folder_;
  const RunConfig config_;
  const PlannedRun planned_;
  const SteadyClock clock_;
  std::optional<RunDir> dir_;
  UniqueFd log_fd_;
  std::optional<Log> log_;
  std::unique_ptr<ProcessFleet> fleet_;  // it uses those above
  std::optional<ShmEvaluator> evaluator_;
  std::optional<ServedEvaluator> served_;
};

}  // namespace az
