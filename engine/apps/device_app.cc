#include "engine/apps/device_app.h"

#include <malloc.h>
#include <poll.h>
#include <sys/eventfd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <thread>
#include <utility>
#include <vector>

#include "base/strings.h"
#include "engine/apps/device_probe.h"
#include "engine/apps/lost_device.h"
#include "engine/apps/memory_layers.h"
#include "engine/apps/oom_reports.h"
#include "engine/apps/release_caches.h"
#include "engine/net/checkpoint.h"

namespace az {
namespace {

constexpr auto kTick = std::chrono::milliseconds(100);

Result<Precision> ParsePrecision(std::string_view name) {
  for (const auto& [precision, text] : EnumNames<Precision>::value) {
    if (text == name) return precision;
  }
  return Error{Errc::kInvalid, StrCat("device plan: '", name, "' is no precision")};
}

}  // namespace

ExitCode ExitCodeOfStart(const Error& error) {
  return error.code == Errc::kNoMemory ? ExitCode::kTryAgain : ExitCodeFor(error.code);
}

Result<std::unique_ptr<DeviceApp>> DeviceApp::Start(ChildContext& context, DeviceSetup& setup,
                                                    Log& log) {
  UniqueFd event(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  if (!event.valid()) return SystemError("create eventfd", errno);
  std::unique_ptr<DeviceApp> app(new DeviceApp(context, setup, log, std::move(event)));
  AZ_RETURN_IF_ERROR(app->OpenDevice());
  AZ_RETURN_IF_ERROR(app->StartServer());
  return app;
}

DeviceApp::DeviceApp(ChildContext& context, DeviceSetup& setup, Log& log, UniqueFd event)
    : context_(context), setup_(setup), log_(log), outbox_(std::move(event)) {}

DeviceApp::~DeviceApp() {
  training_.reset();
  if (server_) server_->Stop();
}

Result<void> DeviceApp::OpenDevice() {
  const RunConfig& config = setup_.config;
  const DevicePlanMessage& plan = setup_.plan;
  AZ_ASSIGN_OR_RETURN(const Precision inference, ParsePrecision(plan.inference_precision));
  AZ_ASSIGN_OR_RETURN(const Precision training, ParsePrecision(plan.train_precision));
  AZ_ASSIGN_OR_RETURN(
      device_, InferenceDevice::Open(
                   config.engine.device,
                   {.shape = setup_.shape,
                    .other_networks = plan.other_networks,
                    .game = setup_.game->info().entry,
                    .precision = inference,
                    .cuda_graphs = plan.cuda_graphs,
                    .expandable_segments = config.memory.expandable_segments,
                    .on_plain_segments =
                        [this](const Error& error) {
                          log_.Warn(StrCat("event=plain_segments reason=\"", error.message, "\""));
                        },
                    .on_failed_capture =
                        [this](const Error& error) {
                          log_.Warn(StrCat("event=no_graph reason=\"", error.message, "\""));
                        }}));
  if (plan.memory_cap_bytes > 0) {
    AZ_RETURN_IF_ERROR(device_->memory().SetCap(Bytes(plan.memory_cap_bytes)));
  }
  const bool is_gpu = device_->is_asynchronous();
  trainer_.emplace(
      *setup_.game, setup_.shape, setup_.journals,
      TrainerOptions{
          .learner = {.train = config.train,
                      .shards = is_gpu ? 1 : plan.learner_shards,
                      .micro_batch = plan.micro_batch,
                      .checkpoint_stages = plan.checkpoint_blocks,
                      .precision = training,
                      .device = config.engine.device,
                      .memory = &device_->memory(),
                      .on_out_of_memory = [this](const LearnerOom& oom) { OnOutOfMemory(oom); }},
          .iterations = config.loop.iterations,
          .seed = config.run.seed,
          // On a CPU the shards have the cores; beside a GPU they are idle.
          .assembly_threads =
              is_gpu ? static_cast<int>(std::thread::hardware_concurrency() / 2 + 1) : 1},
      log_, clock_);
  return {};
}

Result<void> DeviceApp::StartServer() {
  const DevicePlanMessage& plan = setup_.plan;
  std::vector<std::unique_ptr<BatchRunner>> runners;
  const int most_rows = plan.buckets.empty() ? 1 : plan.buckets.back();
  for (int i = 0; i < plan.runners; ++i) {
    AZ_ASSIGN_OR_RETURN(runners.emplace_back(), device_->MakeRunner(most_rows));
  }
  ServerOptions options;
  options.buckets = plan.buckets;
  options.gpu_pipeline = device_->is_asynchronous();
  options.release_memory = [this] { device_->memory().EmptyCache(); };
  options.restart_on_fault = true;
  options.on_out_of_memory = [this](const ServerOom& oom) {
    outbox_.Put(ReportOf(oom, device_->memory().LastRefusal()));
  };
  options.on_fault = [this](const Error& error) { OnFault(error); };
  AZ_ASSIGN_OR_RETURN(server_,
                      InferenceServer::Start(*setup_.segment, context_.arguments().epoch,
                                             std::move(runners), std::move(options), log_));
  Segment& segment = *setup_.segment;
  segment.Register(segment.device(), context_.arguments().epoch, ProcessState::kRunning);
  std::string text = device_->Describe();
  text += StrCat(", ", plan.runners, device_->is_asynchronous() ? " in flight" : " runners");
  log_.Info(StrCat("event=ready device=\"", text, "\""));
  return context_.channel().Send(ReadyMessage{.device = text});
}

void DeviceApp::OnFault(const Error& error) {
  if (error.code == Errc::kNotFinite) return;  // the workers count the games that ended of it
  Lose({error.code, StrCat("inference: ", error.message)});
}

void DeviceApp::Lose(Error error) {
  const MutexLock lock(fault_mutex_);
  if (!lost_device_) lost_device_ = std::move(error);
}

Result<void> DeviceApp::Refuse(const Error& error) {
  if (error.code == Errc::kUnavailable && IsLost(device_->memory())) {
    Lose(error);
    return {};
  }
  return context_.channel().Send(ErrorMessage{
      .code = std::string(ErrcName(error.code)), .message = error.message, .fatal = false});
}

void DeviceApp::OnOutOfMemory(const LearnerOom& oom) {
  if (oom.left.count() != 0) {
    log_.Warn(
        StrCat("event=memory_left_behind bytes=", oom.left.count(), " of=\"", oom.what, "\""));
  }
  outbox_.Put(ReportOf(oom));
}

std::optional<Error> DeviceApp::lost_device() const {
  const MutexLock lock(fault_mutex_);
  return lost_device_;
}

Result<void> DeviceApp::Run() {
  while (true) {
    if (std::optional<Error> lost = lost_device()) return *std::move(lost);
    if (context_.supervisor_gone()) return Error{Errc::kPeerGone, "the supervisor is gone"};
    if (context_.stop_asked()) return {};
    AZ_ASSIGN_OR_RETURN(const bool goes_on, Receive());
    if (!goes_on) return {};
    AZ_RETURN_IF_ERROR(SendOutbox());
    AZ_RETURN_IF_ERROR(Tick());
    AZ_RETURN_IF_ERROR(context_.channel().Flush());
    WaitForWork();
  }
}

Result<bool> DeviceApp::Receive() {
  while (true) {
    AZ_ASSIGN_OR_RETURN(const std::optional<ControlMessage> message, context_.channel().Receive());
    if (!message) return true;
    AZ_ASSIGN_OR_RETURN(const bool goes_on, Obey(*message));
    if (!goes_on) return false;
  }
}

Result<bool> DeviceApp::Obey(const ControlMessage& message) {
  if (std::holds_alternative<StopMessage>(message)) return false;
  Result<void> done;
  if (const auto* load = std::get_if<LoadMessage>(&message)) {
    done = Load(*load);
  } else if (const auto* unload = std::get_if<UnloadMessage>(&message)) {
    Unload(*unload);
  } else if (const auto* train = std::get_if<TrainMessage>(&message)) {
    training_.reset();  // one that still runs is asked for no more
    const TrainingJob::Parts parts{.thread = learner_thread_,
                                   .trainer = *trainer_,
                                   .memory = device_->memory(),
                                   .outbox = outbox_};
    training_.emplace(parts, *train);
    server_->Idle(true);
  } else if (const auto* release = std::get_if<ReleaseMessage>(&message)) {
    done = Release(*release);
  } else if (const auto* probe = std::get_if<ProbeMessage>(&message)) {
    done = Probe(*probe);
  } else {
    done = Error{Errc::kInvalid, StrCat("a device process has no use for: ", ToLine(message))};
  }
  if (!done) return std::move(done).error();
  return true;
}

Result<void> DeviceApp::Load(const LoadMessage& message) {
  const ModelId slot(static_cast<std::uint16_t>(message.slot));
  std::error_code code;  // whatever cannot be looked at fails when it is loaded
  std::filesystem::path file = message.path;
  if (!std::filesystem::is_regular_file(file, code)) file /= kWeightsFile;
  Result<void> loaded = device_->Load(slot, file, message.version);
  if (!loaded && loaded.error().code == Errc::kNoMemory) {  // once more, with the caches given back
    AZ_RETURN_IF_ERROR(context_.channel().Send(
        ReportOfPhase("load", loaded.error(), device_->memory().LastRefusal())));
    device_->memory().EmptyCache();
    malloc_trim(0);
    loaded = device_->Load(slot, file, message.version);
  }
  if (!loaded) return Refuse(loaded.error());
  server_->SetModel(slot, ModelState::kReady, message.version);
  log_.Info(StrCat("event=published slot=", message.slot, " version=", message.version,
                   " path=", message.path));
  return context_.channel().Send(
      PublishedMessage{.slot = message.slot, .version = message.version});
}

void DeviceApp::Unload(const UnloadMessage& message) {
  const ModelId slot(static_cast<std::uint16_t>(message.slot));
  server_->SetModel(slot, ModelState::kEmpty, 0);
  device_->Unload(slot);
}

Result<void> DeviceApp::Release(const ReleaseMessage& message) {
  const auto answers = AnswerRelease(message, device_->memory(), outbox_);
  if (!answers) {
    Lose(answers.error());
    return {};
  }
  for (const ControlMessage& answer : *answers) {
    AZ_RETURN_IF_ERROR(context_.channel().Send(answer));
  }
  return {};
}

// Runs here, on the main thread: nothing else may use the device meanwhile.
Result<void> DeviceApp::Probe(const ProbeMessage& message) {
  const ProbeBench bench{.planes = setup_.game->info().shape,
                         .net = setup_.shape,
                         .learner = trainer_->learner_options(),
                         .inference = *device_,
                         .runners = setup_.plan.runners,
                         .memory = &device_->memory()};
  Result<ProbedMessage> probed = RunProbe(bench, message);
  if (!probed) return Refuse(probed.error());
  return context_.channel().Send(*std::move(probed));
}

Result<void> DeviceApp::SendOutbox() {
  for (const ControlMessage& message : outbox_.Take()) {
    AZ_RETURN_IF_ERROR(context_.channel().Send(message));
  }
  if (training_ && training_->is_done()) {
    if (training_->lost_device()) Lose(*training_->lost_device());
    training_.reset();
    server_->Idle(false);
  }
  return {};
}

Result<void> DeviceApp::Tick() {
  // A hung batch stops the heartbeat, and the supervisor replaces the process.
  if (server_->Healthy()) Segment::Beat(setup_.segment->device());
  const TimePoint now = clock_.Now();
  if (now - stats_sent_ < std::chrono::milliseconds(setup_.plan.stats_interval_ms)) return {};
  stats_sent_ = now;
  return context_.channel().Send(
      DeviceStatsMessage{.memory = LayersOf(device_->memory().Snapshot())});
}

void DeviceApp::WaitForWork() {
  ControlChannel& channel = context_.channel();
  const short wanted = static_cast<short>(POLLIN | (channel.wants_write() ? POLLOUT : 0));
  std::array<pollfd, 2> sources = {{{.fd = channel.fd(), .events = wanted, .revents = 0},
                                    {.fd = outbox_.fd(), .events = POLLIN, .revents = 0}}};
  poll(sources.data(), sources.size(), static_cast<int>(kTick.count()));
}

}  // namespace az
