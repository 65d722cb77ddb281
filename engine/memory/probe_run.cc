#include "engine/memory/probe_run.h"

#include <fcntl.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <utility>
#include <variant>

#include "base/strings.h"
#include "engine/config/config_printer.h"
#include "engine/fleet/device_plan.h"

namespace az {
namespace {

using std::chrono::seconds;

constexpr auto kTick = std::chrono::milliseconds(20);
constexpr auto kStartLimit = seconds(120);
constexpr auto kProbeLimit = seconds(120);
constexpr auto kStopLimit = seconds(10);

}  // namespace

Result<std::unique_ptr<ProbeRun>> ProbeRun::Start(const ProbeSetup& setup, const Plan& plan) {
  std::unique_ptr<ProbeRun> run(new ProbeRun(setup));
  if (Result<void> begun = run->Begin(plan); !begun) {
    return WithContext("start a device process to probe", begun.error());
  }
  return run;
}

ProbeRun::~ProbeRun() {
  if (supervisor_) supervisor_->StopAll(Deadline::In(kStopLimit));
}

Result<void> ProbeRun::Begin(const Plan& plan) {
  AZ_RETURN_IF_ERROR(MakeFolder());
  AZ_RETURN_IF_ERROR(StartProcess(plan));
  return MakeNetwork();
}

Result<void> ProbeRun::MakeFolder() {
  AZ_ASSIGN_OR_RETURN(TempFolder folder, TempFolder::Make("az_probe"));
  folder_.emplace(std::move(folder));
  AZ_RETURN_IF_ERROR(WriteFileAtomic(folder_->path() / "config.yaml", ToYaml(setup_.config)));
  AZ_RETURN_IF_ERROR(MakeDirectories(folder_->path() / "journal"));
  const std::string log = (folder_->path() / "log.txt").string();
  log_fd_.Reset(::open(log.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644));
  if (!log_fd_.valid()) return SystemError(StrCat("open ", log), errno);
  log_.emplace(log_fd_.get(), "probe");
  return {};
}

Result<void> ProbeRun::StartProcess(const Plan& plan) {
  const GameInfo& game = setup_.game.info();
  AZ_ASSIGN_OR_RETURN(run_id_, NewRunId());
  const SegmentShape shape{.lanes = 1,
                           .blocks = 2,
                           .rows = 8,
                           .in_words = static_cast<std::uint32_t>(game.shape.words()),
                           .num_actions = static_cast<std::uint32_t>(game.num_actions),
                           .models = 2};
  AZ_ASSIGN_OR_RETURN(segment_, Segment::Create({shape, game.Hash(), run_id_}));
  SupervisorOptions options;
  options.device.program = setup_.programs / "az_device";
  options.run_dir = folder_->path();
  options.run_id = ToHex(run_id_);
  options.seat = [this](int) { return SegmentSeat{.segment_fd = segment_->fd()}; };
  options.log_fd = log_fd_.get();
  options.restart.most_deaths = 1;
  Result<Supervisor> supervisor =
      Supervisor::Create(std::move(options), launcher_, setup_.clock, *log_);
  if (!supervisor) return std::move(supervisor).error();
  supervisor_.emplace(std::move(supervisor).value());
  AZ_RETURN_IF_ERROR(supervisor_->StartDevice());
  const TimePoint give_up = setup_.clock.Now() + kStartLimit;
  bool told = false;
  while (!told) {
    if (setup_.clock.Now() > give_up) return Error{Errc::kTimeout, "it says nothing"};
    for (const SupervisorEvent& event : supervisor_->Tick(kTick)) {
      if (std::optional<Error> end = EndOf(event)) return std::move(*end);
      if (!std::holds_alternative<ChildStarted>(event)) continue;
      AZ_RETURN_IF_ERROR(supervisor_->Send(kDeviceLane, DevicePlanOf(plan, setup_.config.engine)));
      told = true;
    }
  }
  AZ_ASSIGN_OR_RETURN(const ReadyMessage ready, Await<ReadyMessage>(kStartLimit));
  device_ = ready.device;
  return {};
}

Result<void> ProbeRun::MakeNetwork() {
  TrainMessage first;
  first.to = (folder_->path() / "iter_000000").string();
  AZ_RETURN_IF_ERROR(supervisor_->Send(kDeviceLane, first));
  AZ_ASSIGN_OR_RETURN(const TrainedMessage made, Await<TrainedMessage>(kStartLimit));
  AZ_RETURN_IF_ERROR(
      supervisor_->Send(kDeviceLane, LoadMessage{.slot = 0, .path = made.path, .version = 1}));
  AZ_ASSIGN_OR_RETURN(const PublishedMessage published, Await<PublishedMessage>(kStartLimit));
  static_cast<void>(published);
  return {};
}

Result<ProbedMessage> ProbeRun::Ask(const ProbeMessage& message) {
  AZ_RETURN_IF_ERROR(supervisor_->Send(kDeviceLane, message));
  Result<ProbedMessage> probed = Await<ProbedMessage>(kProbeLimit);
  if (!probed) {
    return WithContext(StrCat("probe ", message.phase, " with ", message.rows, " rows"),
                       probed.error());
  }
  if (probed->context_bytes >= 0) {
    context_ = std::max(context_.value_or(Bytes()), Bytes(probed->context_bytes));
  }
  return probed;
}

std::optional<Error> ProbeRun::EndOf(const SupervisorEvent& event) const {
  if (const auto* failed = std::get_if<RunFailed>(&event)) return failed->error;
  if (const auto* signal = std::get_if<SignalArrived>(&event)) {
    if (setup_.on_signal) setup_.on_signal(signal->number);
    return Error{Errc::kStopped, "stopped by a signal"};
  }
  if (std::holds_alternative<ChildDied>(event)) {
    return Error{Errc::kPeerGone, "the device process died"};
  }
  return std::nullopt;
}

template <class Message>
Result<Message> ProbeRun::Await(Duration limit) {
  const TimePoint give_up = setup_.clock.Now() + limit;
  while (setup_.clock.Now() < give_up) {
    for (SupervisorEvent& event : supervisor_->Tick(kTick)) {
      if (std::optional<Error> end = EndOf(event)) return std::move(*end);
      auto* said = std::get_if<ChildSaid>(&event);
      if (said == nullptr) continue;
      if (auto* wanted = std::get_if<Message>(&said->message)) return std::move(*wanted);
      if (const auto* error = std::get_if<ErrorMessage>(&said->message)) {
        return Error{ErrcFromName(error->code), error->message};
      }
    }
  }
  return Error{Errc::kTimeout, StrCat("no answer within ", Seconds(limit), " s")};
}

}  // namespace az
