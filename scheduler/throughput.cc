#include "scheduler/throughput.h"

#include <algorithm>
#include <cmath>

#include "scheduler/footprint.h"

namespace az {
namespace {

constexpr double kEnough = 0.95;

// A CPU core in bf16 reaches about 300, 490, 575 GFLOP/s with 32, 64, 128 filters: convolutions of
// few channels leave the matrix unit waiting (docs/performance.md section 1). fp32 has half the
// lanes but the same waits.
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
  const double launches_us = 60.0 + 4.0 * (2.0 * net.res_blocks + 6.0 * net.attention_blocks);
  return {launches_us, static_cast<double>(ForwardFlops(net)) / (reached * 1e6)};
}

}  // namespace

ForwardTime AssumedForwardTime(const DeviceFacts& device, const NetShape& net,
                               Precision precision) {
  return device.kind == DeviceKind::kCpu ? CpuTime(net, precision)
                                         : GpuTime(device, net, precision);
}

int KneeBucket(const ForwardTime& time, int limit) {
  const double best = limit / time.Micros(limit);
  int bucket = std::min(8, limit);
  while (bucket * 2 <= limit && bucket / time.Micros(bucket) < kEnough * best) bucket *= 2;
  return bucket;
}

double Fill(const Pipeline& pipeline, int workers, int bucket) {
  const double by_cpu =
      workers * pipeline.time.Micros(bucket) / (kWorkerMicrosPerRow * bucket * pipeline.runners);
  const double by_rows =
      static_cast<double>(workers) * pipeline.rows_a_worker / ((pipeline.in_flight + 1.0) * bucket);
  return std::min({1.0, by_cpu, by_rows});
}

double RowsPerSecond(const Pipeline& pipeline, int workers, int bucket) {
  return Fill(pipeline, workers, bucket) * pipeline.runners * bucket /
         pipeline.time.Micros(bucket) * 1e6;
}

int WorkersFor(const Pipeline& pipeline, int bucket) {
  const double by_cpu =
      kEnough * kWorkerMicrosPerRow * bucket * pipeline.runners / pipeline.time.Micros(bucket);
  const double by_rows =
      kEnough * (pipeline.in_flight + 1.0) * bucket / std::max(1, pipeline.rows_a_worker);
  return std::max(1, static_cast<int>(std::ceil(std::max(by_cpu, by_rows))));
}

}  // namespace az
