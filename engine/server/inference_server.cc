#include "engine/server/inference_server.h"

#include <utility>

#include "base/check.h"
#include "base/strings.h"
#include "engine/server/device_pipeline.h"
#include "engine/server/runner_pool.h"
#include "engine/server/server_context.h"

namespace az {

struct InferenceServer::Parts {
  Parts(Segment& segment, std::uint32_t epoch, ServerOptions options, Log& log)
      : context(segment, epoch, std::move(options), log) {}

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

bool InferenceServer::Healthy() const { return !parts_->engine->Overdue().has_value(); }

void InferenceServer::Stop() { parts_->engine->Stop(); }

}  // namespace az
