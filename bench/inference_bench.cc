// Rows a second of the bare inference form on one core: no server, no search, random weights, whole
// network from bit planes to logits and value. One JSON object a line. docs/performance.md has the
// figures to compare with.

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/rng.h"
#include "engine/net/checkpoint.h"
#include "engine/net/cpu_runner.h"
#include "engine/net/inference_net.h"
#include "games/game.h"

namespace az {
namespace {

struct NamedShape {
  const char* name;
  NetShape shape;
};

std::vector<NamedShape> Shapes() {
  const auto make = [](int filters, int blocks, PlaneShape board, int actions, int heads) {
    NetShape shape;
    shape.planes = board.planes;
    shape.rows = board.rows;
    shape.cols = board.cols;
    shape.actions = actions;
    shape.filters = filters;
    shape.res_blocks = blocks;
    shape.heads = heads;
    shape.attention_blocks = heads > 0 ? 1 : 0;
    return shape;
  };
  const PlaneShape hex5{2, 5, 5};
  const PlaneShape connect4{2, 6, 7};
  const PlaneShape go9{3, 9, 9};
  return {{"32x4_5x5", make(32, 4, hex5, 25, 0)},     {"64x5_5x5", make(64, 5, hex5, 25, 0)},
          {"64x5_6x7", make(64, 5, connect4, 7, 0)},  {"128x8_5x5", make(128, 8, hex5, 25, 0)},
          {"128x8h8_5x5", make(128, 8, hex5, 25, 8)}, {"64x6_9x9", make(64, 6, go9, 82, 0)}};
}

struct Settings {
  std::string net = "all";
  std::vector<int> batches = {8, 32, 64, 128, 256};
  std::string precision = "all";
  std::string kernels = "auto";
  double window_s = 0.25;
  int windows = 5;
};

// Median rows a second over the windows.
double Measure(const InferenceNet& net, int batch, const Settings& settings) {
  const NetShape& shape = net.shape();
  const PlaneShape planes{shape.planes, shape.rows, shape.cols};
  std::vector<std::uint64_t> bits(static_cast<std::size_t>(batch * planes.words()));
  Rng rng(1);
  const int tail = planes.cells() % 64;
  for (std::uint64_t& word : bits) word = rng.Next() & ((std::uint64_t{1} << tail) - 1);
  std::vector<float> logits(static_cast<std::size_t>(batch * shape.actions));
  std::vector<float> values(static_cast<std::size_t>(batch));
  InferenceScratch scratch;
  const InferenceBatch rows{bits.data(), logits.data(), values.data(), batch, batch};
  const SteadyClock clock;
  std::vector<double> rates;
  for (int window = -1; window < settings.windows; ++window) {  // the first one warms up
    const TimePoint start = clock.Now();
    std::int64_t done = 0;
    double elapsed_s = 0;
    do {
      const Result<void> answered = net.Forward(rows, scratch);
      AZ_CHECK(answered.has_value()) << answered.error().message;
      done += batch;
      elapsed_s = Seconds(clock.Now() - start);
    } while (elapsed_s < settings.window_s);
    if (window >= 0) rates.push_back(static_cast<double>(done) / elapsed_s);
  }
  std::nth_element(rates.begin(), rates.begin() + settings.windows / 2, rates.end());
  return rates[static_cast<std::size_t>(settings.windows / 2)];
}

int RunAll(const Settings& settings) {
  UseOneTorchThread();
  for (const NamedShape& item : Shapes()) {
    if (settings.net != "all" && settings.net != item.name) continue;
    Network network(item.shape);
    network->eval();
    const Weights weights = WeightsOf(*network, {});
    for (const Precision precision : {Precision::kFp32, Precision::kBf16}) {
      if (settings.precision != "all" && settings.precision != EnumName(precision)) continue;
      const NetKernels kernels = settings.kernels == "direct"   ? NetKernels::kDirect
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
  CLI::App app("rows a second of the bare inference form on one core");
  app.add_option("--net", settings.net, "one of the named networks, or all");
  app.add_option("--batch", settings.batches, "batch sizes")->check(CLI::Range(1, 4096));
  app.add_option("--precision", settings.precision, "fp32, bf16 or all");
  app.add_option("--kernels", settings.kernels, "auto, onednn or direct")
      ->check(CLI::IsMember({"auto", "onednn", "direct"}));
  app.add_option("--window", settings.window_s, "seconds of one measurement")
      ->check(CLI::Range(0.01, 60.0));
  app.add_option("--windows", settings.windows, "measurements, of which the median counts")
      ->check(CLI::Range(1, 1000));
  CLI11_PARSE(app, argc, argv);
  return az::RunAll(settings);
}
