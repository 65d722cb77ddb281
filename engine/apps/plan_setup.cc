#include "engine/apps/plan_setup.h"

#include <algorithm>
#include <string>

#include "base/strings.h"
#include "engine/config/machine.h"
#include "engine/config/plan_request.h"
#include "engine/config/validate.h"
#include "engine/ipc/memory_limits.h"
#include "engine/loop/panel_players.h"

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
  AZ_ASSIGN_OR_RETURN(setup.game, GameOf(config.game));
  AZ_ASSIGN_OR_RETURN(const DeviceFacts device, DeviceOf(arguments, config.engine));
  const std::string budget_set = StrCat(BudgetKey(device.kind), "=");
  const bool tries_budget = std::ranges::any_of(
      more_sets, [&](const std::string& set) { return set.starts_with(budget_set); });
  if (!arguments.budget.empty() && !tries_budget) {
    AZ_RETURN_IF_ERROR(SetBudget(arguments.budget, device.kind, config));
    setup.loaded.origins[std::string(BudgetKey(device.kind))] = "--budget";
  }
  setup.input = PlanInputFor(config, setup.game->info(), device);
  AZ_ASSIGN_OR_RETURN(const Panel panel, ReadPanel(config));
  AddNeeds(panel.needs, setup.input);
  return setup;
}

}  // namespace az
