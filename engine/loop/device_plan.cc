#include "engine/loop/device_plan.h"

#include <string>

namespace az {

DevicePlanMessage DevicePlanOf(const Plan& plan) {
  return {.runners = plan.runners,
          .buckets = plan.buckets,
          .learner_shards = plan.learner_shards,
          .micro_batch = plan.micro_batch,
          .inference_precision = std::string(EnumName(plan.inference_precision)),
          .train_precision = std::string(EnumName(plan.train_precision)),
          .cuda_graphs = plan.cuda_graphs,
          .checkpoint_blocks = plan.checkpoint_blocks,
          .memory_cap_bytes = plan.allocator_cap.count()};
}

}  // namespace az
