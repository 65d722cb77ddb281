#pragma once
// TemporaryRun: the processes of a run for a program of its own that trains nothing lasting: a
// config's plan in a temporary folder, which goes with it. az_play and the benchmarks.

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/clock.h"
#include "base/files.h"
#include "base/log.h"
#include "base/result.h"
#include "base/temp_folder.h"
#include "engine/config/run_config.h"
#include "engine/fleet/process_fleet.h"
#include "engine/memory/plan_run.h"
#include "engine/run/run_dir.h"

namespace az {

// All processes end when it is destroyed. Confined to the main thread, which must be the process's
// only one when Start is called.
class TemporaryRun {
 public:
  // Plans, and starts nothing. `name` begins the folder's name and is who speaks in the log. With
  // `programs` (of az_device and az_worker) the plan uses what was measured here earlier. Fails as
  // TempFolder::Make and PlanRun.
  static Result<std::unique_ptr<TemporaryRun>> Plan(std::string_view name, RunConfig config,
                                                    const std::filesystem::path& programs);
  TemporaryRun(const TemporaryRun&) = delete;
  TemporaryRun& operator=(const TemporaryRun&) = delete;

  struct Processes {
    std::filesystem::path programs;
    std::function<void(int)> on_signal = {};  // as in FleetSetup
    bool own_lanes = false;                   // the same
  };
  // Fails as RunDir::Open and ProcessFleet::Start. REQUIRES: once.
  Result<void> Start(const Processes& processes);

  const RunConfig& config() const { return config_; }
  const PlannedRun& planned() const { return planned_; }
  const Clock& clock() const { return clock_; }
  // REQUIRES: Start returned without an error.
  ProcessFleet& fleet() { return *fleet_; }
  const RunDir& dir() const { return *dir_; }

 private:
  TemporaryRun(std::string_view name, TempFolder folder, RunConfig config, PlannedRun planned)
      : name_(name),
        folder_(std::move(folder)),
        config_(std::move(config)),
        planned_(std::move(planned)) {}

  const std::string name_;
  TempFolder folder_;
  const RunConfig config_;
  const PlannedRun planned_;
  const SteadyClock clock_;
  std::optional<RunDir> dir_;
  UniqueFd log_fd_;
  std::optional<Log> log_;
  std::unique_ptr<ProcessFleet> fleet_;  // last: it uses the others
};

}  // namespace az
