#include "engine/fleet/device_plan.h"

#include <string>
#include <vector>

#include "engine/config/machine.h"

namespace az {
namespace {

DevicePlanMessage MainPlan(const Plan& plan, const EngineOptions& engine) {
  return {.device = DeviceName(plan.device, engine),
          .runners = plan.runners,
          .buckets = plan.buckets,
          .learner_shards = plan.learner_shards,
          .micro_batch = plan.micro_batch,
          .inference_precision = std::string(EnumName(plan.inference_precision)),
          .train_precision = std::string(EnumName(plan.train_precision)),
          .cuda_graphs = plan.cuda_graphs,
          .checkpoint_blocks = plan.checkpoint_blocks,
          .memory_cap_bytes = plan.allocator_cap.count()};
}

}  // namespace

DevicePlanMessage DevicePlanOf(const Plan& plan, const EngineOptions& engine, PlanPhase phase) {
  DevicePlanMessage message = MainPlan(plan, engine);
  if (!plan.on_cpu.Serves(phase)) return message;
  message.device = "cpu";
  message.runners = plan.on_cpu.runners;
  message.buckets = plan.on_cpu.buckets;
  message.inference_precision = EnumName(plan.on_cpu.inference_precision);
  message.cuda_graphs = false;
  message.memory_cap_bytes = plan.on_cpu.allocator_cap.count();
  return message;
}

SizesInForce SizesOf(const Plan& plan) {
  return {.micro_batch = plan.micro_batch,
          .checkpoint_blocks = plan.checkpoint_blocks,
          .largest_bucket = plan.buckets.empty() ? 0 : plan.buckets.back()};
}

void Follow(const OomMessage& oom, SizesInForce& in_force) {
  if (oom.micro_batch > 0) in_force.micro_batch = oom.micro_batch;
  if (oom.checkpoint_blocks >= 0) in_force.checkpoint_blocks = oom.checkpoint_blocks;
  if (oom.largest_bucket > 0) in_force.largest_bucket = oom.largest_bucket;
}

DevicePlanMessage Lowered(DevicePlanMessage plan, const SizesInForce& in_force) {
  plan.micro_batch = in_force.micro_batch;
  plan.checkpoint_blocks = in_force.checkpoint_blocks;
  const int largest = in_force.largest_bucket;
  if (largest == 0 || plan.buckets.empty() || plan.buckets.back() <= largest) return plan;
  std::erase_if(plan.buckets, [largest](int bucket) { return bucket >= largest; });
  plan.buckets.push_back(largest);
  return plan;
}

TrainMessage Lowered(TrainMessage training, const SizesInForce& in_force) {
  training.micro_batch = in_force.micro_batch;
  training.checkpoint_blocks = in_force.checkpoint_blocks;
  return training;
}

}  // namespace az
