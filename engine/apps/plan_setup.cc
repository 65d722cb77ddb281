#include "engine/apps/plan_setup.h"

#include <algorithm>
#include <string_view>

#include "base/strings.h"
#include "engine/config/machine.h"
#include "engine/config/option_table.h"
#include "engine/config/plan_request.h"
#include "engine/ipc/memory_limits.h"
#include "games/registry.h"

namespace az {
namespace {

Result<DeviceFacts> DeviceOf(const PlanArguments& arguments, const EngineOptions& engine) {
  const bool simulate = !arguments.simulate.empty();
  Machine machine = ReadMachine("/", simulate ? -1 : GpuIndexOf(engine));
  if (arguments.cores > 0) machine.cores = arguments.cores;
  Bytes ram = std::min(machine.memory_available, ReadMemoryLimits("/").cgroup_left);
  if (!arguments.ram.empty()) {
    const Result<Bytes> given = ParseBytes(arguments.ram);
    if (!given) return WithContext("--ram", given.error());
    ram = *given;
  }
  return simulate ? SimulatedCard(arguments.simulate, machine, ram)
                  : ChooseDevice(engine, machine, ram);
}

Result<void> SetBudget(std::string_view text, DeviceKind device, RunConfig& config) {
  const bool cpu = device == DeviceKind::kCpu;
  const std::vector<OptionEntry> options = OptionsOf(config);
  const OptionEntry* budget = FindOption(options, cpu ? "memory.ram_budget" : "memory.vram_budget");
  if (Result<void> set = budget->set(text); !set) {
    return Error{Errc::kInvalid, StrCat("--budget = ", text, " ", set.error().message)};
  }
  return {};
}

}  // namespace

Result<PlanSetup> SetUpPlan(const PlanArguments& arguments,
                            const std::vector<std::string>& more_sets) {
  if (arguments.config.empty()) {
    return Error{Errc::kInvalid, "--config is missing (for example --config 5x5.yaml)"};
  }
  std::vector<std::string> sets = arguments.sets;
  sets.insert(sets.end(), more_sets.begin(), more_sets.end());
  PlanSetup setup;
  AZ_ASSIGN_OR_RETURN(setup.loaded, LoadConfig(arguments.config, std::move(sets)));
  RunConfig& config = setup.loaded.config;
  AZ_ASSIGN_OR_RETURN(setup.game, FindGame(config.game.name, config.game.board_size.value_or(0)));
  AZ_ASSIGN_OR_RETURN(const DeviceFacts device, DeviceOf(arguments, config.engine));
  if (!arguments.budget.empty()) {
    AZ_RETURN_IF_ERROR(SetBudget(arguments.budget, device.kind, config));
  }
  setup.input = PlanInputFor(config, setup.game->info(), device);
  return setup;
}

}  // namespace az
