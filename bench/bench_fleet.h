#pragma once
// BenchFleet: the processes of a run for a benchmark: a config's plan in a temporary run directory,
// with a first network.

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "base/files.h"
#include "base/log.h"
#include "base/result.h"
#include "base/temp_folder.h"
#include "bench/bench_tools.h"
#include "engine/config/run_config.h"
#include "engine/loop/process_fleet.h"
#include "engine/loop/run_dir.h"
#include "engine/loop/train_run.h"

namespace az {

// All processes end and the folder goes when it is destroyed. Confined to the main thread, which
// must be the process's only one when Start is called.
class BenchFleet {
 public:
  // Reads and plans; starts nothing. `sets` are key=value, as on az_train's command line.
  static Result<std::unique_ptr<BenchFleet>> Plan(const std::string& config,
                                                  std::vector<std::string> sets);
  // Starts the processes, makes a first network as a run does, and loads it into model slot 0.
  Result<void> Start();
  BenchFleet(const BenchFleet&) = delete;
  BenchFleet& operator=(const BenchFleet&) = delete;

  const RunConfig& config() const { return config_; }
  const PlannedRun& planned() const { return planned_; }
  // REQUIRES: Start returned without an error.
  ProcessFleet& fleet() { return *fleet_; }
  std::filesystem::path network() const;  // the first network's weights

 private:
  BenchFleet(TempFolder folder, RunConfig config, PlannedRun planned)
      : folder_(std::move(folder)), config_(std::move(config)), planned_(std::move(planned)) {}
  std::filesystem::path checkpoint() const;

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
