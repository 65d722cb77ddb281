#include "scheduler/placement.h"

#include "base/strings.h"
#include "scheduler/ladder.h"

namespace az {
namespace {

bool WantsArenaOnCpu(const PlanInput& input) {
  return input.device.kind == DeviceKind::kCuda && input.wishes.arena_mode == ArenaMode::kCpu;
}

}  // namespace

std::vector<CpuPart> PlacementsOf(const PlanInput& input) {
  const bool wants_arena = WantsArenaOnCpu(input);
  std::vector<CpuPart> parts = {{.arena = wants_arena}};
  // A tournament has no phase but the arena, so it moves as a whole or not at all.
  const bool may_move = input.device.kind == DeviceKind::kCuda && !input.wishes.matches_alone &&
                        input.wishes.memory.on_overcommit == OnOvercommit::kDegrade &&
                        input.wishes.memory.model_sharing == ModelSharing::kShared;
  if (!may_move) return parts;
  const bool is_open = !input.wishes.arena_mode.has_value();
  if (is_open) parts.push_back({.arena = true});
  parts.push_back({.arena = wants_arena, .train = true});
  if (is_open) parts.push_back({.arena = true, .train = true});
  return parts;
}

int MovedPrice(const PlanInput& input, const CpuPart& part) {
  return (part.arena && !WantsArenaOnCpu(input) ? 1 : 0) + (part.train ? 2 : 0);
}

PlanInput InputOnCpu(const PlanInput& input, const CpuPart& part) {
  PlanInput cpu = input;
  cpu.device.kind = DeviceKind::kCpu;
  cpu.device.name = "cpu";
  cpu.device.vram = cpu.device.vram_total = Bytes();
  cpu.device.fast_bf16 = input.device.cpu_fast_bf16;
  cpu.device.assumed_tflops = 0;
  cpu.calibration = {};  // measured on the GPU
  cpu.rungs = {};
  cpu.without_gpu.reset();
  PlanWishes& wishes = cpu.wishes;
  wishes.max_batch.reset();
  wishes.cuda_graphs.reset();
  wishes.arena_models.reset();
  wishes.arena_mode.reset();
  if (part.train) wishes.accumulate.reset();
  return cpu;
}

Plan PlanOnCpu(const Plan& plan) {
  Plan cpu = plan;
  cpu.device = DeviceKind::kCpu;
  cpu.runners = plan.on_cpu.runners;
  cpu.buckets = plan.on_cpu.buckets;
  cpu.inference_precision = plan.on_cpu.inference_precision;
  cpu.cuda_graphs = false;
  return cpu;
}

void TakeOnCpu(const Plan& on_cpu, Plan& plan) {
  plan.on_cpu.runners = on_cpu.runners;
  plan.on_cpu.buckets = on_cpu.buckets;
  plan.on_cpu.inference_precision = on_cpu.inference_precision;
  plan.on_cpu.allocator_cap = on_cpu.allocator_cap;
  if (!plan.on_cpu.train) return;
  TakeTraining(on_cpu, plan);
  plan.predicted_step_ms = on_cpu.predicted_step_ms;
}

std::vector<Reason> PlacementReasons(const Plan& plan, std::string_view why) {
  const CpuPart& part = plan.on_cpu;
  std::vector<Reason> reasons;
  if (part.arena) {
    reasons.push_back({why.empty() ? ReasonKind::kChosen : ReasonKind::kFallback,
                       {"arena.mode"},
                       StrCat("arena on the processor instead of the GPU, ", part.runners,
                              " runner(s) up to batch ", part.buckets.back(), " in ",
                              EnumName(part.inference_precision), ": ",
                              why.empty() ? "written in the config" : why)});
  }
  if (part.train) {
    reasons.push_back({ReasonKind::kFallback,
                       {"train.accumulate_grad_batches"},
                       StrCat("training on the processor instead of the GPU, much slower, ",
                              plan.learner_shards, " shard(s) x ", plan.micro_batch, " rows x ",
                              plan.accumulate, " in ", EnumName(plan.train_precision), ": ", why)});
  }
  return reasons;
}

}  // namespace az
