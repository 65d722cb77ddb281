#pragma once
// BenchFleet: the processes of a run, for a benchmark: planned from a config, in a temporary run
// directory, with a first network.

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "bench/bench_args.h"
#include "engine/config/run_config.h"
#include "engine/memory/temporary_run.h"

namespace az {

// Confined to the main thread, which must be the process's only one when Start is called.
class BenchFleet {
 public:
  // Reads the config and plans, but starts nothing. `sets` are key=value, as on az_train's command
  // line.
  static Result<std::unique_ptr<BenchFleet>> Plan(const std::string& config,
                                                  const std::vector<std::string>& sets);
  // Starts the processes, makes a first network as a run does, and loads it into model slot 0.
  Result<void> Start();
  BenchFleet(const BenchFleet&) = delete;
  BenchFleet& operator=(const BenchFleet&) = delete;

  const RunConfig& config() const { return run_->config(); }
  const PlannedRun& planned() const { return run_->planned(); }
  // REQUIRES: Start returned without an error.
  ProcessFleet& fleet() { return run_->fleet(); }
  std::filesystem::path network() const;  // the first network's weights

 private:
  explicit BenchFleet(std::unique_ptr<TemporaryRun> run) : run_(std::move(run)) {}
  std::filesystem::path checkpoint() const;

  const std::unique_ptr<TemporaryRun> run_;
};

// The arguments that benchmarks with a fleet have in common.
struct FleetSettings {
  std::string config;
  std::vector<std::string> sets;
  bool json = false;
};
// Takes --config, every --set and --json. Fails with kInvalid when --config is missing and
// `otherwise` is empty.
Result<FleetSettings> TakeFleetSettings(BenchArgs& args, std::string_view otherwise = {});

}  // namespace az
