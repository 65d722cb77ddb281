#include "scheduler/ideal_plan.h"

#include <algorithm>

#include "scheduler/ladder.h"
#include "scheduler/throughput.h"

namespace az {
namespace {

// Larger batches gain nothing on a core (docs/performance.md, One core of network).
constexpr int kCpuBucket = 128;
constexpr int kGpuBucket = 4096;  // the upper end of the search for the knee
constexpr int kMinSlots = 64;
constexpr int kMaxAutoWorkers = 64;
constexpr int kMinShardRows = 32;  // batch norm needs so many rows
constexpr int kInFlight = 2;       // a GPU's batches at a time: one computes, one is filled

// The facts from which the number of workers is chosen.
struct Server {
  Pipeline pipeline;  // all but the rows of a worker
  int most_workers;   // as many as the cores can carry
  bool cpu;
};

Server ServerOf(const PlanInput& input, Plan& plan) {
  const PlanWishes& wishes = input.wishes;
  const bool cpu = plan.device == DeviceKind::kCpu;
  const int cores = std::max(1, input.device.cores);
  // Beside a GPU the supervisor and the server want a core each.
  const int usable_cores = cpu ? cores : std::max(1, cores - 2);
  Server server{
      .pipeline = {}, .most_workers = std::min(usable_cores, kMaxAutoWorkers), .cpu = cpu};
  server.pipeline.time = ForwardTimeOf(input, plan.inference_precision);
  if (cpu) {
    const double row_us = server.pipeline.time.row_us;
    const double busy_share = row_us / (row_us + server.pipeline.worker_us_per_row);
    const int by_work =
        std::clamp(static_cast<int>(usable_cores * busy_share + 0.999), 1, usable_cores);
    plan.runners = wishes.runners.value_or(by_work);
  } else {
    plan.runners = plan.arena_models == ArenaModels::kConcurrent ? 2 * kInFlight : kInFlight;
  }
  server.pipeline.runners = cpu ? plan.runners : 1;
  server.pipeline.in_flight = plan.runners;
  return server;
}

// Chooses workers, lanes, runners and the bucket as if memory were unlimited.
void ChooseProcesses(const PlanInput& input, Plan& plan) {
  const PlanWishes& wishes = input.wishes;
  const Server server = ServerOf(input, plan);
  const int most_rows = wishes.slots.value_or(kMostBlocks * kRowsPerBlock);
  const auto with_rows = [&server](int rows) {
    Pipeline pipeline = server.pipeline;
    pipeline.rows_a_worker = std::max(1, rows);
    return pipeline;
  };
  const int bucket = wishes.max_batch.value_or(
      server.cpu ? kCpuBucket : BucketFor(with_rows(most_rows), server.most_workers, kGpuBucket));
  FitBuckets(plan, bucket);
  const auto workers_for = [&](int rows) {
    // On a CPU one worker per core: workers sleep while the runners compute, and several of them
    // hide each other's waits.
    return server.cpu ? server.most_workers
                      : std::clamp(WorkersFor(with_rows(rows), bucket), 1, server.most_workers);
  };
  plan.num_workers = wishes.num_workers.value_or(workers_for(most_rows));
  // In the arena a batch holds one model's rows, so half of a worker's rows.
  plan.arena_workers = wishes.arena_workers.value_or(workers_for(most_rows / 2));
  plan.lanes = std::max(plan.num_workers, plan.arena_workers);

  // Enough rows in flight for every runner's batch and the one being filled, whatever the number of
  // workers.
  const int wanted_rows = (plan.runners + 1) * bucket;
  const int share = (wanted_rows + plan.num_workers - 1) / plan.num_workers;
  const int whole_blocks = (share + kRowsPerBlock - 1) / kRowsPerBlock * kRowsPerBlock;
  plan.slots =
      wishes.slots.value_or(std::clamp(whole_blocks, kMinSlots, kMostBlocks * kRowsPerBlock));
  FitLane(plan);
}

void ChooseLearner(const PlanInput& input, Plan& plan) {
  const bool cpu = plan.device == DeviceKind::kCpu;
  const int most_shards = std::max(1, input.wishes.batch / kMinShardRows);
  plan.learner_shards = cpu ? std::clamp(input.device.cores, 1, most_shards) : 1;
  plan.accumulate = input.wishes.accumulate.value_or(1);
  plan.checkpoint_blocks =
      SegmentOf(input.wishes.checkpointing.value_or(Checkpointing::Off()), input.net.res_blocks);
  FitMicroBatch(input, plan);
}

}  // namespace

Plan IdealPlan(const PlanInput& input) {
  Plan plan;
  plan.device = input.device.kind;
  const Precision fast = input.device.fast_bf16 ? Precision::kBf16 : Precision::kFp32;
  plan.inference_precision = input.wishes.inference_precision.value_or(fast);
  plan.train_precision = input.wishes.train_precision.value_or(fast);
  plan.cache = input.wishes.cache;
  plan.cuda_graphs = plan.device == DeviceKind::kCuda && input.wishes.cuda_graphs.value_or(true);
  plan.arena_models = input.wishes.arena_models.value_or(ArenaModels::kInTurn);
  plan.model_sharing = input.wishes.memory.model_sharing;
  ChooseProcesses(input, plan);
  ChooseLearner(input, plan);
  return plan;
}

}  // namespace az
