#include "engine/loop/plan_run.h"

#include <algorithm>
#include <utility>

#include "base/strings.h"
#include "engine/config/machine.h"
#include "engine/config/plan_request.h"
#include "engine/ipc/memory_limits.h"
#include "engine/loop/kept_probe.h"
#include "engine/loop/rungs.h"
#include "games/registry.h"
#include "scheduler/planner.h"

namespace az {

Result<PlannedRun> PlanRun(const RunConfig& config, const std::filesystem::path& programs,
                           const MatchNeeds& needs) {
  AZ_ASSIGN_OR_RETURN(const GameOps* game,
                      FindGame(config.game.name, config.game.board_size.value_or(0)));
  const Machine machine = ReadMachine("/", GpuIndexOf(config.engine));
  const Bytes ram = std::min(machine.memory_available, ReadMemoryLimits("/").cgroup_left);
  AZ_ASSIGN_OR_RETURN(const DeviceFacts device, ChooseDevice(config.engine, machine, ram));
  PlanInput input = PlanInputFor(config, game->info(), device);
  AddNeeds(needs, input);
  if (device.kind == DeviceKind::kCuda && config.engine.device == "auto") {
    EngineOptions processor = config.engine;
    processor.device = "cpu";
    AZ_ASSIGN_OR_RETURN(input.without_gpu, ChooseDevice(processor, machine, ram));
  }
  const KeptProbe kept = UseKeptProbe(config, programs, input);
  AZ_ASSIGN_OR_RETURN(PlannedRun planned, PlanOn(*game, std::move(input), config.engine.device));
  planned.probe_refused = kept.refused;
  return planned;
}

Result<PlannedRun> PlanOn(const GameOps& game, PlanInput input, std::string engine_device) {
  AZ_ASSIGN_OR_RETURN(Plan plan, MakePlan(input));
  if (plan.device != input.device.kind) {  // the GPU is too small: so for plans to come
    engine_device = "cpu";
    input = WithoutGpu(std::move(input));
  }
  input.without_gpu.reset();
  return PlannedRun{&game, std::move(input), std::move(plan), std::move(engine_device), {}, {}};
}

Result<PlannedRun> PlanTraining(const RunConfig& config, const std::filesystem::path& programs) {
  AZ_ASSIGN_OR_RETURN(Panel panel, ReadPanel(config));
  AZ_ASSIGN_OR_RETURN(PlannedRun planned, PlanRun(config, programs, panel.needs));
  planned.panel = std::move(panel);
  return planned;
}

std::string PlanWithLearned(MemoryState& learned, PlannedRun& planned) {
  if (learned == MemoryState{}) return "";
  PlaceFailures(planned.input.device.kind, learned);
  Result<Plan> plan = MakePlan(WithLearned(planned.input, learned));
  if (!plan) {
    return "memory: no plan follows what earlier starts had to give up; starting without it";
  }
  planned.plan = *std::move(plan);
  return StrCat("memory: ", learned.train.rungs, " rung(s) of training, ", learned.inference.rungs,
                " of inference and ", learned.host.rungs,
                " of the workers' memory were given up earlier");
}

}  // namespace az
