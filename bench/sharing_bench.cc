#include <algorithm>
#include <chrono>
#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.h"
#include "base/stats.h"
#include "base/strings.h"
#include "bench/bench_fleet.h"
#include "bench/commands.h"
#include "engine/process/proc_memory.h"

namespace az {
namespace {

constexpr std::uint32_t kGames = 1'000'000;  // more than any machine plays in that time
constexpr auto kSettle = std::chrono::seconds(2);
constexpr int kWindows = 3;
constexpr Bytes kCache = MiB(64);  // all workers' evaluation caches together

struct Settings : FleetSettings {
  std::vector<int> workers = {1, 2, 4, 8, 16};
  int games = 256;  // open games of all workers together, so that every point has the same work
  Duration window = std::chrono::seconds(2);
};

// One design with one number of workers.
struct Point {
  ModelSharing sharing = ModelSharing::kShared;
  int workers = 0;
  int device_processes = 0;
  Bytes rss;           // summed over processes: counts shared pages once per process
  Bytes proportional;  // PSS: counts each shared page once
  Bytes anonymous;     // private pages, and the segments once: the memory that the machine loses
  Bytes device;        // the device processes' private pages of it: models, LibTorch, caches
  double evaluations_per_s = 0;
};

Bytes ResidentBytes(const std::vector<pid_t>& pids) {
  Bytes sum;
  for (const pid_t pid : pids) {
    const Result<ProcMemory> memory = ReadProcMemory(pid);
    if (memory) sum += memory->anonymous + memory->file + memory->shared;
  }
  return sum;
}

// The samples of one point's windows.
struct Samples {
  std::vector<double> rates, rss, proportional, anonymous, device;

