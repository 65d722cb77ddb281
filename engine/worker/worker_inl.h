#pragma once
// Bodies of Worker<S>: its games, their rows and answers.

#include <poll.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/strings.h"
#include "engine/worker/game_slot_inl.h"
#include "engine/worker/worker.h"
#include "engine/worker/worker_control_inl.h"

namespace az {

template <GameState S>
Worker<S>::Worker(const WorkerSetup& setup) : s_(setup), board_(setup.evaluator) {
  if (s_.cache > Bytes(0)) {
    const auto most_in_game = static_cast<int>(Search<S>::kMaxLegal);
    const int most_legal = std::min(most_in_game, s_.search.cache_max_legal.value_or(most_in_game));
    cache_ = std::make_unique<EvalCache>(s_.cache, most_legal);
  }
}

template <GameState S>
Result<void> Worker<S>::Run() {
  while (!stopping_) AZ_RETURN_IF_ERROR(Pass());
  board_.Clear();
  SendStats();
  return s_.journal.Sync();
}

template <GameState S>
Result<void> Worker<S>::Pass() {
  AZ_RETURN_IF_ERROR(Housekeeping());
  if (stopping_) return {};
  AZ_RETURN_IF_ERROR(TakeAnswers(Deadline::In(Duration::zero())));
  WakePrograms(Duration::zero());
  AZ_ASSIGN_OR_RETURN(const bool blocked, RunSlots());
  if (!blocked && !runnable_.empty()) return {};
  // Nothing can go on: what is partly filled must be answered too.
  AZ_RETURN_IF_ERROR(board_.SubmitPartial());
  if (board_.any_in_flight()) {
    return TakeAnswers(Deadline::In(awaiting_.empty() ? kWaitLimit : kProgramEvery));
  }
  LookSoon();
  // No block is free although none of ours is in flight: the last phase's are still being answered.
  if (blocked) return board_.AwaitFreeBlock(Deadline::In(kWaitLimit));
  if (!awaiting_.empty()) {
    WakePrograms(kProgramWait);
    return {};
  }
  s_.control.Idle(kWaitLimit);
  return {};
}

// Slots whose program has something to say or is too late can go on. Waits up to `most` for the
// first one.
template <GameState S>
void Worker<S>::WakePrograms(Duration most) {
  if (awaiting_.empty()) return;
  std::vector<pollfd> descriptors;
  TimePoint too_late = s_.clock.Now() + most;
  for (const int index : awaiting_) {
    const GtpPlayer& program = slot(index).program();
    descriptors.push_back({.fd = program.output(), .events = POLLIN, .revents = 0});
    too_late = std::min(too_late, program.too_late());
  }
  const Duration wait = std::max(too_late - s_.clock.Now(), Duration::zero());
  const auto wait_ms = std::chrono::ceil<std::chrono::milliseconds>(std::min(wait, most));
  ::poll(descriptors.data(), descriptors.size(), static_cast<int>(wait_ms.count()));
  const TimePoint now = s_.clock.Now();
  std::vector<int> still;
  for (std::size_t i = 0; i < awaiting_.size(); ++i) {
    const int index = awaiting_[i];
    const GtpPlayer& program = slot(index).program();
    const bool wakes =
        descriptors[i].revents != 0 || program.too_late() <= now || program.wants_write();
    (wakes ? runnable_.emplace_back(index) : still.emplace_back(index));
  }
  awaiting_ = std::move(still);
}

template <GameState S>
Result<void> Worker<S>::TakeAnswers(Deadline deadline) {
  while (board_.any_in_flight()) {
    AZ_ASSIGN_OR_RETURN(const std::optional<BlockBoard::Answer> answer, board_.Wait(deadline));
    if (!answer) {
      // A notice or the end of the wait: the control channel comes first.
      if (deadline.at() > s_.clock.Now()) LookSoon();
      return {};
    }
    AZ_RETURN_IF_ERROR(Take(*answer));
    deadline = Deadline::In(Duration::zero());
  }
  return {};
}

template <GameState S>
Result<void> Worker<S>::Take(const BlockBoard::Answer& answer) {
  if (answer.error && answer.error->code == Errc::kNotFinite) return TakeNotFinite(answer);
  if (answer.error && answer.error->code != Errc::kCorrupt) return *answer.error;
  for (std::size_t row = 0; row < answer.slots.size(); ++row) {
    const int index = answer.slots[row];
    if (answer.error) {  // positions that fell the server again and again
      AZ_RETURN_IF_ERROR(GiveUp(index, answer.error->message));
    } else {
      slot(index).Absorb(answer.batch.row(static_cast<int>(row)), answer.batch.version());
    }
    runnable_.push_back(index);
  }
  return {};
}

// The games whose own rows are not finite end without a result; the others ask again. When no row
// shows the fault all of them end, so that no block fails for ever.
template <GameState S>
Result<void> Worker<S>::TakeNotFinite(const BlockBoard::Answer& answer) {
  const auto is_finite = [&](std::size_t row) {
    const EvalRow answered = answer.batch.row(static_cast<int>(row));
    return std::isfinite(*answered.value) &&
           std::ranges::all_of(answered.logits, [](float logit) { return std::isfinite(logit); });
  };
  bool any_bad = false;
  for (std::size_t row = 0; row < answer.slots.size(); ++row) any_bad |= !is_finite(row);
  for (std::size_t row = 0; row < answer.slots.size(); ++row) {
    const int index = answer.slots[row];
    if (any_bad && is_finite(row)) {
      slot(index).AskAgain();
    } else {
      AZ_RETURN_IF_ERROR(EndByBadRow(index, answer.error->message));
    }
    runnable_.push_back(index);
  }
  return {};
}

template <GameState S>
Result<void> Worker<S>::EndByBadRow(int index, std::string_view reason) {
  ++stats_.bad_rows;
  return GiveUp(index, reason);
}

template <GameState S>
Result<void> Worker<S>::GiveUp(int index, std::string_view reason) {
  s_.log.Error(StrCat("event=game_given_up slot=", index, " error=\"", reason, "\""));
  return slot(index).GiveUp();
}

template <GameState S>
Result<bool> Worker<S>::RunSlots() {
  for (std::size_t left = runnable_.size(); left > 0; --left) {
    const int index = runnable_.front();
    AZ_ASSIGN_OR_RETURN(const SlotRun run, RunSlot(index));
    if (run == SlotRun::kBlocked) return true;
    runnable_.pop_front();
    if (run != SlotRun::kYields) continue;
    runnable_.push_back(index);
    // Only here, where a slot went on without a row: the clock is looked at once a move, not at
    // each evaluation.
    if (ControlIsDue()) return false;
  }
  return false;
}

template <GameState S>
auto Worker<S>::RunSlot(int index) -> Result<SlotRun> {
  GameSlot<S>& slot = this->slot(index);
  if (slot.state() == SlotState::kIdle || slot.state() == SlotState::kFinished) {
    AZ_ASSIGN_OR_RETURN(const bool started, StartNextGame(slot));
    if (!started) {
      idle_.push_back(index);
      return SlotRun::kSettled;
    }
  }
  AZ_ASSIGN_OR_RETURN(const SlotState state, slot.Advance());
  if (state == SlotState::kWantsRow) return AskForRow(index);
  if (state == SlotState::kAwaits) {
    awaiting_.push_back(index);
    return SlotRun::kSettled;
  }
  if (state == SlotState::kFailed) {
    AZ_RETURN_IF_ERROR(EndByBadRow(index, "the network's answer is not finite or not in [-1, 1]"));
  }
  return SlotRun::kYields;  // a game has ended, or the slot lets the others go first
}

template <GameState S>
auto Worker<S>::AskForRow(int index) -> Result<SlotRun> {
  GameSlot<S>& slot = this->slot(index);
  const ModelId model = slot.model();
  AZ_ASSIGN_OR_RETURN(const std::optional<EvalRow> row, board_.NextRow(model));
  if (!row) return SlotRun::kBlocked;
  // No row needed: the search is done through proven or cached positions, or lets the other slots
  // go first.
  if (!slot.Fill(*row)) return SlotRun::kYields;
  AZ_RETURN_IF_ERROR(board_.Use(model, index));
  return SlotRun::kSettled;
}

template <GameState S>
Result<bool> Worker<S>::StartNextGame(GameSlot<S>& slot) {
  if (granted_.empty()) return false;
  const GrantedGame game = std::move(granted_.front());
  granted_.pop_front();
  AZ_RETURN_IF_ERROR(slot.Start(game));
  return true;
}

}  // namespace az
