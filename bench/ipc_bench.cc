#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstring>
#include <memory>
#include <string_view>
#include <thread>
#include <vector>

#include "base/clock.h"
#include "base/log.h"
#include "base/stats.h"
#include "base/strings.h"
#include "bench/commands.h"
#include "engine/ipc/segment.h"
#include "engine/ipc/shm_evaluator.h"
#include "engine/server/inference_server.h"

namespace az {
namespace {

struct Setting {
  std::string_view name;
  std::uint32_t workers;
  std::uint32_t blocks;
  std::uint32_t rows;
  std::uint32_t words;
  std::uint32_t actions;
  double target_rows_per_s;  // 0: no target
};

constexpr std::array kSettings = {
    Setting{"hex5_2x4", 2, 4, 32, 17, 26, 8e6},
    Setting{"hex5_1x4", 1, 4, 32, 17, 26, 0},
    Setting{"hex5_4x4", 4, 4, 32, 17, 26, 0},
    Setting{"hex5_2x4_rows8", 2, 4, 8, 17, 26, 0},
    Setting{"1KB_512B_2x4", 2, 4, 32, 128, 127, 3e6},
    Setting{"1KB_512B_4x4", 4, 4, 32, 128, 127, 3e6},
    Setting{"19x19_2x4", 2, 4, 32, 102, 362, 0},
};

// Copies rows in and constant outputs out, as a forward on a device would.
class CopyRunner final : public BatchRunner {
 public:
  CopyRunner(const SegmentShape& shape, int rows)
      : words_(shape.in_words),
        actions_(shape.num_actions),
        planes_(static_cast<std::size_t>(rows) * words_),
        logits_(static_cast<std::size_t>(rows) * actions_, 0.5f),
        values_(static_cast<std::size_t>(rows), 0.25f) {}

  Result<WeightsVersion> Launch(ModelId, int, std::span<const BlockView> blocks) override {
    std::size_t at = 0;
    for (const BlockView& block : blocks) {
      const auto rows = static_cast<std::size_t>(block.rows);
      std::memcpy(planes_.data() + at * words_, block.planes,
                  rows * words_ * sizeof(std::uint64_t));
      at += rows;
    }
    at = 0;
    for (const BlockView& block : blocks) {
      const auto rows = static_cast<std::size_t>(block.rows);
      std::memcpy(block.logits, logits_.data() + at * actions_, rows * actions_ * sizeof(float));
      std::memcpy(block.values, values_.data() + at, rows * sizeof(float));
      at += rows;
    }
    return WeightsVersion{1};
  }
  Result<void> Finish() override { return {}; }

