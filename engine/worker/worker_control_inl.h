#pragma once
// Bodies of Worker<S> for what the supervisor says and hears. Included by
// engine/worker/worker_inl.h.

#include <algorithm>
#include <iterator>
#include <utility>
#include <variant>

#include "base/strings.h"
#include "engine/worker/worker.h"

namespace az {

template <GameState S>
Result<void> Worker<S>::Housekeeping() {
  AZ_RETURN_IF_ERROR(LookAtControl());
  while (!inbox_.empty()) {
    const ControlMessage message = std::move(inbox_.front());
    inbox_.pop_front();
    AZ_RETURN_IF_ERROR(On(message));
  }
  return {};
}

template <GameState S>
bool Worker<S>::ControlIsDue() const {
  return stopping_ || !inbox_.empty() || s_.clock.Now() - control_at_ >= kControlEvery;
}

template <GameState S>
Result<void> Worker<S>::LookAtControl() {
  const TimePoint now = s_.clock.Now();
  if (now - control_at_ < kControlEvery) return {};
  control_at_ = now;
  AZ_ASSIGN_OR_RETURN(std::vector<ControlMessage> messages, s_.control.Poll());
  std::ranges::move(messages, std::back_inserter(inbox_));
  if (s_.control.StopAsked()) stopping_ = true;
  if (now - stats_at_ >= kStatsEvery) {
    stats_at_ = now;
    SendStats();
  }
  if (now - sync_at_ >= kSyncEvery) {
    sync_at_ = now;
    AZ_RETURN_IF_ERROR(s_.journal.Sync());
  }
  return {};
}

template <GameState S>
Result<void> Worker<S>::LookUp() {
  AZ_RETURN_IF_ERROR(LookAtControl());
  const auto ends = [this](const ControlMessage& message) { return EndsMoves(message); };
  if (!stopping_ && std::ranges::none_of(inbox_, ends)) return {};
  return Error{Errc::kStopped, "the supervisor ends the phase"};
}

template <GameState S>
bool Worker<S>::EndsMoves(const ControlMessage& message) const {
  if (const auto* drain = std::get_if<DrainMessage>(&message)) {
    return context_->phase.phase == drain->phase;
  }
  return std::holds_alternative<StopMessage>(message) ||
         std::holds_alternative<PhaseMessage>(message);
}

template <GameState S>
Result<void> Worker<S>::On(const ControlMessage& message) {
  if (const auto* phase = std::get_if<PhaseMessage>(&message)) return BeginPhase(*phase);
  if (const auto* grant = std::get_if<GrantMessage>(&message)) {
    if (!context_ || context_->phase.phase != grant->phase) return {};  // its phase is over
    granted_.insert(granted_.end(), grant->games.begin(), grant->games.end());
    for (const int index : idle_) runnable_.push_back(index);
    idle_.clear();
    return {};
  }
  if (const auto* drain = std::get_if<DrainMessage>(&message)) return EndPhase(drain->phase);
  if (std::holds_alternative<StopMessage>(message)) {
    stopping_ = true;
    return {};
  }
  return Error{Errc::kInvalid, StrCat("a worker was sent ", ToLine(message).substr(0, 80))};
}

template <GameState S>
Result<void> Worker<S>::BeginPhase(const PhaseMessage& phase) {
  AZ_ASSIGN_OR_RETURN(std::vector<PhasePlayer> players, ReadPhasePlayers(phase, s_.search));
  for (const PhasePlayer& player : players) {
    if (player.message.type != PlayerType::kSolver || solver_ != nullptr) continue;
    AZ_ASSIGN_OR_RETURN(solver_, MakeSolver(S::kName, {.max_positions = kSolverPositions,
                                                       .look_up = [this] { return LookUp(); }}));
  }
  DropGames();
  const int open_games = OpenGames(players, s_.slots);
  context_.emplace(SlotContext{.search = s_.search,
                               .run_seed = s_.run_seed,
                               .visits = s_.visits,
                               .phase = phase,
                               .players = std::move(players),
                               .solver = solver_.get(),
                               .cache = cache_.get(),
                               .scratch = scratch_,
                               .journal = s_.journal,
                               .control = s_.control,
                               .look_up = [this] { return LookUp(); },
                               .stats = stats_,
                               .clock = s_.clock,
                               .log = s_.log});
  for (int index = 0; index < open_games; ++index) {
    slots_.push_back(std::make_unique<GameSlot<S>>(*context_));
    idle_.push_back(index);
  }
  return {};
}

template <GameState S>
void Worker<S>::DropGames() {
  board_.Clear();
  slots_.clear();
  granted_.clear();
  runnable_.clear();
  awaiting_.clear();
  idle_.clear();
}

template <GameState S>
Result<void> Worker<S>::EndPhase(std::uint64_t phase) {
  if (context_ && context_->phase.phase == phase) {
    DropGames();
    context_.reset();
    AZ_RETURN_IF_ERROR(s_.journal.Sync());
    SendStats();
  }
  return s_.control.Send(DrainedMessage{.phase = phase});
}

template <GameState S>
void Worker<S>::SendStats() {
  WorkerStatsMessage message{stats_};
  if (cache_) {
    message.cache_hits = cache_->stats().hits;
    message.cache_lookups = cache_->stats().hits + cache_->stats().misses;
  }
  // A full socket drops one report; the next one holds the totals.
  const Result<void> sent = s_.control.Send(message);
  if (!sent) s_.log.Debug(StrCat("event=stats_not_sent error=\"", sent.error().message, "\""));
}

}  // namespace az
