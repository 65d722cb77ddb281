// inference_bench: rows per second of the bare inference form, on one core or on several at once:
// without server and search, with random weights, the whole network from bit planes to logits and
// value. One JSON object per line. docs/performance.md has figures to compare with.

#include <CLI/CLI.hpp>
#include <algorithm>
#include <barrier>
#include <cstdint>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <string>
#include <thread>
#include <vector>

#include "base/clock.h"
#include "base/rng.h"
#include "engine/net/checkpoint.h"
#include "engine/net/cpu_runner.h"
#include "engine/net/inference_net.h"
#include "engine/net/network.h"
#include "games/game.h"

namespace az {
namespace {

struct NamedShape {
  const char* name;
  NetShape shape;
};

std::vector<NamedShape> Shapes() {
  const auto make = [](int filters, int blocks, PlaneShape board, int actions, int heads,
                       int pool_every = 0) {
    NetShape shape;
    shape.planes = board.planes;
    shape.rows = board.rows;
    shape.cols = board.cols;
    shape.actions = actions;
    shape.filters = filters;
    shape.res_blocks = blocks;
    shape.global_pool_every = pool_every;
    shape.heads = heads;
    shape.attention_blocks = heads > 0 ? 1 : 0;
    return shape;
  };
  const PlaneShape hex5{2, 5, 5};
  const PlaneShape connect4{2, 6, 7};
  const PlaneShape go9{3, 9, 9};
  return {{"32x4_5x5", make(32, 4, hex5, 25, 0)},   {"32x4p2_5x5", make(32, 4, hex5, 25, 0, 2)},
          {"64x5_5x5", make(64, 5, hex5, 25, 0)},   {"64x5_6x7", make(64, 5, connect4, 7, 0)},
          {"128x8_5x5", make(128, 8, hex5, 25, 0)}, {"128x8h8_5x5", make(128, 8, hex5, 25, 8)},
          {"64x6_9x9", make(64, 6, go9, 82, 0)}};
}

struct Settings {
  std::string net = "all";
  std::vector<int> batches = {8, 32, 64, 128, 256};
  std::string precision = "all";
  std::string kernels = "auto";
  double window_s = 0.25;
  int windows = 5;
  int threads = 1;
};

// Runs forwards for one window and counts this thread's rows per second.
class Loop {
 public:
  Loop(const InferenceNet& net, int batch)
      : net_(net),
        bits_(static_cast<std::size_t>(batch * Planes().words())),
        logits_(static_cast<std::size_t>(batch * net.shape().actions)),
        values_(static_cast<std::size_t>(batch)) {
    Rng rng(1);
    const int tail = Planes().cells() % 64;  // bits that are valid in every word of every plane
    for (std::uint64_t& word : bits_) word = rng.Next() & ((std::uint64_t{1} << tail) - 1);
  }
  double Window(double seconds) {
    const auto batch = static_cast<int>(values_.size());
    const SteadyClock clock;
    const TimePoint start = clock.Now();
    std::int64_t done = 0;
    double elapsed_s = 0;
    do {
      const Result<void> answered =
          net_.Forward({bits_.data(), logits_.data(), values_.data(), batch, batch}, scratch_);
      AZ_CHECK(answered.has_value()) << answered.error().message;
      done += batch;
      elapsed_s = Seconds(clock.Now() - start);
    } while (elapsed_s < seconds);
    return static_cast<double>(done) / elapsed_s;
  }

 private:
  PlaneShape Planes() const { return {net_.shape().planes, net_.shape().rows, net_.shape().cols}; }
  const InferenceNet& net_;
  std::vector<std::uint64_t> bits_;
  std::vector<float> logits_;
  std::vector<float> values_;
  InferenceScratch scratch_;
};

// The median over the windows of the sum over the threads.
double Measure(const InferenceNet& net, int batch, const Settings& settings) {
  const auto windows = static_cast<std::size_t>(settings.windows);
  const auto threads = static_cast<std::size_t>(settings.threads);
  std::vector<std::vector<double>> rates(threads, std::vector<double>(windows));
  std::barrier<> together(settings.threads);
  const auto run = [&](std::size_t thread) {
    UseOneTorchThread();
    Loop loop(net, batch);
    loop.Window(settings.window_s);  // warms up
    for (std::size_t window = 0; window < windows; ++window) {
      together.arrive_and_wait();
      rates[thread][window] = loop.Window(settings.window_s);
    }
  };
  {
    std::vector<std::jthread> others;
    for (std::size_t thread = 1; thread < threads; ++thread) others.emplace_back(run, thread);
    run(0);
  }
  std::vector<double> sums(windows);
  for (std::size_t window = 0; window < windows; ++window) {
    for (const std::vector<double>& thread : rates) sums[window] += thread[window];
  }
  std::nth_element(sums.begin(), sums.begin() + settings.windows / 2, sums.end());
  return sums[windows / 2];
}

int RunAll(const Settings& settings) {
  for (const NamedShape& item : Shapes()) {
    if (settings.net != "all" && settings.net != item.name) continue;
    Network network(item.shape);
    network->eval();
    const Weights weights = WeightsOf(*network, {});
    for (const Precision precision : {Precision::kFp32, Precision::kBf16}) {
      if (settings.precision != "all" && settings.precision != EnumName(precision)) continue;
      const NetKernels kernels = settings.kernels == "direct"   ? NetKernels::kDirect
                                 : settings.kernels == "tiles"  ? NetKernels::kTiles
                                 : settings.kernels == "onednn" ? NetKernels::kOnednn
                                                                : NetKernels::kAuto;
      const auto net = InferenceNet::Create(weights, {precision, kernels});
      if (!net) {
        std::fprintf(stderr, "%s: %s\n", item.name, net.error().message.c_str());
        continue;
      }
      for (const int batch : settings.batches) {
        const nlohmann::ordered_json line = {{"net", item.name},
                                             {"kernels", (*net)->kernels()},
                                             {"batch", batch},
                                             {"threads", settings.threads},
                                             {"rows_per_s", Measure(**net, batch, settings)}};
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
  az::Settings settings;
  CLI::App app("rows a second of the bare inference form");
  app.add_option("--net", settings.net, "one of the named networks, or all");
  app.add_option("--batch", settings.batches, "batch sizes")->check(CLI::Range(1, 4096));
  app.add_option("--precision", settings.precision, "fp32, bf16 or all");
  app.add_option("--kernels", settings.kernels, "auto, onednn, direct or tiles")
      ->check(CLI::IsMember({"auto", "onednn", "direct", "tiles"}));
  app.add_option("--window", settings.window_s, "seconds of one measurement")
      ->check(CLI::Range(0.01, 60.0));
  app.add_option("--windows", settings.windows, "measurements, of which the median counts")
      ->check(CLI::Range(1, 1000));
  app.add_option("--threads", settings.threads, "runners at the same time, a thread each")
      ->check(CLI::Range(1, 256));
  CLI11_PARSE(app, argc, argv);
  return az::RunAll(settings);
}
