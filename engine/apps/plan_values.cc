#include "engine/apps/plan_values.h"

#include <array>

#include "base/strings.h"

namespace az {
namespace {

using Value = std::optional<std::string>;

struct PlannedKey {
  std::string_view key;
  Value (*value)(const Plan& plan);
};

Value OnCpu(const Plan& plan, Value value) {
  return plan.device == DeviceKind::kCpu ? std::move(value) : std::nullopt;
}
Value OnGpu(const Plan& plan, Value value) {
  return plan.device == DeviceKind::kCuda ? std::move(value) : std::nullopt;
}

constexpr std::array<PlannedKey, 13> kKeys = {{
    {"net.precision",
     [](const Plan& p) -> Value { return std::string(EnumName(p.inference_precision)); }},
    {"num_workers", [](const Plan& p) -> Value { return StrCat(p.num_workers); }},
    {"search.cache", [](const Plan& p) -> Value { return StrCat(p.cache.count(), "B"); }},
    {"self_play.slots", [](const Plan& p) -> Value { return StrCat(p.slots); }},
    {"train.accumulate_grad_batches", [](const Plan& p) -> Value { return StrCat(p.accumulate); }},
    {"train.precision",
     [](const Plan& p) -> Value { return std::string(EnumName(p.train_precision)); }},
    {"train.gradient_checkpointing",
     [](const Plan& p) -> Value {
       return p.checkpoint_blocks == 0 ? "off" : StrCat(p.checkpoint_blocks);
     }},
    {"arena.num_workers", [](const Plan& p) -> Value { return StrCat(p.arena_workers); }},
    {"arena.models", [](const Plan& p) { return OnGpu(p, std::string(EnumName(p.arena_models))); }},
    {"arena.mode", [](const Plan& p) { return p.on_cpu.arena ? Value("cpu") : std::nullopt; }},
    {"engine.runners", [](const Plan& p) { return OnCpu(p, StrCat(p.runners)); }},
    {"engine.max_batch", [](const Plan& p) -> Value { return StrCat(p.buckets.back()); }},
    {"engine.cuda_graphs",
     [](const Plan& p) { return OnGpu(p, std::string(p.cuda_graphs ? "true" : "false")); }},
}};

}  // namespace

std::vector<std::string_view> PlannedKeys() {
  std::vector<std::string_view> keys;
  for (const PlannedKey& key : kKeys) keys.push_back(key.key);
  return keys;
}

std::optional<std::string> PlanValue(const Plan& plan, std::string_view key) {
  for (const PlannedKey& planned : kKeys) {
    if (planned.key == key) return planned.value(plan);
  }
  return std::nullopt;
}

}  // namespace az
