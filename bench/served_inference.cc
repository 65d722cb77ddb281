#include "bench/served_inference.h"

#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <memory>
#include <thread>
#include <utility>
#include <vector>

#include "base/log.h"
#include "base/stats.h"
#include "base/strings.h"
#include "base/temp_folder.h"
#include "bench/bare_loop.h"
#include "bench/bench_tools.h"
#include "engine/data/random_rows.h"
#include "engine/ipc/segment.h"
#include "engine/ipc/serving_counts.h"
#include "engine/ipc/shm_evaluator.h"
#include "engine/net/checkpoint.h"
#include "engine/net/cpu_runner.h"
#include "engine/net/network.h"
#include "engine/server/inference_server.h"

namespace az {
namespace {

constexpr auto kSettle = std::chrono::milliseconds(200);

// Keeps every block of the lane in flight until the process is killed; sleeps in between. Returns
// the process's exit code after an error.
int Submit(Segment& segment, std::uint32_t lane, const PlaneShape& planes) {
  // Blocks for a slot without weights fail.
  while (segment.counter(ServerCounter::kPublished) == 0) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  ShmEvaluator evaluator(segment, lane, 1);
  std::vector<EvalBatch> batches(segment.shape().blocks);
  std::vector<EvalBatch*> waiting;
  for (EvalBatch& batch : batches) waiting.push_back(&batch);
  const int rows = evaluator.max_rows();
  Rng rng(lane);
  const auto refill = [&](EvalBatch& batch) -> Result<void> {
    batch.Reset();
    AZ_ASSIGN_OR_RETURN(batch, evaluator.Reserve(kBestModel, rows, Deadline::Never()));
    for (int r = 0; r < rows; ++r) FillRandomPlanes(planes, rng, batch.row(r).planes);
    return evaluator.Submit(batch);
  };
  for (EvalBatch& batch : batches) {
    if (!refill(batch)) return 1;
  }
  while (true) {
    const Result<int> answered = evaluator.WaitAny(waiting, Deadline::Never());
    if (!answered) {
      if (answered.error().code == Errc::kTimeout) continue;
      return 1;
    }
    EvalBatch& batch = *waiting[static_cast<std::size_t>(*answered)];
    if (!evaluator.Wait(batch, Deadline::In(Duration::zero())) || !refill(batch)) return 1;
  }
}

// Forked children, which are killed and reaped at the end. Confined to one thread.
class Submitters {
 public:
  Submitters(Segment& segment, int count, const PlaneShape& planes) {
    for (int lane = 0; lane < count; ++lane) {
      const pid_t child = ::fork();
      if (child == 0) {
        ::prctl(PR_SET_PDEATHSIG, SIGKILL);
        ::_exit(Submit(segment, static_cast<std::uint32_t>(lane), planes));
      }
      if (child > 0) pids_.push_back(child);
    }
  }
  ~Submitters() {
    for (const pid_t pid : pids_) ::kill(pid, SIGKILL);
    for (const pid_t pid : pids_) ::waitpid(pid, nullptr, 0);
  }
  Submitters(const Submitters&) = delete;
  Submitters& operator=(const Submitters&) = delete;
  const std::vector<pid_t>& pids() const { return pids_; }
  // Whether none has ended.
  bool all_run() const {
    for (const pid_t pid : pids_) {
      siginfo_t info{};
      ::waitid(P_PID, static_cast<id_t>(pid), &info, WEXITED | WNOHANG | WNOWAIT);
      if (info.si_pid != 0) return false;
    }
    return true;
  }

