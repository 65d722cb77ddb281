#include "bench/bench_fleet.h"

#include <optional>

#include "bench/bench_tools.h"
#include "engine/config/config_reader.h"
#include "engine/net/checkpoint.h"

namespace az {

Result<std::unique_ptr<BenchFleet>> BenchFleet::Plan(const std::string& config,
                                                     const std::vector<std::string>& sets) {
  AZ_ASSIGN_OR_RETURN(LoadedConfig loaded, LoadConfig(config, sets));
  // It gets no programs, so that earlier measurements on this machine do not change its plan.
  AZ_ASSIGN_OR_RETURN(std::unique_ptr<TemporaryRun> run,
                      TemporaryRun::Plan("az_bench", std::move(loaded.config), {}));
  return std::unique_ptr<BenchFleet>(new BenchFleet(std::move(run)));
}

Result<void> BenchFleet::Start() {
  AZ_RETURN_IF_ERROR(run_->Start({.programs = ProgramFolder()}));
  TrainMessage message;
  message.to = checkpoint().string();
  AZ_ASSIGN_OR_RETURN([[maybe_unused]] const TrainedMessage made,
                      fleet().Train(message, [](const TrainProgressMessage&) {}));
  return fleet().Load(0, checkpoint(), 1);
}

std::filesystem::path BenchFleet::checkpoint() const {
  return run_->dir().checkpoint(CheckpointName(0));
}

std::filesystem::path BenchFleet::network() const { return checkpoint() / kWeightsFile; }

Result<FleetSettings> TakeFleetSettings(BenchArgs& args, std::string_view otherwise) {
  FleetSettings settings{.config = args.TakeText("--config").value_or(std::string(otherwise))};
  if (settings.config.empty()) {
    return Error{Errc::kInvalid, "--config is missing (5x5.yaml, hex5_small.yaml)"};
  }
  while (const std::optional<std::string> set = args.TakeText("--set")) {
    settings.sets.push_back(*set);
  }
  settings.json = args.TakeFlag("--json");
  return settings;
}

}  // namespace az