  void Add(const ProcessFleet& fleet, double evaluations_per_s) {
    const std::vector<pid_t> all = fleet.Pids();
    const TreeMemory tree = SumMemory(all);
    const auto number = [](Bytes bytes) { return static_cast<double>(bytes.count()); };
    rates.push_back(evaluations_per_s);
    rss.push_back(number(ResidentBytes(all)));
    proportional.push_back(number(tree.proportional));
    anonymous.push_back(number(tree.anonymous + fleet.SharedBytes()));
    device.push_back(number(SumMemory(fleet.DevicePids()).anonymous));
  }
  void Summarize(Point& point) const {
    const auto bytes = [](const std::vector<double>& all) {
      return Bytes(static_cast<std::int64_t>(Median(all)));
    };
    point.evaluations_per_s = Median(rates);
    point.rss = bytes(rss);
    point.proportional = bytes(proportional);
    point.anonymous = bytes(anonymous);
    point.device = bytes(device);
  }
};

Result<Settings> ReadSettings(BenchArgs& args) {
  AZ_ASSIGN_OR_RETURN(FleetSettings common, TakeFleetSettings(args, "configs/5x5.yaml"));
  Settings settings{std::move(common)};
  if (const std::optional<std::string> list = args.TakeText("--workers")) {
    settings.workers.clear();
    for (const std::string_view text : Split(*list, ',')) {
      std::int64_t count = 0;
      if (!ParseInt(text, count) || count < 1 || count > 64) {
        return Error{Errc::kInvalid,
                     StrCat("--workers ", *list, ": '", text, "' is no count of [1, 64]")};
      }
      settings.workers.push_back(static_cast<int>(count));
    }
  }
  AZ_ASSIGN_OR_RETURN(settings.games, args.TakeCount("--games", settings.games));
  AZ_ASSIGN_OR_RETURN(const int seconds, args.TakeCount("--seconds", 6));
  settings.window = std::chrono::milliseconds(1000 * seconds / kWindows);
  AZ_RETURN_IF_ERROR(args.Finish());
  return settings;
}

// Plays until kWindows windows are measured, and completes `point` with their medians.
Result<void> Measure(const Settings& settings, BenchFleet& bench, Point& point) {
  using Clock = std::chrono::steady_clock;
  ProcessFleet& fleet = bench.fleet();
  const TimePoint settled = Clock::now() + kSettle;
  std::optional<TimePoint> began;
  FleetTotals first;
  Samples samples;
  GamePhaseSpec spec;
  spec.games = kGames;
  spec.workers = point.workers;
  spec.players = {PlayerMessage{}};
  spec.on_finished = [](const FinishedGame&) { return true; };
  spec.enough = [&] {
    const TimePoint now = Clock::now();
    if (now < settled || (began && now - *began < settings.window)) return false;
    const FleetTotals totals = fleet.Totals();
    if (began) {
      samples.Add(fleet, static_cast<double>(totals.device_rows - first.device_rows) /
                             Seconds(now - *began));
    }
    // Starts the next window now, as reading the memory of many processes takes a large part of a
    // second.
    began = Clock::now();
    first = fleet.Totals();
    return static_cast<int>(samples.rates.size()) == kWindows;
  };
  AZ_RETURN_IF_ERROR(fleet.Play(spec));
  samples.Summarize(point);
  return {};
}

Result<Point> MeasurePoint(const Settings& settings, ModelSharing sharing, int workers) {
  Point point{.sharing = sharing, .workers = workers};
  std::vector<std::string> sets = settings.sets;
  sets.push_back(StrCat("memory.model_sharing=", EnumName(sharing)));
  sets.push_back(StrCat("num_workers=", workers));
  sets.push_back("arena.num_workers=1");
  sets.push_back(StrCat("self_play.slots=", std::max(1, settings.games / workers)));
  // Trees and caches are the same in total at every point, so that the growth is what a worker
  // costs.
  sets.push_back(StrCat("search.cache=", (kCache / workers).count(), "B"));
  sets.push_back("memory.on_overcommit=refuse");  // exactly what was asked for, or an error
  AZ_ASSIGN_OR_RETURN(const std::unique_ptr<BenchFleet> bench,
                      BenchFleet::Plan(settings.config, std::move(sets)));
  AZ_RETURN_IF_ERROR(bench->Start());
  point.device_processes = bench->fleet().device_processes();
  AZ_ASSIGN_OR_RETURN([[maybe_unused]] const ReleasedMessage released,
                      bench->fleet().Release(CleanupLevel::kFull));
  AZ_RETURN_IF_ERROR(Measure(settings, *bench, point));
  return point;
}

void Print(const Settings& settings, const Point& point) {
  if (settings.json) {
    const nlohmann::ordered_json line = {{"bench", "sharing"},
                                         {"config", settings.config},
                                         {"model_sharing", EnumName(point.sharing)},
                                         {"workers", point.workers},
                                         {"device_processes", point.device_processes},
                                         {"rss_bytes", point.rss.count()},
                                         {"pss_bytes", point.proportional.count()},
                                         {"anonymous_bytes", point.anonymous.count()},
                                         {"device_bytes", point.device.count()},
                                         {"evaluations_per_s", point.evaluations_per_s}};
    std::printf("%s\n", line.dump().c_str());
  } else {
    const std::string name(EnumName(point.sharing));
    std::printf("%-10s  %7d  %16d  %10s  %10s  %17s  %10s  %13.0f\n", name.c_str(), point.workers,
                point.device_processes, FormatBytes(point.rss).c_str(),
                FormatBytes(point.proportional).c_str(), FormatBytes(point.anonymous).c_str(),
                FormatBytes(point.device).c_str(), point.evaluations_per_s);
  }
  std::fflush(stdout);
}

}  // namespace

Result<void> RunSharingBench(BenchArgs& args) {
  AZ_ASSIGN_OR_RETURN(const Settings settings, ReadSettings(args));
  if (!settings.json) {
    std::printf("%s: all processes of self-play, %d games open, medians of %d windows\n",
                settings.config.c_str(), settings.games, kWindows);
    std::printf("%-10s  %7s  %16s  %10s  %10s  %17s  %10s  %13s\n", "design", "workers",
                "device processes", "RSS", "PSS", "anonymous+segment", "of devices",
                "evaluations/s");
  }
  for (const int workers : settings.workers) {
    for (const ModelSharing sharing : {ModelSharing::kShared, ModelSharing::kPerWorker}) {
      AZ_ASSIGN_OR_RETURN(const Point point, MeasurePoint(settings, sharing, workers));
      Print(settings, point);
    }
  }
  return {};
}

}  // namespace az
