#include "scheduler/throughput.h"

#include <algorithm>
#include <cmath>

#include "scheduler/footprint.h"

namespace az {
namespace {

constexpr double kEnough = 0.95;

// A CPU core in bf16 reaches about 300, 490, 575 GFLOP/s with 32, 64, 128 filters: convolutions of
// few channels leave the matrix unit waiting (docs/performance.md, One core of network). fp32 has
// half the lanes but the same waits.
ForwardTime CpuTime(const NetShape& net, Precision precision) {
  const double filters = net.filters;
  const double gflops =
      720.0 * filters / (filters + 44.0) / (precision == Precision::kBf16 ? 1.0 : 1.7);
  constexpr double kRowOverheadUs = 2.0;  // unpacking, heads, results
  return {30.0, static_cast<double>(ForwardFlops(net)) / (gflops * 1e3) + kRowOverheadUs};
}

// A GPU with captured graphs: a launch, then a fifth of its nominal rate on such small boards.
ForwardTime GpuTime(const DeviceFacts& device, const NetShape& net, Precision precision) {
  const double tflops = device.assumed_tflops > 0 ? device.assumed_tflops : 30.0;
  const double reached = 0.2 * tflops / (precision == Precision::kBf16 ? 1.0 : 4.0);
  const double launches_us =
      60.0 + 4.0 * (2.0 * net.res_blocks + 7.0 * net.pool_blocks() + 6.0 * net.attention_blocks);
  return {launches_us, static_cast<double>(ForwardFlops(net)) / (reached * 1e6)};
}

}  // namespace

int RunAtOnce(const Plan& plan) { return plan.device == DeviceKind::kCpu ? plan.runners : 1; }

ForwardTime AssumedForwardTime(const DeviceFacts& device, const NetShape& net,
                               Precision precision) {
  return device.kind == DeviceKind::kCpu ? CpuTime(net, precision)
                                         : GpuTime(device, net, precision);
}

ForwardTime ForwardTimeOf(const PlanInput& input, Precision precision) {
  for (const ProbedInference& probed : input.calibration.inference) {
    if (probed.precision == precision) return probed.time;
  }
  return AssumedForwardTime(input.device, input.net, precision);
}

FittedTime TrainingTimeOf(const PlanInput& input, Precision precision, int checkpoint_blocks) {
  for (const ProbedTraining& probed : input.calibration.training) {
    if (probed.precision == precision && probed.checkpoint_blocks == checkpoint_blocks) {
      return probed.time;
    }
  }
  // A backward pass is two forwards, a recomputed one a third; training is not fused as inference
  // is.
  constexpr double kUnfused = 1.5;
  const double forwards = checkpoint_blocks > 0 ? 4.0 : 3.0;
  const ForwardTime forward = AssumedForwardTime(input.device, input.net, precision);
  return {forward.fixed_us * forwards * kUnfused, forward.row_us * forwards * kUnfused};
}

int KneeBucket(const ForwardTime& time, int limit) {
  const double best = limit / time.Micros(limit);
  int bucket = std::min(8, limit);
  while (bucket * 2 <= limit && bucket / time.Micros(bucket) < kEnough * best) bucket *= 2;
  return bucket;
}

double Fill(const Pipeline& pipeline, int workers, int bucket) {
  const double by_cpu = workers * pipeline.time.Micros(bucket) /
                        (pipeline.worker_us_per_row * bucket * pipeline.runners);
  const double by_rows =
      static_cast<double>(workers) * pipeline.rows_a_worker / ((pipeline.in_flight + 1.0) * bucket);
  return std::min({1.0, by_cpu, by_rows});
}

double RowsPerSecond(const Pipeline& pipeline, int workers, int bucket) {
  return Fill(pipeline, workers, bucket) * pipeline.runners * bucket /
         pipeline.time.Micros(bucket) * 1e6;
}

int WorkersFor(const Pipeline& pipeline, int bucket) {
  const double by_cpu = kEnough * pipeline.worker_us_per_row * bucket * pipeline.runners /
                        pipeline.time.Micros(bucket);
  const double by_rows =
      kEnough * (pipeline.in_flight + 1.0) * bucket / std::max(1, pipeline.rows_a_worker);
  return std::max(1, static_cast<int>(std::ceil(std::max(by_cpu, by_rows))));
}

int BucketFor(const Pipeline& pipeline, int most_workers, int limit) {
  const int knee = KneeBucket(pipeline.time, limit);
  int best = std::min(8, knee);
  for (int bucket = best; bucket <= knee; bucket *= 2) {
    if (Fill(pipeline, most_workers, bucket) >= kEnough ||
        RowsPerSecond(pipeline, most_workers, bucket) >
            RowsPerSecond(pipeline, most_workers, best)) {
      best = bucket;
    }
  }
  return best;
}

double PredictedRowsPerSecond(const PlanInput& input, const Plan& plan) {
  const bool cpu = plan.device == DeviceKind::kCpu;
  const int bucket = plan.buckets.back();
  const Pipeline pipeline = {.time = ForwardTimeOf(input, plan.inference_precision),
                             .runners = RunAtOnce(plan),
                             .in_flight = plan.runners,
                             .rows_a_worker = std::min(plan.slots, plan.blocks * plan.rows),
                             .worker_us_per_row = kWorkerMicrosPerRow};
  double rows = RowsPerSecond(pipeline, plan.num_workers, bucket);
  if (cpu) {  // runners and workers share the cores
    const double core_us_a_row = pipeline.time.Micros(bucket) / bucket + pipeline.worker_us_per_row;
    rows = std::min(rows, std::max(1, input.device.cores) * 1e6 / core_us_a_row);
  } else if (!plan.cuda_graphs) {
    constexpr double kEagerLaunches = 0.7;  // of the rate with captured graphs; a prior
    rows *= kEagerLaunches;
  }
  return rows;
}

double PredictedStepMillis(const PlanInput& input, const Plan& plan) {
  const FittedTime time = TrainingTimeOf(input, plan.train_precision, plan.checkpoint_blocks);
  const double update_us = 0.002 * static_cast<double>(ParameterCount(input.net)) /
                           (plan.device == DeviceKind::kCpu ? 1.0 : 50.0);
  return (plan.accumulate * time.Micros(plan.micro_batch) + update_us) / 1e3;
}

Basis BasisOfRates(const PlanInput& input, const Plan& plan) {
  const bool inference =
      std::ranges::any_of(input.calibration.inference, [&plan](const ProbedInference& probed) {
        return probed.precision == plan.inference_precision;
      });
  const bool training =
      std::ranges::any_of(input.calibration.training, [&plan](const ProbedTraining& probed) {
        return probed.precision == plan.train_precision &&
               probed.checkpoint_blocks == plan.checkpoint_blocks;
      });
  return inference && training ? Basis::kPredicted : Basis::kAssumed;
}

}  // namespace az
