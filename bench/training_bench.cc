// training_bench: samples per second of the learner's optimizer steps: forward, backward, clipping,
// AdamW, average. Uses random positions and targets, without journals and batch assembly. One JSON
// object per line. docs/performance.md has figures to compare with.

#include <CLI/CLI.hpp>
#include <cstdint>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/rng.h"
#include "base/stats.h"
#include "engine/data/random_rows.h"
#include "engine/net/capped_cpu_allocator.h"
#include "engine/train/batch_tensors.h"
#include "engine/train/heap.h"
#include "engine/train/learner.h"

namespace az {
namespace {

struct NamedShape {
  const char* name;
  NetShape shape;
};

std::vector<NamedShape> Shapes() {
  const auto hex5 = [](int filters, int blocks, int heads, int pool_every = 0) {
    NetShape shape;  // planes, board and actions of Hex 5x5
    shape.filters = filters;
    shape.res_blocks = blocks;
    shape.global_pool_every = pool_every;
    shape.heads = heads;
    shape.attention_blocks = heads > 0 ? 1 : 0;
    return shape;
  };
  return {{"32x4_5x5", hex5(32, 4, 0)},
          {"32x4p2_5x5", hex5(32, 4, 0, 2)},
          {"64x5_5x5", hex5(64, 5, 0)},
          {"128x8_5x5", hex5(128, 8, 0)},
          {"128x8h8_5x5", hex5(128, 8, 8)}};
}

struct Settings {
  std::string net = "all";
  std::vector<int> shards = {1, 2};
  std::string precision = "all";
  std::string device = "cpu";
  std::string allocator = "capped";
  int batch = 512;
  int micro_batch = 256;
  double window_s = 1.0;
  int windows = 5;
};

// The median samples per second over the windows; 0 when a step failed.
double Measure(Learner& learner, const TrainBatch& batch, const Settings& settings) {
  const StepRows rows = RowsOf(batch, learner.input_type(), learner.device());
  const SteadyClock clock;
  std::vector<double> rates;
  for (int window = -1; window < settings.windows; ++window) {  // the first one warms up
    const TimePoint start = clock.Now();
    std::int64_t steps = 0;
    double elapsed = 0;
    while (elapsed < settings.window_s) {
      if (!learner.Step(rows, 1e-3)) return 0;
      ++steps;
      elapsed = Seconds(clock.Now() - start);
    }
    if (window >= 0) rates.push_back(static_cast<double>(steps * batch.rows) / elapsed);
  }
  return Median(rates);
}

int Run(const Settings& settings) {
  for (const NamedShape& net : Shapes()) {
    if (settings.net != "all" && settings.net != net.name) continue;
    Rng rng(1);
    const TrainBatch batch = RandomTrainBatch({net.shape.planes, net.shape.rows, net.shape.cols},
                                              net.shape.actions, settings.batch, rng);
    for (const auto& [precision, name] : EnumNames<Precision>::value) {
      if (settings.precision != "all" && settings.precision != name) continue;
      for (const int shards : settings.shards) {
        Result<std::unique_ptr<Learner>> learner =
            Learner::Create(net.shape,
                            {.train = {},
                             .shards = shards,
                             .micro_batch = settings.micro_batch,
                             .precision = precision,
                             .device = settings.device},
                            LearnerState::Fresh(net.shape, 1));
        if (!learner) {
          std::fprintf(stderr, "training_bench: %s\n", learner.error().message.c_str());
          return 1;
        }
        const nlohmann::ordered_json line = {
            {"bench", "training"},
            {"net", net.name},
            {"device", settings.device},
            {"allocator", settings.allocator},
            {"precision", name},
            {"shards", shards},
            {"batch_rows", settings.batch},
            {"micro_batch_rows", settings.micro_batch},
            {"samples_per_s", Measure(**learner, batch, settings)}};
        std::printf("%s\n", line.dump().c_str());
        std::fflush(stdout);
      }
    }
  }
  return 0;
}

}  // namespace
}  // namespace az

int main(int argc, char** argv) {
  az::TuneHeap();  // as az_device does
  az::Settings settings;
  CLI::App app{"samples a second of the learner"};
  app.add_option("--net", settings.net,
                 "32x4_5x5, 32x4p2_5x5, 64x5_5x5, 128x8_5x5, 128x8h8_5x5 or all");
  app.add_option("--shards", settings.shards, "numbers of shards to measure");
  app.add_option("--precision", settings.precision, "fp32, bf16 or all");
  app.add_option("--device", settings.device, "cpu or cuda:N");
  app.add_option("--batch", settings.batch, "rows of a step");
  app.add_option("--micro-batch", settings.micro_batch, "rows a shard runs at a time");
  app.add_option("--window", settings.window_s, "seconds of a window");
  app.add_option("--windows", settings.windows, "windows; the median counts");
  app.add_option("--allocator", settings.allocator, "capped, as az_device, or libc")
      ->check(CLI::IsMember({"capped", "libc"}));
  CLI11_PARSE(app, argc, argv);
  if (settings.allocator == "capped") az::InstallCappedCpuAllocator();
  return az::Run(settings);
}