 private:
  std::vector<pid_t> pids_;
};

Result<std::unique_ptr<InferenceDevice>> OpenDevice(const ServedSettings& settings) {
  UseOneTorchThread();
  const std::string& entry = settings.game.entry;
  AZ_ASSIGN_OR_RETURN(std::unique_ptr<InferenceDevice> device,
                      InferenceDevice::Open(
                          settings.device,
                          {.shape = settings.net, .game = entry, .precision = settings.precision}));
  Network network(settings.net);
  network->eval();
  AZ_ASSIGN_OR_RETURN(const TempFolder folder, TempFolder::Make("az_bench"));
  const std::filesystem::path file = folder.path() / kWeightsFile;
  AZ_RETURN_IF_ERROR(SaveWeights(
      file, WeightsOf(*network,
                      {.shape = settings.net, .game = entry, .game_hash = settings.game.Hash()})));
  AZ_RETURN_IF_ERROR(device->Load(kBestModel, file, 1));
  return device;
}

Result<std::unique_ptr<InferenceServer>> StartServer(const ServedSettings& settings,
                                                     InferenceDevice& device, Segment& segment,
                                                     Log& log) {
  std::vector<std::unique_ptr<BatchRunner>> runners(static_cast<std::size_t>(settings.runners));
  for (auto& runner : runners) {
    AZ_ASSIGN_OR_RETURN(runner, device.MakeRunner(settings.batch));
  }
  ServerOptions options;
  options.buckets.clear();
  for (int bucket = 8; bucket < settings.batch; bucket *= 2) options.buckets.push_back(bucket);
  options.buckets.push_back(settings.batch);
  options.gpu_pipeline = device.is_asynchronous();
  AZ_ASSIGN_OR_RETURN(
      std::unique_ptr<InferenceServer> server,
      InferenceServer::Start(segment, 1, std::move(runners), std::move(options), log));
  server->SetModel(kBestModel, ModelState::kReady, 1);
  return server;
}

struct Window {
  double rows_per_s = 0;
  double batch_rows = 0;
  double busy_fraction = 0;
};

Window ServedWindow(const Segment& segment, const ServedSettings& settings) {
  const ServingCounts before = ReadServingCounts(segment);
  const TimePoint start = std::chrono::steady_clock::now();
  std::this_thread::sleep_for(settings.window);
  const ServingCounts after = ReadServingCounts(segment);
  const double seconds = Seconds(std::chrono::steady_clock::now() - start);
  const auto rows = static_cast<double>(after.device_rows - before.device_rows);
  const auto batches = static_cast<double>(after.batches - before.batches);
  return {
      .rows_per_s = rows / seconds,
      .batch_rows = batches > 0 ? rows / batches : 0.0,
      .busy_fraction = (after.runner_busy_s - before.runner_busy_s) / seconds / settings.runners};
}

}  // namespace

Result<ServedFigures> MeasureServed(const ServedSettings& settings) {
  const PlaneShape& planes = settings.game.shape;
  const SegmentShape shape{.lanes = static_cast<std::uint32_t>(settings.workers),
                           .blocks = static_cast<std::uint32_t>(settings.blocks),
                           .rows = static_cast<std::uint32_t>(settings.rows),
                           .in_words = static_cast<std::uint32_t>(planes.words()),
                           .num_actions = static_cast<std::uint32_t>(settings.game.num_actions),
                           .models = 1};
  AZ_ASSIGN_OR_RETURN(const std::unique_ptr<Segment> segment, Segment::Create({.shape = shape}));
  const Submitters submitters(*segment, settings.workers, planes);
  if (static_cast<int>(submitters.pids().size()) != settings.workers) {
    return Error{Errc::kUnavailable, "fork the submitting processes: the system refused"};
  }
  AZ_ASSIGN_OR_RETURN(const std::unique_ptr<InferenceDevice> device, OpenDevice(settings));
  Log log(STDERR_FILENO, "bench_server", LogLevel::kWarn);
  AZ_ASSIGN_OR_RETURN(const std::unique_ptr<InferenceServer> server,
                      StartServer(settings, *device, *segment, log));
  const BareLoopOptions bare{.runners = settings.runners,
                             .batch = settings.batch,
                             .block_rows = settings.rows,
                             .planes = planes,
                             .actions = settings.game.num_actions};
  std::vector<double> served_rates, bare_rates, ratios, batches, busy;
  for (int i = 0; i < settings.windows; ++i) {
    std::this_thread::sleep_for(kSettle);
    const Window window = ServedWindow(*segment, settings);
    const PausedProcesses paused(submitters.pids());
    std::this_thread::sleep_for(kSettle);  // lets the server finish what is in flight
    AZ_ASSIGN_OR_RETURN(const double bare_rate, MeasureBareLoop(*device, bare, settings.window));
    served_rates.push_back(window.rows_per_s);
    bare_rates.push_back(bare_rate);
    ratios.push_back(window.rows_per_s / bare_rate);
    batches.push_back(window.batch_rows);
    busy.push_back(window.busy_fraction);
  }
  if (!submitters.all_run()) {
    return Error{Errc::kPeerGone, "a submitting process ended before its time"};
  }
  return ServedFigures{.device = device->Describe(),
                       .served_rows_per_s = Median(served_rates),
                       .bare_rows_per_s = Median(bare_rates),
                       .ratio = Median(ratios),
                       .mean_batch_rows = Median(batches),
                       .busy_fraction = Median(busy)};
}

}  // namespace az
