#include "bench/bare_loop.h"

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <latch>
#include <memory>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include "engine/data/random_rows.h"
#include "engine/net/cpu_runner.h"

namespace az {
namespace {

constexpr int kWarmUpBatches = 3;

// One runner with its rows. Confined to one thread at a time.
struct Lane {
  std::unique_ptr<BatchRunner> runner;
  std::vector<std::uint64_t> planes;
  std::vector<float> logits;
  std::vector<float> values;
  std::vector<BlockView> blocks;
  std::int64_t rows = 0;
  double seconds = 0;
  std::optional<Error> error;
};

void FillLane(const BareLoopOptions& options, std::uint64_t seed, Lane& lane) {
  const auto batch = static_cast<std::size_t>(options.batch);
  const auto words = static_cast<std::size_t>(options.planes.words());
  const auto actions = static_cast<std::size_t>(options.actions);
  lane.planes.resize(batch * words);
  lane.logits.resize(batch * actions);
  lane.values.resize(batch);
  Rng rng(seed);
  FillRandomPlanes(options.planes, rng, lane.planes);
  for (int at = 0; at < options.batch; at += options.block_rows) {
    const auto row = static_cast<std::size_t>(at);
    lane.blocks.push_back({.planes = lane.planes.data() + row * words,
                           .logits = lane.logits.data() + row * actions,
                           .values = lane.values.data() + row,
                           .rows = std::min(options.block_rows, options.batch - at)});
  }
}

Result<void> RunBatch(Lane& lane, int batch) {
  AZ_ASSIGN_OR_RETURN([[maybe_unused]] const WeightsVersion version,
                      lane.runner->Launch(kBestModel, batch, lane.blocks));
  return lane.runner->Finish();
}

void RunLane(Lane& lane, int batch, Duration window, std::latch& all_warm) {
  UseOneTorchThread();
  for (int i = 0; i < kWarmUpBatches && !lane.error; ++i) {
    if (const Result<void> ran = RunBatch(lane, batch); !ran) lane.error = ran.error();
  }
  all_warm.arrive_and_wait();
  const TimePoint start = std::chrono::steady_clock::now();
  Duration elapsed{};
  while (!lane.error && elapsed < window) {
    if (const Result<void> ran = RunBatch(lane, batch); !ran) lane.error = ran.error();
    lane.rows += batch;
    elapsed = std::chrono::steady_clock::now() - start;
  }
  lane.seconds = Seconds(elapsed);
}

}  // namespace

Result<double> MeasureBareLoop(InferenceDevice& device, const BareLoopOptions& options,
                               Duration window) {
  std::vector<Lane> lanes(static_cast<std::size_t>(options.runners));
  std::uint64_t seed = 1;
  for (Lane& lane : lanes) {
    AZ_ASSIGN_OR_RETURN(lane.runner, device.MakeRunner(options.batch));
    FillLane(options, seed++, lane);
  }
  std::latch all_warm(options.runners);
  {
    std::vector<std::jthread> threads;
    for (Lane& lane : lanes) {
      threads.emplace_back([&] { RunLane(lane, options.batch, window, all_warm); });
    }
  }
  double rows_per_s = 0;
  for (const Lane& lane : lanes) {
    if (lane.error) return *lane.error;
    rows_per_s += static_cast<double>(lane.rows) / lane.seconds;
  }
  return rows_per_s;
}

}  // namespace az
