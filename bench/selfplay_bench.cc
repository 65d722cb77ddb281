#include <sys/resource.h>

#include <chrono>
#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "base/clock.h"
#include "base/stats.h"
#include "bench/bare_loop.h"
#include "bench/bench_fleet.h"
#include "bench/bench_tools.h"
#include "bench/commands.h"
#include "engine/config/machine.h"
#include "engine/net/checkpoint.h"
#include "engine/net/cpu_runner.h"

namespace az {
namespace {

constexpr std::uint32_t kGames = 1'000'000;  // more than any machine plays in that time
constexpr auto kFirstSettle = std::chrono::seconds(3);
constexpr auto kSettle = std::chrono::milliseconds(300);

struct Settings : FleetSettings {
  int seconds = 20;
  int windows = 5;
};

// The CPU seconds used so far.
struct CpuSplit {
  double device_s = 0;
  double workers_s = 0;
  double supervisor_s = 0;
};

double OwnCpuSeconds() {
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

// The totals at the beginning or end of a window.
struct Sample {
  TimePoint at{};
  FleetTotals totals;
  CpuSplit cpu;
};

// One window of self-play, and the bare loop right after it.
struct Window {
  double seconds = 0;
  double evaluations_per_s = 0;
  double batches_per_s = 0;
  double busy_runners = 0;
  CpuSplit cores;  // CPU seconds per second
  double bare_rows_per_s = 0;
};

// Measures the windows while the fleet plays; every tick asks it whether it has enough. Confined to
// the supervisor's thread.
class WindowMeter {
 public:
  struct Parts {
    const Settings& settings;
    const Plan& plan;
    InferenceDevice& device;
    BareLoopOptions bare;
  };
  explicit WindowMeter(const Parts& parts)
      : p_(parts), length_(std::chrono::seconds(parts.settings.seconds) / parts.settings.windows) {}

  void Start(const ProcessFleet& fleet) {
    fleet_ = &fleet;
    settled_at_ = std::chrono::steady_clock::now() + kFirstSettle;
  }

  // Returns true when all windows are measured or the bare loop failed (error()).
  bool Tick() {
    const TimePoint now = std::chrono::steady_clock::now();
    if (!begin_) {
      if (now < settled_at_) return false;
      begin_ = Take();
      if (windows_.empty()) first_ = begin_->totals;
      return false;
    }
    if (now - begin_->at < length_) return false;
    windows_.push_back(Difference(*begin_, Take()));
    begin_.reset();
    MeasureBare();
    settled_at_ = std::chrono::steady_clock::now() + kSettle;
    return error_.has_value() || static_cast<int>(windows_.size()) == p_.settings.windows;
  }

  const std::vector<Window>& windows() const { return windows_; }
  const std::optional<Error>& error() const { return error_; }
  const FleetTotals& first() const { return first_; }  // totals when the first window began

 private:
  Sample Take() const {
    Sample sample{.at = std::chrono::steady_clock::now(), .totals = fleet_->Totals(), .cpu = {}};
    if (const auto pid = fleet_->pid(kDeviceLane)) sample.cpu.device_s = CpuSeconds(*pid);
    for (const pid_t pid : WorkerPids()) sample.cpu.workers_s += CpuSeconds(pid);
    sample.cpu.supervisor_s = OwnCpuSeconds();
    return sample;
  }

  std::vector<pid_t> WorkerPids() const {
    std::vector<pid_t> pids;
    for (int lane = 0; lane < p_.plan.num_workers; ++lane) {
      if (const std::optional<pid_t> pid = fleet_->pid(lane)) pids.push_back(*pid);
    }
    return pids;
  }

  static Window Difference(const Sample& a, const Sample& b) {
    const double seconds = Seconds(b.at - a.at);
    return {.seconds = seconds,
            .evaluations_per_s =
                static_cast<double>(b.totals.device_rows - a.totals.device_rows) / seconds,
            .batches_per_s = static_cast<double>(b.totals.batches - a.totals.batches) / seconds,
            .busy_runners = (b.totals.runner_busy_s - a.totals.runner_busy_s) / seconds,
            .cores = {.device_s = (b.cpu.device_s - a.cpu.device_s) / seconds,
                      .workers_s = (b.cpu.workers_s - a.cpu.workers_s) / seconds,
                      .supervisor_s = (b.cpu.supervisor_s - a.cpu.supervisor_s) / seconds}};
  }

  void MeasureBare() {
    const PausedProcesses paused(WorkerPids());
    std::this_thread::sleep_for(kSettle);  // lets the server finish what is in flight
    const Result<double> bare =
        MeasureBareLoop(p_.device, p_.bare, std::min(length_, kLongestBare));
    if (bare) {
      windows_.back().bare_rows_per_s = *bare;
    } else {
      error_ = bare.error();
    }
  }

  static constexpr Duration kLongestBare = std::chrono::seconds(2);
  const Parts p_;
  const Duration length_;
  const ProcessFleet* fleet_ = nullptr;  // set by Start, outlives the meter's use
  TimePoint settled_at_{};
  std::optional<Sample> begin_;
  std::vector<Window> windows_;
  std::optional<Error> error_;
  FleetTotals first_;
};

struct Figures {
  std::string config;
  std::string device;
  Plan plan;
  Window median;
  double simulations_per_evaluation = 0;
  double moves_per_evaluation = 0;
  double cache_hit_fraction = 0;
  double mean_plies = 0;  // the mean over finished games; 0: none finished
  Bytes memory;
  double ratio = 0;
};

Result<Settings> ReadSettings(BenchArgs& args) {
  AZ_ASSIGN_OR_RETURN(FleetSettings common, TakeFleetSettings(args));
  Settings settings{std::move(common)};
  AZ_ASSIGN_OR_RETURN(settings.seconds, args.TakeCount("--seconds", settings.seconds));
  AZ_ASSIGN_OR_RETURN(settings.windows, args.TakeCount("--windows", settings.windows));
  AZ_RETURN_IF_ERROR(args.Finish());
  return settings;
}

Window MedianWindow(const std::vector<Window>& windows) {
  const auto median = [&](auto figure) {
    std::vector<double> values;
    for (const Window& window : windows) values.push_back(figure(window));
    return Median(values);
  };
  return {.seconds = median([](const Window& w) { return w.seconds; }),
          .evaluations_per_s = median([](const Window& w) { return w.evaluations_per_s; }),
          .batches_per_s = median([](const Window& w) { return w.batches_per_s; }),
          .busy_runners = median([](const Window& w) { return w.busy_runners; }),
          .cores = {.device_s = median([](const Window& w) { return w.cores.device_s; }),
                    .workers_s = median([](const Window& w) { return w.cores.workers_s; }),
                    .supervisor_s = median([](const Window& w) { return w.cores.supervisor_s; })},
          .bare_rows_per_s = median([](const Window& w) { return w.bare_rows_per_s; })};
}

// The figures of all windows. REQUIRES: all are measured, and the workers are drained, so that
// their totals are exact.
Figures Summarize(const WindowMeter& meter, const ProcessFleet& fleet,
                  const std::vector<double>& plies, Figures figures) {
  const FleetTotals last = fleet.Totals();
  const FleetTotals& first = meter.first();
  const auto share = [](std::uint64_t part, std::uint64_t whole) {
    return whole == 0 ? 0.0 : static_cast<double>(part) / static_cast<double>(whole);
  };
  figures.device = fleet.DeviceText();
  figures.median = MedianWindow(meter.windows());
  figures.memory = last.memory;
  const std::uint64_t rows = last.rows - first.rows;
  figures.simulations_per_evaluation = share(last.simulations - first.simulations, rows);
  figures.moves_per_evaluation = share(last.moves - first.moves, rows);
  figures.cache_hit_fraction =
      share(last.cache_hits - first.cache_hits, last.cache_lookups - first.cache_lookups);
  for (const double count : plies) figures.mean_plies += count / static_cast<double>(plies.size());
  std::vector<double> ratios;
  for (const Window& window : meter.windows()) {
    ratios.push_back(window.evaluations_per_s / window.bare_rows_per_s);
  }
  figures.ratio = Median(ratios);
  return figures;
}

Result<Figures> Play(const Settings& settings, BenchFleet& bench) {
  const RunConfig& config = bench.config();
  const PlannedRun& planned = bench.planned();
  const Plan& plan = planned.plan;
  const GameInfo& game = planned.game->info();
  UseOneTorchThread();
  AZ_ASSIGN_OR_RETURN(const std::unique_ptr<InferenceDevice> device,
                      InferenceDevice::Open(DeviceName(plan.device, config.engine),
                                            {.shape = planned.input.net,
                                             .game = game.entry,
                                             .precision = plan.inference_precision,
                                             .cuda_graphs = plan.cuda_graphs}));
  AZ_RETURN_IF_ERROR(bench.Start());
  AZ_RETURN_IF_ERROR(device->Load(kBestModel, bench.network(), 1));
  ProcessFleet& fleet = bench.fleet();
  WindowMeter meter({.settings = settings,
                     .plan = plan,
                     .device = *device,
                     .bare = {.runners = plan.runners,
                              .batch = plan.buckets.back(),
                              .block_rows = plan.rows,
                              .planes = game.shape,
                              .actions = game.num_actions}});
  std::vector<double> plies;
  GamePhaseSpec spec;
  spec.games = kGames;
  spec.workers = plan.num_workers;
  spec.players = {PlayerMessage{}};
  spec.on_finished = [&](const FinishedGame& finished) {
    plies.push_back(static_cast<double>(finished.plies));
    return true;
  };
  spec.enough = [&] { return meter.Tick(); };
  meter.Start(fleet);
  AZ_RETURN_IF_ERROR(fleet.Play(spec));
  if (meter.error()) return *meter.error();
  return Summarize(meter, fleet, plies, {.config = settings.config, .plan = plan});
}

nlohmann::ordered_json ToJson(const Figures& f) {
  const Window& m = f.median;
  const double evaluations = m.evaluations_per_s;
  const double moves = evaluations * f.moves_per_evaluation;
  return {{"bench", "selfplay"},
          {"config", f.config},
          {"device", f.device},
          {"workers", f.plan.num_workers},
          {"slots", f.plan.slots},
          {"blocks", f.plan.blocks},
          {"rows", f.plan.rows},
          {"runners", f.plan.runners},
          {"bare_batch", f.plan.buckets.back()},
          {"window_s", m.seconds},
          {"evaluations_per_s", evaluations},
          {"bare_rows_per_s", m.bare_rows_per_s},
          {"ratio", f.ratio},
          {"simulations_per_s", evaluations * f.simulations_per_evaluation},
          {"moves_per_s", moves},
          {"games_per_s", f.mean_plies > 0 ? moves / f.mean_plies : 0.0},
          {"mean_plies", f.mean_plies},
          {"mean_batch_rows", m.batches_per_s > 0 ? evaluations / m.batches_per_s : 0.0},
          {"server_busy_fraction", m.busy_runners / f.plan.runners},
          {"cache_hit_fraction", f.cache_hit_fraction},
          {"device_cores", m.cores.device_s},
          {"worker_cores", m.cores.workers_s},
          {"supervisor_cores", m.cores.supervisor_s},
          {"memory_bytes", f.memory.count()}};
}

void Print(const Figures& f) {
  const nlohmann::ordered_json figures = ToJson(f);
  const auto number = [&](const char* key) { return figures.at(key).get<double>(); };
  std::printf("%s on %s: %d workers x %d games, %d blocks x %d rows, %d runners\n",
              f.config.c_str(), f.device.c_str(), f.plan.num_workers, f.plan.slots, f.plan.blocks,
              f.plan.rows, f.plan.runners);
  std::printf("  evaluations/s %9.0f   bare loop, batch %d: %9.0f rows/s   ratio %.3f\n",
              number("evaluations_per_s"), f.plan.buckets.back(), number("bare_rows_per_s"),
              f.ratio);
  std::printf("  simulations/s %9.0f   moves/s %.0f   games/s %.1f (%.1f plies)\n",
              number("simulations_per_s"), number("moves_per_s"), number("games_per_s"),
              f.mean_plies);
  std::printf("  mean batch %.1f rows   server busy %.3f   cache hits %.3f   memory %s\n",
              number("mean_batch_rows"), number("server_busy_fraction"), f.cache_hit_fraction,
              FormatBytes(f.memory).c_str());
  std::printf("  cores: device %.2f, workers %.2f, supervisor %.3f\n", number("device_cores"),
              number("worker_cores"), number("supervisor_cores"));
}

}  // namespace

Result<void> RunSelfplayBench(BenchArgs& args) {
  AZ_ASSIGN_OR_RETURN(const Settings settings, ReadSettings(args));
  AZ_ASSIGN_OR_RETURN(const std::unique_ptr<BenchFleet> bench,
                      BenchFleet::Plan(settings.config, settings.sets));
  AZ_ASSIGN_OR_RETURN(const Figures figures, Play(settings, *bench));
  if (settings.json) {
    std::printf("%s\n", ToJson(figures).dump().c_str());
  } else {
    Print(figures);
  }
  return {};
}

}  // namespace az
