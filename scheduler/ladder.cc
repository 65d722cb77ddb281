#include "scheduler/ladder.h"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <utility>

#include "base/strings.h"
#include "scheduler/bill.h"
#include "scheduler/footprint.h"

namespace az {
namespace {

constexpr Bytes kLeastCache = MiB(1);
constexpr int kLeastSlots = 16;
constexpr int kLeastBucket = 8;
constexpr int kLeastMicroBatch = 8;

// One kind of step, taken repeatedly until it says that it is at its end.
struct Step {
  bool written = false;                   // changes a number written in the config
  std::function<bool(Plan& plan)> lower;  // returns false and changes nothing at the end
  std::string (*what)(const Plan& plan) = nullptr;
  bool costs_quality = false;
};

std::vector<Rung> Descend(const PlanInput& input, const Plan& ideal,
                          const std::vector<Step>& steps) {
  std::vector<Rung> rungs = {{.plan = ideal}};
  for (const bool written : {false, true}) {
    if (written && input.wishes.memory.on_overcommit == OnOvercommit::kRefuse) break;
    for (const Step& step : steps) {
      if (step.written != written) continue;
      for (Rung next = rungs.back(); step.lower(next.plan);) {
        next.written += step.written ? 1 : 0;
        next.quality += step.costs_quality ? 1 : 0;
        next.what = step.what;
        rungs.push_back(next);
      }
    }
  }
  return rungs;
}

// ---- host ----

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

bool FewerArenaWorkers(Plan& plan) {  // down to the number of self-play
  if (plan.arena_workers <= plan.num_workers) return false;
  plan.arena_workers -= std::max(1, (plan.arena_workers - plan.num_workers) / 4);
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

std::string CacheText(const Plan& plan) {
  return StrCat("evaluation cache ", FormatBytes(plan.cache));
}
std::string SlotsText(const Plan& plan) { return StrCat("slots ", plan.slots); }
std::string WorkersText(const Plan& plan) {
  return StrCat("workers ", plan.num_workers, " (arena ", plan.arena_workers, ")");
}

// ---- inference ----

bool HalveBucket(Plan& plan) {
  if (plan.buckets.back() <= kLeastBucket) return false;
  FitBuckets(plan, std::max(kLeastBucket, plan.buckets.back() / 2));
  return true;
}

bool FewerRunners(Plan& plan) {
  if (plan.runners <= 1) return false;
  plan.runners -= std::max(1, plan.runners / 8);
  return true;
}

std::string BucketText(const Plan& plan) { return StrCat("largest bucket ", plan.buckets.back()); }
std::string RunnersText(const Plan& plan) {
  return StrCat(plan.device == DeviceKind::kCpu ? "runners " : "batches in flight ", plan.runners);
}
std::string GraphsText(const Plan& plan) {
  return plan.cuda_graphs ? "CUDA graphs" : "no CUDA graphs";
}
std::string InferenceFormatText(const Plan& plan) {
  return StrCat("inference in ", EnumName(plan.inference_precision));
}

// ---- training ----

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
  // A shard runs as many rows at a time as before, more often.
  const int pieces = plan.micro_batch * plan.learner_shards;
  plan.accumulate = (input.wishes.batch + pieces - 1) / pieces;
  FitMicroBatch(input, plan);
  return true;
}

// Checkpoints in the segments that save the most, if that saves anything.
bool Checkpoint(const PlanInput& input, Plan& plan) {
  const int blocks = SegmentOf(Checkpointing::On(), input.net.res_blocks);
  const auto step = [&](int segment) {
    return TrainingStepBytes(input.net, plan.train_precision, segment, plan.micro_batch);
  };
  if (plan.checkpoint_blocks == blocks || step(blocks) >= step(plan.checkpoint_blocks)) {
    return false;
  }
  plan.checkpoint_blocks = blocks;
  return true;
}

std::string MicroBatchText(const Plan& plan) {
  return StrCat("micro-batch ", plan.micro_batch, " x ", plan.accumulate);
}
std::string ShardsText(const Plan& plan) { return StrCat("learner shards ", plan.learner_shards); }
std::string CheckpointText(const Plan& plan) {
  if (plan.checkpoint_blocks == 0) return "keeping all activations";
  return StrCat("gradient checkpointing in segments of ", plan.checkpoint_blocks, " block(s)");
}
std::string TrainFormatText(const Plan& plan) {
  return StrCat("training in ", EnumName(plan.train_precision));
}

// Bytes of the state and the activations of an optimizer step.
Bytes StepBytes(const PlanInput& input, const Plan& plan) {
  const TrainingState state =
      TrainingStateBytes(input.net, plan.train_precision, plan.learner_shards);
  return state.total() + TrainingStepBytes(input.net, plan.train_precision, plan.checkpoint_blocks,
                                           plan.micro_batch) *
                             plan.learner_shards;
}

// Replaces fp32, where the device is as good in bf16.
bool ToBf16(const PlanInput& input, Precision& precision) {
  if (!input.device.fast_bf16) return false;
  return std::exchange(precision, Precision::kBf16) != Precision::kBf16;
}

}  // namespace

void FitLane(Plan& plan) {
  const int slots = std::min(plan.slots, kMostBlocks * kMostRowsPerBlock);
  plan.rows = std::clamp((slots + kMostBlocks - 1) / kMostBlocks, std::min(slots, kRowsPerBlock),
                         kMostRowsPerBlock);
  plan.blocks = std::clamp((slots + plan.rows - 1) / plan.rows, 2, kMostBlocks);
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

std::vector<Rung> HostLadder(const PlanInput& input, const Plan& ideal) {
  const PlanWishes& wishes = input.wishes;
  return Descend(input, ideal,
                 {{false, HalveCache, CacheText},
                  {wishes.slots.has_value(), HalveSlots, SlotsText},
                  {wishes.arena_workers.has_value(), FewerArenaWorkers, WorkersText},
                  {wishes.num_workers.has_value() || wishes.arena_workers.has_value(), FewerWorkers,
                   WorkersText}});
}

std::vector<Rung> InferenceLadder(const PlanInput& input, const Plan& ideal) {
  const PlanWishes& wishes = input.wishes;
  const auto drop_graphs = [](Plan& plan) { return std::exchange(plan.cuda_graphs, false); };
  const auto to_bf16 = [&input](Plan& plan) {
    Plan lower = plan;  // a CPU's bf16 kernels work on more rows than small batches have
    if (!ToBf16(input, lower.inference_precision)) return false;
    const std::vector<PhaseBill> now = RamBill(input, plan);
    const std::vector<PhaseBill> then = RamBill(input, lower);
    for (std::size_t phase = 0; phase < now.size(); ++phase) {
      if (then[phase].total() > now[phase].total()) return false;
    }
    plan = std::move(lower);
    return true;
  };
  const bool cpu = ideal.device == DeviceKind::kCpu;
  return Descend(input, ideal,
                 {{true, to_bf16, InferenceFormatText},
                  {wishes.cuda_graphs.has_value(), drop_graphs, GraphsText},
                  {wishes.max_batch.has_value(), HalveBucket, BucketText},
                  {cpu ? wishes.runners.has_value() : wishes.arena_models.has_value(), FewerRunners,
                   RunnersText}});
}

std::vector<Rung> TrainLadder(const PlanInput& input, const Plan& ideal) {
  const PlanWishes& wishes = input.wishes;
  const bool cut = wishes.accumulate.has_value();
  const auto to_bf16 = [&input](Plan& plan) {
    Plan lower = plan;  // the copies in bf16 may cost more than small activations save
    if (!ToBf16(input, lower.train_precision)) return false;
    if (StepBytes(input, lower) >= StepBytes(input, plan)) return false;
    plan = std::move(lower);
    return true;
  };
  const auto good = [&input](Plan& plan) { return HalveMicroBatch(input, kGoodMicroBatch, plan); };
  const auto checkpoint = [&input](Plan& plan) { return Checkpoint(input, plan); };
  const auto shards = [&input](Plan& plan) { return FewerShards(input, plan); };
  const auto small = [&input](Plan& plan) {
    return HalveMicroBatch(input, kLeastMicroBatch, plan);
  };
  return Descend(input, ideal,
                 {{true, to_bf16, TrainFormatText},
                  {cut, good, MicroBatchText},
                  {wishes.checkpointing.has_value(), checkpoint, CheckpointText},
                  {cut, shards, ShardsText},
                  {cut, small, MicroBatchText, true}});
}

void TakeHost(const Plan& rung, Plan& plan) {
  plan.cache = rung.cache;
  plan.slots = rung.slots;
  plan.blocks = rung.blocks;
  plan.rows = rung.rows;
  plan.num_workers = rung.num_workers;
  plan.arena_workers = rung.arena_workers;
  plan.lanes = rung.lanes;
}

void TakeInference(const Plan& rung, Plan& plan) {
  plan.inference_precision = rung.inference_precision;
  plan.cuda_graphs = rung.cuda_graphs;
  plan.buckets = rung.buckets;
  plan.runners = rung.runners;
}

void TakeTraining(const Plan& rung, Plan& plan) {
  plan.train_precision = rung.train_precision;
  plan.micro_batch = rung.micro_batch;
  plan.accumulate = rung.accumulate;
  plan.learner_shards = rung.learner_shards;
  plan.checkpoint_blocks = rung.checkpoint_blocks;
}

}  // namespace az
