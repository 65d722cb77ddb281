#include "engine/memory/plan_run.h"

#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

#include "base/files.h"
#include "base/strings.h"
#include "engine/config/machine.h"
#include "engine/config/plan_json.h"
#include "engine/config/plan_request.h"
#include "engine/ipc/memory_limits.h"
#include "engine/memory/kept_probe.h"
#include "engine/memory/rungs.h"
#include "games/registry.h"
#include "scheduler/planner.h"

namespace az {
namespace {

// The device that the run had when it wrote its plan last.
Result<DeviceKind> DeviceOfPlan(const std::filesystem::path& plan_file) {
  AZ_ASSIGN_OR_RETURN(const std::string text, ReadFile(plan_file));
  return DeviceOfPlanJson(text);
}

// Empty: nothing is given up.
std::string GivenUpText(const RungsTaken& rungs) {
  std::vector<std::string> parts;
  const auto add = [&parts](int count, std::string_view what) {
    if (count > 0) parts.push_back(StrCat(count, parts.empty() ? " rung(s) of " : " of ", what));
  };
  add(rungs.train, "training");
  add(rungs.inference, "inference");
  add(rungs.host, "the workers' memory");
  if (parts.empty()) return "";
  return StrCat("memory: ", Join(parts, ", "), " given up earlier");
}

}  // namespace

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
  return PlannedRun{&game, std::move(input), std::move(plan), std::move(engine_device), {}};
}

std::string PlanWithLearned(const std::filesystem::path& plan_file, MemoryState& learned,
                            PlannedRun& planned) {
  const DeviceKind here = planned.input.device.kind;
  if (!learned.device) {
    const Result<DeviceKind> before = DeviceOfPlan(plan_file);
    if (before) learned.device = *before;
  }
  PlaceFailures(learned.device.value_or(here), learned);
  MoveTo(here, learned);
  if (learned.rungs() == RungsTaken{} && learned.failed.empty()) return "";
  Result<Plan> plan = MakePlan(WithLearned(planned.input, learned));
  if (!plan) {
    return "memory: no plan follows what earlier starts had to give up; starting without it";
  }
  planned.plan = *std::move(plan);
  return GivenUpText(learned.rungs());
}

}  // namespace az
