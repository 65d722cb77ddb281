#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "base/strings.h"
#include "bench/commands.h"
#include "bench/served_inference.h"
#include "engine/config/machine.h"
#include "engine/net/net_spec.h"
#include "games/registry.h"

namespace az {
namespace {

struct NamedNet {
  std::string_view name;
  int filters;
  int blocks;
  int heads;
};

constexpr std::array kNets = {NamedNet{"32x4", 32, 4, 0}, NamedNet{"32x4h4", 32, 4, 4},
                              NamedNet{"128x8", 128, 8, 0}, NamedNet{"128x8h8", 128, 8, 8}};

void Print(std::string_view net, const ServedSettings& settings, const ServedFigures& figures,
           bool json) {
  if (json) {
    const nlohmann::ordered_json line = {{"bench", "inference"},
                                         {"net", net},
                                         {"game", settings.game.entry},
                                         {"device", figures.device},
                                         {"workers", settings.workers},
                                         {"blocks", settings.blocks},
                                         {"rows", settings.rows},
                                         {"runners", settings.runners},
                                         {"batch", settings.batch},
                                         {"served_rows_per_s", figures.served_rows_per_s},
                                         {"bare_rows_per_s", figures.bare_rows_per_s},
                                         {"ratio", figures.ratio},
                                         {"mean_batch_rows", figures.mean_batch_rows},
                                         {"server_busy_fraction", figures.busy_fraction}};
    std::printf("%s\n", line.dump().c_str());
  } else {
    std::printf(
        "%-9.*s %9.0f rows/s served   %9.0f bare   ratio %.3f   %6.1f rows/batch   busy %.3f\n",
        static_cast<int>(net.size()), net.data(), figures.served_rows_per_s,
        figures.bare_rows_per_s, figures.ratio, figures.mean_batch_rows, figures.busy_fraction);
  }
  std::fflush(stdout);
}

// Measures in a process of its own, as it forks its workers, which must happen before LibTorch is
// used.
Result<void> MeasureInChild(std::string_view net, const ServedSettings& settings, bool json) {
  const pid_t child = ::fork();
  if (child < 0) return Error{Errc::kUnavailable, "fork a measuring process: the system refused"};
  if (child == 0) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    const Result<ServedFigures> figures = MeasureServed(settings);
    if (figures) {
      Print(net, settings, *figures, json);
    } else {
      std::fprintf(stderr, "az_bench inference: %s\n", figures.error().message.c_str());
    }
    ::_exit(figures ? 0 : 1);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return {};
  return Error{Errc::kPeerGone, StrCat("network ", net, ": the measuring process failed")};
}

NetShape ShapeOf(const NamedNet& net, const GameInfo& game) {
  return {.planes = game.shape.planes,
          .rows = game.shape.rows,
          .cols = game.shape.cols,
          .actions = game.num_actions,
          .filters = net.filters,
          .res_blocks = net.blocks,
          .heads = net.heads,
          .attention_blocks = net.heads > 0 ? 1 : 0};
}

// The device that `engine.device: auto` means here. Names a GPU that cannot be used, with the
// reason.
Result<std::string> DeviceOfThisMachine() {
  const EngineOptions options;
  const Machine machine = ReadMachine("/", GpuIndexOf(options));
  AZ_ASSIGN_OR_RETURN(const DeviceFacts device,
                      ChooseDevice(options, machine, machine.memory_available));
  if (!device.gpu_fault.empty()) {
    std::fprintf(stderr, "az_bench inference: on the CPU: %s\n", device.gpu_fault.c_str());
  }
  return DeviceName(device.kind, options);
}

}  // namespace

Result<void> RunInferenceBench(BenchArgs& args) {
  const bool json = args.TakeFlag("--json");
  const std::string nets = args.TakeText("--nets").value_or("32x4,32x4h4,128x8,128x8h8");
  AZ_ASSIGN_OR_RETURN(const GameOps* ops, FindGame("hex", 5));
  const int cores = std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
  AZ_ASSIGN_OR_RETURN(const std::string device, DeviceOfThisMachine());
  ServedSettings settings{.net = {}, .game = ops->info(), .device = device, .precision = {}};
  AZ_ASSIGN_OR_RETURN(settings.workers, args.TakeCount("--workers", cores));
  AZ_ASSIGN_OR_RETURN(settings.blocks, args.TakeCount("--blocks", settings.blocks));
  AZ_ASSIGN_OR_RETURN(settings.runners, args.TakeCount("--runners", cores));
  AZ_ASSIGN_OR_RETURN(settings.batch, args.TakeCount("--batch", settings.batch));
  AZ_ASSIGN_OR_RETURN(const int milliseconds, args.TakeCount("--milliseconds", 1000));
  AZ_ASSIGN_OR_RETURN(settings.windows, args.TakeCount("--windows", settings.windows));
  settings.window = std::chrono::milliseconds(milliseconds);
  AZ_RETURN_IF_ERROR(args.Finish());
  for (const std::string_view name : Split(nets, ',')) {
    const auto net = std::ranges::find(kNets, name, &NamedNet::name);
    if (net == kNets.end()) {
      return Error{Errc::kInvalid,
                   StrCat("--nets ", name, ": there are 32x4, 32x4h4, 128x8 and 128x8h8")};
    }
    settings.net = ShapeOf(*net, settings.game);
    AZ_RETURN_IF_ERROR(MeasureInChild(name, settings, json));
  }
  return {};
}

}  // namespace az