 private:
  std::size_t words_;
  std::size_t actions_;
  std::vector<std::uint64_t> planes_;
  std::vector<float> logits_;
  std::vector<float> values_;
};

int ServerMain(Segment& segment) {
  Log log(STDERR_FILENO, "bench_server", LogLevel::kWarn);
  constexpr int kLargest = 512;
  std::vector<std::unique_ptr<BatchRunner>> runners;
  runners.push_back(std::make_unique<CopyRunner>(segment.shape(), kLargest));
  auto server =
      InferenceServer::Start(segment, 1, std::move(runners), {.buckets = {32, 128, kLargest}}, log);
  if (!server.has_value()) return 1;
  (*server)->SetModel(kBestModel, ModelState::kReady, 1);
  while (segment.stop() == StopWord::kRun)
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  return 0;
}

// A worker that writes every word of a row, reads every output, keeps all blocks in flight, and
// sleeps when there is nothing to do.
int WorkerMain(Segment& segment, std::uint32_t lane) {
  ShmEvaluator evaluator(segment, lane, 1);
  std::vector<EvalBatch> batches(segment.shape().blocks);
  std::vector<EvalBatch*> waiting;
  for (EvalBatch& batch : batches) waiting.push_back(&batch);
  const int rows = evaluator.max_rows();
  std::uint64_t word = lane + 1;
  float sum = 0;
  const auto refill = [&](EvalBatch& batch) -> Result<void> {
    batch.Reset();
    AZ_ASSIGN_OR_RETURN(batch, evaluator.Reserve(kBestModel, rows, Deadline::Never()));
    for (int r = 0; r < rows; ++r) {
      for (std::uint64_t& plane : batch.row(r).planes) plane = word += 0x9E3779B97F4A7C15u;
    }
    return evaluator.Submit(batch);
  };
  for (EvalBatch& batch : batches) {
    if (!refill(batch)) return 1;
  }
  while (segment.stop() == StopWord::kRun) {
    const auto answered = evaluator.WaitAny(waiting, Deadline::Never());
    if (!answered.has_value()) {
      if (answered.error().code == Errc::kTimeout) continue;  // a notice
      return 1;
    }
    EvalBatch& batch = *waiting[static_cast<std::size_t>(*answered)];
    if (!evaluator.Wait(batch, Deadline::In(Duration::zero())).has_value()) return 1;
    for (int r = 0; r < rows; ++r) {
      const EvalRow row = batch.row(r);
      for (const float logit : row.logits) sum += logit;
      sum += *row.value;
    }
    if (!refill(batch)) return 1;
  }
  return sum > 0 ? 0 : 1;
}

template <class Main>
pid_t Fork(Main main) {
  const pid_t child = ::fork();
  if (child != 0) return child;
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  ::_exit(main());
}

std::uint64_t RowsOf(const Segment& segment) {
  std::uint64_t rows = 0;
  for (std::uint32_t lane = 0; lane < segment.shape().lanes; ++lane) {
    rows += segment.counter(lane, LaneCounter::kRows);
  }
  return rows;
}

struct Measurement {
  double rows_per_s = 0;
  double rows_per_batch = 0;
  double wakes_per_batch = 0;
};

Measurement MeasureWindow(const Segment& segment, Duration window) {
  const auto batches = [&] { return segment.counter(ServerCounter::kBatches); };
  const auto wakes = [&] { return segment.counter(ServerCounter::kWakes); };
  const std::uint64_t rows_before = RowsOf(segment);
  const std::uint64_t batches_before = batches();
  const std::uint64_t wakes_before = wakes();
  const TimePoint start = std::chrono::steady_clock::now();
  std::this_thread::sleep_for(window);
  const double seconds = Seconds(std::chrono::steady_clock::now() - start);
  const auto rows = static_cast<double>(RowsOf(segment) - rows_before);
  const double count = std::max(1.0, static_cast<double>(batches() - batches_before));
  return {rows / seconds, rows / count, static_cast<double>(wakes() - wakes_before) / count};
}

Result<Measurement> Measure(const Setting& setting, Duration window, int windows) {
  AZ_ASSIGN_OR_RETURN(const auto segment, Segment::Create({.shape = {.lanes = setting.workers,
                                                                     .blocks = setting.blocks,
                                                                     .rows = setting.rows,
                                                                     .in_words = setting.words,
                                                                     .num_actions = setting.actions,
                                                                     .models = 1}}));
  std::vector<pid_t> children = {Fork([&] { return ServerMain(*segment); })};
  // Blocks for a slot without weights fail, so workers start when it has them.
  while (segment->counter(ServerCounter::kPublished) == 0) std::this_thread::yield();
  for (std::uint32_t lane = 0; lane < setting.workers; ++lane) {
    children.push_back(Fork([&, lane] { return WorkerMain(*segment, lane); }));
  }
  std::this_thread::sleep_for(window);  // warms up
  std::vector<double> rates;
  Measurement last;
  for (int i = 0; i < windows; ++i) {
    last = MeasureWindow(*segment, window);
    rates.push_back(last.rows_per_s);
  }
  segment->SetStop(StopWord::kDrain);
  bool clean = true;
  for (const pid_t child : children) {
    int status = 0;
    clean &= ::waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0;
  }
  if (!clean) return Error{Errc::kPeerGone, StrCat("setting ", setting.name, ": a child failed")};
  last.rows_per_s = Median(rates);
  return last;
}

void Print(const Setting& setting, const Measurement& measured, bool json) {
  const int in_bytes = static_cast<int>(setting.words * 8);
  const int out_bytes = static_cast<int>(setting.actions * 4 + 4);
  if (json) {
    std::printf(
        "{\"bench\": \"ipc\", \"setting\": \"%.*s\", \"workers\": %u, \"blocks\": %u, \"rows\": "
        "%u, "
        "\"in_bytes\": %d, \"out_bytes\": %d, \"rows_per_s\": %.0f, \"rows_per_batch\": %.1f, "
        "\"wakes_per_batch\": %.3f, \"target_rows_per_s\": %.0f}\n",
        static_cast<int>(setting.name.size()), setting.name.data(), setting.workers, setting.blocks,
        setting.rows, in_bytes, out_bytes, measured.rows_per_s, measured.rows_per_batch,
        measured.wakes_per_batch, setting.target_rows_per_s);
    return;
  }
  std::printf(
      "%-16.*s %3u x %u x %2u rows  %5d B in %5d B out  %7.2f M rows/s  %6.1f rows/batch  %5.2f "
      "wakes/batch",
      static_cast<int>(setting.name.size()), setting.name.data(), setting.workers, setting.blocks,
      setting.rows, in_bytes, out_bytes, measured.rows_per_s * 1e-6, measured.rows_per_batch,
      measured.wakes_per_batch);
  if (setting.target_rows_per_s > 0) {
    std::printf("  target %.1f %s", setting.target_rows_per_s * 1e-6,
                measured.rows_per_s >= setting.target_rows_per_s ? "met" : "missed");
  }
  std::printf("\n");
}

}  // namespace

Result<void> RunIpcBench(BenchArgs& args) {
  const bool json = args.TakeFlag("--json");
  AZ_ASSIGN_OR_RETURN(const int milliseconds, args.TakeCount("--milliseconds", 300));
  AZ_ASSIGN_OR_RETURN(const int windows, args.TakeCount("--windows", 5));
  AZ_ASSIGN_OR_RETURN(const int floor, args.TakeCount("--floor", 1));
  AZ_RETURN_IF_ERROR(args.Finish());
  for (const Setting& setting : kSettings) {
    AZ_ASSIGN_OR_RETURN(const Measurement measured,
                        Measure(setting, std::chrono::milliseconds(milliseconds), windows));
    Print(setting, measured, json);
    std::fflush(stdout);
    if (measured.rows_per_s < floor) {
      return Error{Errc::kTimeout, StrCat("setting ", setting.name, " moved ", measured.rows_per_s,
                                          " rows/s, less than the floor of ", floor)};
    }
  }
  return {};
}

}  // namespace az
