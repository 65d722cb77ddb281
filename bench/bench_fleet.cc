#include "bench/bench_fleet.h"

#include <fcntl.h>

#include <cerrno>

#include "base/strings.h"
#include "base/temp_folder.h"
#include "engine/config/config_reader.h"
#include "engine/net/checkpoint.h"

namespace az {

Result<std::unique_ptr<BenchFleet>> BenchFleet::Plan(const std::string& config,
                                                     std::vector<std::string> sets) {
  AZ_ASSIGN_OR_RETURN(TempFolder folder, TempFolder::Make("az_bench"));
  sets.push_back(StrCat("run.dir=", (folder.path() / "run").string()));
  AZ_ASSIGN_OR_RETURN(LoadedConfig loaded, LoadConfig(config, sets));
  AZ_ASSIGN_OR_RETURN(PlannedRun planned, PlanRun(loaded.config));
  return std::unique_ptr<BenchFleet>(
      new BenchFleet(std::move(folder), std::move(loaded.config), std::move(planned)));
}

Result<void> BenchFleet::Start() {
  Result<RunDir> dir = RunDir::Open(config_, RunDir::Mode::kResume);
  if (!dir) return std::move(dir).error();
  dir_.emplace(std::move(dir).value());
  log_fd_.Reset(::open(dir_->log().c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644));
  if (!log_fd_.valid()) return SystemError(StrCat("open ", dir_->log().string()), errno);
  log_.emplace(log_fd_.get(), "bench");
  AZ_ASSIGN_OR_RETURN(fleet_, ProcessFleet::Start({.config = config_,
                                                   .plan = planned_.plan,
                                                   .game = *planned_.game,
                                                   .clock = clock_,
                                                   .log = *log_,
                                                   .run_dir = dir_->path(),
                                                   .run_id = dir_->state().run_id,
                                                   .programs = ProgramFolder(),
                                                   .log_fd = log_fd_.get(),
                                                   .on_tick = {}}));
  TrainMessage message;
  message.to = checkpoint().string();
  AZ_ASSIGN_OR_RETURN([[maybe_unused]] const TrainedMessage made,
                      fleet_->Train(message, [](const TrainProgressMessage&) {}));
  return fleet_->Load(0, checkpoint(), 1);
}

std::filesystem::path BenchFleet::checkpoint() const { return dir_->checkpoint(CheckpointName(0)); }

std::filesystem::path BenchFleet::network() const { return checkpoint() / kWeightsFile; }

}  // namespace az
