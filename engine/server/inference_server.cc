#include "engine/server/inference_server.h"

#include <utility>

#include "base/check.h"
#include "base/strings.h"
#include "engine/server/device_pipeline.h"
#include "engine/server/runner_pool.h"
#include "engine/server/server_context.h"

namespace az {
namespace {

ServerStats Totals(const Segment& segment) {
  ServerStats stats;
  stats.batches = segment.counter(ServerCounter::kBatches);
  stats.rows = segment.counter(ServerCounter::kRows);
  stats.pad_rows = segment.counter(ServerCounter::kPadRows);
  stats.requeued_blocks = segment.counter(ServerCounter::kRequeued);
  for (int i = 0; i < kNumBlockStatuses; ++i) {
    stats.failed_blocks += segment.counter(ServerCounter::kFailed, i);
  }
  stats.runner_busy_s = 1e-9 * static_cast<double>(segment.counter(ServerCounter::kBusyNs));
  stats.runner_idle_s = 1e-9 * static_cast<double>(segment.counter(ServerCounter::kIdleNs));
  return stats;
}

}  // namespace

struct InferenceServer::Parts {
  Parts(Segment& segment, std::uint32_t epoch, ServerOptions options, Log& log)
      : at_start(Totals(segment)), context(segment, epoch, std::move(options), log) {}

  const ServerStats at_start;
  ServerContext context;
  std::unique_ptr<ServerEngine> engine;  // its threads use the context
};

Result<void> CheckOptions(const ServerOptions& options) {
  if (options.buckets.empty()) return Error{Errc::kInvalid, "server options: buckets is empty"};
  int last = 0;
  for (const int bucket : options.buckets) {
    if (bucket <= last) {
      return Error{Errc::kInvalid, StrCat("server options: bucket ", bucket, " after ", last,
                                          " (buckets are positive and rising)")};
    }
    last = bucket;
  }
  if (options.min_rows < 1 || options.max_attempts < 0 || options.sweep <= Duration::zero()) {
    return Error{Errc::kInvalid, StrCat("server options: min_rows = ", options.min_rows,
                                        ", max_attempts = ", options.max_attempts, ", sweep_ns = ",
                                        options.sweep.count(), ": one is too small")};
  }
  return {};
}

InferenceServer::InferenceServer(std::unique_ptr<Parts> parts) : parts_(std::move(parts)) {}

InferenceServer::~InferenceServer() { Stop(); }

Result<std::unique_ptr<InferenceServer>> InferenceServer::Start(
    Segment& segment, std::uint32_t device_epoch, std::vector<std::unique_ptr<BatchRunner>> runners,
    ServerOptions options, Log& log) {
  AZ_RETURN_IF_ERROR(CheckOptions(options));
  if (runners.empty()) return Error{Errc::kInvalid, "start the inference server: no runner"};
  segment.Register(segment.device(), device_epoch, ProcessState::kRunning);
  auto parts = std::make_unique<Parts>(segment, device_epoch, std::move(options), log);
  ServerContext& context = parts->context;
  if (context.options.gpu_pipeline) {
    parts->engine = std::make_unique<DevicePipeline>(context, std::move(runners));
  } else {
    parts->engine = std::make_unique<RunnerPool>(context, std::move(runners));
  }
  AZ_RETURN_IF_ERROR(parts->engine->Begin());
  return std::make_unique<InferenceServer>(std::move(parts));
}

void InferenceServer::SetModel(ModelId model, ModelState state, WeightsVersion version) {
  parts_->context.models.Set(model, state, version);
  parts_->context.Poke();
}

void InferenceServer::Idle(bool idle) {
  parts_->context.idle.store(idle, std::memory_order_relaxed);
  parts_->context.Poke();
}

ServerStats InferenceServer::stats() const {
  const ServerStats& start = parts_->at_start;
  ServerStats now = Totals(parts_->context.segment);
  now.batches -= start.batches;
  now.rows -= start.rows;
  now.pad_rows -= start.pad_rows;
  now.requeued_blocks -= start.requeued_blocks;
  now.failed_blocks -= start.failed_blocks;
  now.runner_busy_s -= start.runner_busy_s;
  now.runner_idle_s -= start.runner_idle_s;
  now.in_flight = parts_->context.in_flight.load(std::memory_order_relaxed);
  return now;
}

bool InferenceServer::Healthy() const { return !parts_->engine->Overdue().has_value(); }

void InferenceServer::Stop() { parts_->engine->Stop(); }

}  // namespace az
