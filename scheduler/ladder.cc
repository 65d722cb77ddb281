#include "scheduler/ladder.h"

#include <algorithm>
#include <functional>
#include <utility>

namespace az {
namespace {

constexpr Bytes kLeastCache = MiB(1);
constexpr int kLeastSlots = 16;
constexpr int kLeastBucket = 8;
constexpr int kLeastMicroBatch = 8;

// One kind of step, taken again and again until it says that it is at its end.
struct Step {
  bool fixed = false;                     // changes a number written in the config
  std::function<bool(Plan& plan)> lower;  // false, and no change, at the end
};

std::vector<Plan> Descend(const PlanInput& input, const Plan& ideal,
                          const std::vector<Step>& steps) {
  std::vector<Plan> rungs = {ideal};
  for (const bool fixed : {false, true}) {
    if (fixed && input.wishes.memory.on_overcommit == OnOvercommit::kRefuse) break;
    for (const Step& step : steps) {
      if (step.fixed != fixed) continue;
      for (Plan next = rungs.back(); step.lower(next);) rungs.push_back(next);
    }
  }
  return rungs;
}

bool HalveCache(Plan& plan) {
  if (plan.cache <= kLeastCache) return false;
  plan.cache = std::max(kLeastCache, plan.cache / 2);
  return true;
}

bool HalveSlots(Plan& plan) {
  if (plan.slots <= kLeastSlots) return false;
  plan.slots = std::max(kLeastSlots, plan.slots / 2);
  FitLane(plan);
  return true;
}

bool FewerArenaWorkers(Plan& plan) {  // down to those of self-play
  if (plan.arena_workers <= plan.num_workers) return false;
  --plan.arena_workers;
  plan.lanes = std::max(plan.num_workers, plan.arena_workers);
  return true;
}

bool FewerWorkers(Plan& plan) {
  if (plan.num_workers <= 1) return false;
  plan.num_workers -= std::max(1, plan.num_workers / 8);
  plan.arena_workers = std::min(plan.arena_workers, plan.num_workers);
  plan.lanes = std::max(plan.num_workers, plan.arena_workers);
  return true;
}

bool HalveBucket(Plan& plan) {
  if (plan.buckets.back() <= kLeastBucket) return false;
  FitBuckets(plan, std::max(kLeastBucket, plan.buckets.back() / 2));
  return true;
}

bool FewerRunners(Plan& plan) {
  if (plan.runners <= 1) return false;
  --plan.runners;
  return true;
}

// Halves the micro-batch, down to `least` rows.
bool HalveMicroBatch(const PlanInput& input, int least, Plan& plan) {
  if (plan.micro_batch <= least) return false;
  plan.accumulate *= 2;
  FitMicroBatch(input, plan);
  return true;
}

bool FewerShards(const PlanInput& input, Plan& plan) {
  if (plan.learner_shards <= 1) return false;
  plan.learner_shards /= 2;
  // The same rows a shard at a time, more often.
  const int pieces = plan.micro_batch * plan.learner_shards;
  plan.accumulate = (input.wishes.batch + pieces - 1) / pieces;
  FitMicroBatch(input, plan);
  return true;
}

}  // namespace

void FitLane(Plan& plan) {
  const int slots = std::min(plan.slots, kMaxBlocks * kMaxRowsPerBlock);
  plan.rows = std::clamp((slots + kMaxBlocks - 1) / kMaxBlocks, std::min(slots, kRowsPerBlock),
                         kMaxRowsPerBlock);
  plan.blocks = std::clamp((slots + plan.rows - 1) / plan.rows, 2, kMaxBlocks);
}

void FitBuckets(Plan& plan, int largest) {
  plan.buckets.clear();
  for (int bucket = kLeastBucket; bucket < largest; bucket *= 2) plan.buckets.push_back(bucket);
  plan.buckets.push_back(largest);
}

void FitMicroBatch(const PlanInput& input, Plan& plan) {
  const int pieces = plan.accumulate * plan.learner_shards;
  plan.micro_batch = (input.wishes.batch + pieces - 1) / pieces;
}

std::vector<Plan> HostLadder(const PlanInput& input, const Plan& ideal) {
  const PlanWishes& wishes = input.wishes;
  std::vector<Step> steps = {
      {false, HalveCache},
      {wishes.slots.has_value(), HalveSlots},
      {wishes.arena_workers.has_value(), FewerArenaWorkers},
      {wishes.num_workers.has_value() || wishes.arena_workers.has_value(), FewerWorkers}};
  if (ideal.device == DeviceKind::kCpu) {
    steps.push_back({wishes.max_batch.has_value(), HalveBucket});
    steps.push_back({wishes.runners.has_value(), FewerRunners});
  }
  return Descend(input, ideal, steps);
}

std::vector<Plan> InferenceLadder(const PlanInput& input, const Plan& ideal) {
  if (ideal.device == DeviceKind::kCpu) return {ideal};
  const auto drop_graphs = [](Plan& plan) { return std::exchange(plan.cuda_graphs, false); };
  return Descend(input, ideal,
                 {{input.wishes.cuda_graphs.has_value(), drop_graphs},
                  {input.wishes.max_batch.has_value(), HalveBucket}});
}

std::vector<Plan> TrainLadder(const PlanInput& input, const Plan& ideal) {
  const bool fixed = input.wishes.accumulate.has_value();
  const auto good = [&input](Plan& plan) { return HalveMicroBatch(input, kGoodMicroBatch, plan); };
  const auto shards = [&input](Plan& plan) { return FewerShards(input, plan); };
  const auto small = [&input](Plan& plan) {
    return HalveMicroBatch(input, kLeastMicroBatch, plan);
  };
  return Descend(input, ideal, {{fixed, good}, {fixed, shards}, {fixed, small}});
}

}  // namespace az
