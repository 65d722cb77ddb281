#include "engine/fleet/process_fleet.h"

#include <signal.h>

#include <algorithm>
#include <chrono>
#include <utility>

#include "base/strings.h"
#include "engine/config/machine.h"
#include "engine/fleet/device_plan.h"
#include "engine/ipc/layout.h"
#include "scheduler/ladder.h"

namespace az {
namespace {

constexpr auto kTick = std::chrono::milliseconds(20);
constexpr auto kWorkerSilence = std::chrono::seconds(30);
constexpr auto kDeviceSilence = std::chrono::seconds(120);
constexpr auto kStopLimit = std::chrono::seconds(20);
static_assert(kMostBlocks == kMaxBlocks && kMostRowsPerBlock == kMaxRows,
              "plans and segments know other limits of a lane");

std::vector<std::uint16_t> ToNumbers(const std::vector<Action>& actions) {
  std::vector<std::uint16_t> numbers;
  numbers.reserve(actions.size());
  for (const Action action : actions) numbers.push_back(static_cast<std::uint16_t>(action));
  return numbers;
}

}  // namespace

ProcessFleet::ProcessFleet(FleetSetup setup)
    : s_(std::move(setup)),
      monitor_(s_.plan.device == DeviceKind::kCuda ? GpuIndexOf(s_.config.engine) : -1) {}

Result<std::unique_ptr<ProcessFleet>> ProcessFleet::Start(FleetSetup setup) {
  std::unique_ptr<ProcessFleet> fleet(new ProcessFleet(std::move(setup)));
  AZ_RETURN_IF_ERROR(fleet->Begin());
  return fleet;
}

ProcessFleet::~ProcessFleet() {
  if (!supervisor_) return;
  seating_->Drain();
  for (const int lane : supervisor_->lanes()) {
    if (!IsDevice(lane)) supervisor_->Stop(lane);
  }
  seating_->NotifyAll();
  // A second signal does not wait for anything.
  supervisor_->StopAll(Deadline::In(signal_count() >= 2 ? Duration::zero() : kStopLimit));
}

int ProcessFleet::lanes() const { return std::max(s_.plan.num_workers, s_.plan.arena_workers); }

Result<void> ProcessFleet::Begin() {
  const GameInfo& game = s_.game.info();
  AZ_ASSIGN_OR_RETURN(const RunId run_id, ParseRunId(s_.run_id));
  const JournalIdentity identity{
      .run_id = run_id.bytes, .game_hash = game.Hash(), .entry = game.entry};
  AZ_ASSIGN_OR_RETURN(journals_,
                      LaneJournals::Open(s_.run_dir / "journal", identity, lanes(), s_.iteration));
  AZ_RETURN_IF_ERROR(RepairJournals());
  const SegmentShape shape{.lanes = static_cast<std::uint32_t>(lanes()),
                           .blocks = static_cast<std::uint32_t>(s_.plan.blocks),
                           .rows = static_cast<std::uint32_t>(s_.plan.rows),
                           .in_words = static_cast<std::uint32_t>(game.shape.words()),
                           .num_actions = static_cast<std::uint32_t>(game.num_actions),
                           .models = 2};
  Result<Seating> seating =
      Seating::Make(s_.with_device ? s_.config.memory.model_sharing : ModelSharing::kShared,
                    {shape, game.Hash(), run_id}, s_.with_device);
  if (!seating) return std::move(seating).error();
  seating_.emplace(std::move(seating).value());
  SupervisorOptions options;
  options.worker.program = s_.programs / "az_worker";
  options.device.program = s_.programs / "az_device";
  options.run_dir = s_.run_dir;
  options.run_id = s_.run_id;
  options.seat = [this](int lane) { return seating_->SeatOf(lane); };
  options.log_fd = s_.log_fd;
  options.restart.most_deaths = s_.config.engine.max_deaths_per_minute;
  options.liveness = [this](int lane, pid_t pid) -> std::optional<Liveness> {
    const ProcessLine& line = seating_->LineOf(lane);
    if (static_cast<pid_t>(line.pid.load()) != pid) return std::nullopt;
    const TimePoint now = s_.clock.Now();
    const std::optional<Duration> silent = Segment::SinceBeat(line, now);
    if (!silent) return std::nullopt;
    return Liveness{now - *silent,
                    IsDevice(lane) ? Duration(kDeviceSilence) : Duration(kWorkerSilence)};
  };
  Result<Supervisor> supervisor =
      Supervisor::Create(std::move(options), launcher_, s_.clock, s_.log);
  if (!supervisor) return std::move(supervisor).error();
  supervisor_.emplace(std::move(supervisor).value());
  // Workers first: they are quick, and the device's start hides them.
  for (int lane = 0; lane < lanes() && !s_.own_lanes; ++lane) {
    AZ_RETURN_IF_ERROR(supervisor_->StartWorker(lane));
  }
  for (const int lane : seating_->devices()) {
    AZ_RETURN_IF_ERROR(supervisor_->StartDevice(lane));
  }
  const std::size_t started = s_.own_lanes ? seating_->devices().size() : seating_->processes();
  return PumpUntil([this, started] { return ready_.size() == started; });
}

Result<void> ProcessFleet::RepairJournals() {
  AZ_ASSIGN_OR_RETURN(const std::vector<std::string> cuts, journals_->CutDamage());
  for (const std::string& cut : cuts) {
    s_.log.Warn(StrCat("event=journal_cut text=\"", cut, "\""));
    if (s_.warn) s_.warn(cut);
  }
  return journals_->CheckHolds(s_.trained_on);
}

// ---- the phases' calls --------------------------------------------------------------------------

Result<void> ProcessFleet::Play(const GamePhaseSpec& spec) {
  AZ_RETURN_IF_ERROR(journals_->Poll());
  RunningPhase phase;
  phase.spec = &spec;
  phase.message = {.phase = ++phases_,
                   .kind = spec.kind,
                   .iteration = spec.iteration,
                   .players = spec.players,
                   .resign_threshold = spec.resign_threshold,
                   .may_resign = spec.may_resign,
                   .moves = spec.moves};
  std::set<GameId> finished;
  for (const FinishedGame& game : journals_->Finished(spec.kind, spec.iteration)) {
    finished.insert(game.id);
  }
  std::vector<GameId> open = journals_->log().OpenGames(spec.kind, spec.iteration);
  if (spec.extra_games > 0) {
    for (const FinishedGame& game : journals_->Finished(spec.kind, spec.iteration + 1)) {
      finished.insert(game.id);
    }
    const std::vector<GameId> more = journals_->log().OpenGames(spec.kind, spec.iteration + 1);
    open.insert(open.end(), more.begin(), more.end());
  }
  phase.dealer = std::make_unique<GameDealer>(
      GameDealer::Options{.kind = spec.kind,
                          .iteration = spec.iteration,
                          .games = spec.games,
                          .extra_games = spec.extra_games,
                          .per_lane = s_.plan.slots + s_.plan.slots / 2,
                          .lanes = std::max(1, spec.workers)},
      finished, open);
  for (const FinishedGame& game : journals_->Finished(spec.kind, spec.iteration)) {
    if (game.id.index() < spec.games) phase.enough |= !spec.on_finished(game);
  }
  phase_.emplace(std::move(phase));
  journals_->OnFinished([this](const FinishedGame& game) {
    if (phase_->dealer->Finish(game.id)) phase_->enough |= !phase_->spec->on_finished(game);
  });
  for (const int lane : ready_) OnWorkerReady(lane);
  const Result<void> played = PumpUntil([&] {
    for (const int lane : ready_) Deal(lane);
    phase_->enough = phase_->enough || (spec.enough && spec.enough());
    return phase_->enough || phase_->dealer->AllFinished();
  });
  const Result<void> ended = LetGo(played);
  journals_->OnFinished({});
  phase_.reset();
  AZ_RETURN_IF_ERROR(ended);
  journals_->Forget(spec.kind, spec.iteration);
  return {};
}

Result<void> ProcessFleet::LetGo(const Result<void>& played) {
  const Result<void> ended = Ended(played);
  const bool was_refused = refused_weights_;
  if (!ended && !was_refused && ended.error().code != Errc::kStopped) return ended;
  Drain();
  awaits_loads_ = was_refused;
  const Result<void> drained = PumpUntil([this] { return phase_->draining.empty(); });
  awaits_loads_ = false;
  if (was_refused) {
    refused_.clear();
    AZ_RETURN_IF_ERROR(drained);  // a signal is told of once
    refused_weights_ = true;
  }
  return ended ? Ended(drained) : ended;
}

// What a wait ended with. kNoMemory is a device without room (refused_), which is dealt with
// outside; what no smaller plan would mend has another code.
Result<void> ProcessFleet::Ended(const Result<void>& waited) {
  const bool was_refused = !std::exchange(refused_, {}).empty();
  if (waited || waited.error().code != Errc::kNoMemory || was_refused) return waited;
  return Error{Errc::kUnavailable, waited.error().message};
}

// ---- the supervisor's rounds --------------------------------------------------------------------

Result<void> ProcessFleet::PumpUntil(const std::function<bool()>& done) {
  refused_weights_ = false;
  while (!done()) {
    AZ_RETURN_IF_ERROR(Pump(kTick));
    const int signals = signal_count();
    const bool is_new = signals > std::exchange(signals_told_, signals);
    if (signals >= 2) return Error{Errc::kStopped, "stopped at once by a second signal"};
    if (is_new) return Error{Errc::kStopped, "stopped by a signal"};
  }
  return {};
}

Result<void> ProcessFleet::Look() {
  AZ_RETURN_IF_ERROR(Pump(Duration::zero()));
  signals_told_ = signal_count();
  if (signals_told_ > 0) return Error{Errc::kStopped, "stopped by a signal"};
  return {};
}

Result<void> ProcessFleet::Pump(Duration wait) {
  for (const SupervisorEvent& event : supervisor_->Tick(wait)) {
    AZ_RETURN_IF_ERROR(Handle(event));
  }
  if (phase_) AZ_RETURN_IF_ERROR(journals_->Poll());
  if (s_.on_tick) s_.on_tick();
  // A device that was started again cannot go on; who waits for its loads hears of it from there.
  refused_weights_ = !refused_.empty() && !awaits_loads_;
  if (refused_weights_) return refused_.begin()->second;
  return {};
}

Result<void> ProcessFleet::Handle(const SupervisorEvent& event) {
  if (const auto* started = std::get_if<ChildStarted>(&event)) return On(*started);
  if (const auto* said = std::get_if<ChildSaid>(&event)) return On(*said);
  if (const auto* died = std::get_if<ChildDied>(&event)) return On(*died);
  if (const auto* failed = std::get_if<RunFailed>(&event)) return failed->error;
  const auto* signal = std::get_if<SignalArrived>(&event);
  if (signal != nullptr && s_.on_signal) s_.on_signal(signal->number);
  return {};
}

Result<void> ProcessFleet::On(const ChildStarted& event) {
  if (IsDevice(event.lane)) {
    Tell(event.lane, PlanFor(event.lane));
    return {};
  }
  AZ_RETURN_IF_ERROR(journals_->PollLane(event.lane));
  Tell(event.lane,
       WorkerPlanMessage{
           .slots = s_.plan.slots,
           .cache_bytes = s_.plan.cache.count(),
           .journal_path = (s_.run_dir / "journal" / LaneJournalName(event.lane)).string(),
           .journal_valid_bytes = journals_->valid_bytes(event.lane)});
  return {};
}

Result<void> ProcessFleet::On(const ChildDied& event) {
  ready_.erase(event.lane);
  kernel_kills_ += event.by_kernel ? 1 : 0;
  if (IsDevice(event.lane)) {
    OnDeviceDied(event);
    return {};
  }
  KeepStatsOfDead(event.lane);
  // Reaped: what it committed is all in the file now, so what it held can be dealt again.
  AZ_RETURN_IF_ERROR(journals_->PollLane(event.lane));
  if (phase_) {
    phase_->dealer->LaneLost(event.lane);
    phase_->draining.erase(event.lane);
  }
  return {};
}

Result<void> ProcessFleet::On(const ChildSaid& event) {
  if (const auto* ready = std::get_if<ReadyMessage>(&event.message)) {
    ready_.insert(event.lane);
    if (IsDevice(event.lane)) {
      OnDeviceReady(event.lane, *ready);
    } else {
      OnWorkerReady(event.lane);
    }
    return {};
  }
  if (const auto* error = std::get_if<ErrorMessage>(&event.message)) {
    // A fatal one is followed by the child's end, which the supervisor reports with this text.
    if (error->fatal) return {};
    Error answer{ErrcFromName(error->code), error->message};
    if (error->attempt > 0 && !Trains(error->attempt)) return {};
    if (error->attempt == 0 && IsRefusedLoad(event.lane)) {
      lacked_room_ = NoRoomFor::kWeights;
      refused_.try_emplace(event.lane, std::move(answer));
    } else if (error->attempt > 0 && answer.code == Errc::kNoMemory) {
      lacked_room_ = NoRoomFor::kTraining;
      training_->done = std::move(answer);
    } else {
      return answer;
    }
    return {};
  }
  if (IsDevice(event.lane)) return OnDeviceSaid(event.lane, event.message);
  return OnWorkerSaid(event.lane, event.message);
}

Result<void> ProcessFleet::OnDeviceSaid(int lane, const ControlMessage& message) {
  if (const auto* published = std::get_if<PublishedMessage>(&message)) {
    ModelSlot& slot = slots_.at(static_cast<std::size_t>(published->slot));
    if (slot.load && slot.load->version == published->version) slot.published.insert(lane);
  } else if (const auto* progress = std::get_if<TrainProgressMessage>(&message)) {
    OnProgress(*progress);
  } else if (const auto* trained = std::get_if<TrainedMessage>(&message)) {
    if (Trains(trained->attempt)) training_->done = *trained;
  } else {
    OnDeviceMemory(lane, message);
  }
  return {};
}

Result<void> ProcessFleet::OnWorkerSaid(int lane, const ControlMessage& message) {
  if (const auto* stats = std::get_if<WorkerStatsMessage>(&message)) {
    worker_stats_[lane] = *stats;
  } else if (const auto* drained = std::get_if<DrainedMessage>(&message)) {
    if (phase_ && drained->phase == phase_->message.phase) phase_->draining.erase(lane);
  }
  return {};
}

void ProcessFleet::OnDeviceReady(int lane, const ReadyMessage& ready) {
  TellSlots(lane);
  releases_out_[lane] = 0;
  if (release_asked_ && !released_.contains(lane)) AskReleaseOf(lane, *release_asked_);
  if (lane != kDeviceLane) return;
  device_text_ = ready.device;
  if (!training_ || training_->done) return;
  const auto lowered = in_force_.find(lane);
  TellTraining(lowered == in_force_.end() ? training_->message
                                          : Lowered(training_->message, lowered->second));
}

void ProcessFleet::OnWorkerReady(int lane) {
  if (!InPhase(lane) || phase_->is_draining) return;
  Tell(lane, phase_->message);
  Deal(lane);
}

// ---- games to lanes -----------------------------------------------------------------------------

bool ProcessFleet::InPhase(int lane) const {
  return phase_ && !IsDevice(lane) && lane < phase_->spec->workers;
}

void ProcessFleet::Deal(int lane) {
  if (!InPhase(lane) || phase_->is_draining) return;
  GrantMessage grant{.phase = phase_->message.phase, .games = {}};
  int size = 0;
  for (const GameId id : phase_->dealer->Deal(lane)) {
    GrantedGame game{
        .id = id.packed, .prefix = ToNumbers(journals_->log().CommittedActions(id)), .opening = {}};
    if (const double threshold = phase_->message.resign_threshold; threshold > 0.0) {
      game.noted_ply = journals_->log().FirstResignable(id, threshold).value_or(-1);
    }
    if (phase_->spec->opening) game.opening = ToNumbers(phase_->spec->opening(id.index()));
    const int cost = kGameCost + static_cast<int>(game.prefix.size() + game.opening.size());
    if (size + cost > kMaxGrantActions) {
      Tell(lane, grant);
      grant.games.clear();
      size = 0;
    }
    size += cost;
    grant.games.push_back(std::move(game));
  }
  if (!grant.games.empty()) Tell(lane, grant);
}

void ProcessFleet::Drain() {
  phase_->is_draining = true;
  for (const int lane : ready_) {
    if (!InPhase(lane)) continue;
    phase_->draining.insert(lane);
    Tell(lane, DrainMessage{.phase = phase_->message.phase});
  }
}

void ProcessFleet::Tell(int lane, const ControlMessage& message) {
  const Result<void> sent = supervisor_->Send(lane, message);
  if (!sent) {
    // A child that is gone is told again after its successor's Ready. One that lives, but has let
    // so much wait that this is lost, must give way to a successor too.
    const std::optional<pid_t> pid = supervisor_->pid(lane);
    if (sent.error().code != Errc::kPeerGone && pid) ::kill(*pid, SIGKILL);
    s_.log.Warn(StrCat("event=send_failed lane=", lane, " error=\"", sent.error().message, "\""));
  }
  if (!IsDevice(lane)) seating_->Notify(lane);
}

}  // namespace az
