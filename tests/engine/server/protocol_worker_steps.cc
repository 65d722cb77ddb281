#include "tests/engine/server/protocol_steps.h"

namespace az::fakes {

void ProtocolSteps::RingLane(State& s) const {
  if (s.worker == WorkerAt::kSecondLook || s.worker == WorkerAt::kEnterKernel) s.changed = 1;
  const bool wakes = s.lane_bit != 0 && !Is(Mutant::kPrivateFutex);
  if (wakes && s.worker == WorkerAt::kAsleep) s.worker = WorkerAt::kAwake;
}

bool ProtocolSteps::AnyDone(const State& s) const {
  for (int k = 0; k < options_.blocks; ++k) {
    if (At(s, k) == BlockState::kDone) return true;
  }
  return false;
}

bool ProtocolSteps::AnyFree(const State& s) const {
  for (int k = 0; k < options_.blocks; ++k) {
    if (At(s, k) == BlockState::kFree) return true;
  }
  return false;
}

State ProtocolSteps::WorkerCrash(State s) const {
  --s.worker_crashes;
  s.worker = WorkerAt::kAdopt;
  s.k = s.dropped = s.changed = 0;
  s.expected = {0, 0};
  return s;
}

// False: no step is possible.
bool ProtocolSteps::WorkerStep(State& s) const {
  switch (s.worker) {
    case WorkerAt::kAdopt:
    case WorkerAt::kAdoptFree:
    case WorkerAt::kAdoptMark:
    case WorkerAt::kAdoptRing:
      return AdoptStep(s);
    case WorkerAt::kScan:
      return ScanStep(s);
    case WorkerAt::kSubmit:
      Store(s, s.k, BlockState::kSubmitted, Role::kWorker);
      s.worker = WorkerAt::kMark;
      return true;
    case WorkerAt::kMark:
      s.pending = 1;
      s.worker = WorkerAt::kRing;
      return true;
    case WorkerAt::kRing:
      s.worker = WorkerAt::kScan;
      ++s.k;
      RingBell(s);
      return true;
    case WorkerAt::kRingFirst:
      s.pending = 1;
      s.worker = WorkerAt::kSubmitAfter;
      RingBell(s);
      return true;
    case WorkerAt::kSubmitAfter:
      Store(s, s.k, BlockState::kSubmitted, Role::kWorker);
      s.worker = WorkerAt::kScan;
      ++s.k;
      return true;
    default:
      return WorkerAwaitStep(s);
  }
}

bool ProtocolSteps::AdoptStep(State& s) const {
  if (s.worker == WorkerAt::kAdoptMark) {
    s.pending = 1;
    s.worker = WorkerAt::kAdoptRing;
    return true;
  }
  if (s.worker == WorkerAt::kAdoptRing) {
    s.worker = WorkerAt::kScan;
    RingBell(s);
    return true;
  }
  if (s.k == options_.blocks) {
    const bool rings = s.dropped != 0 && !Is(Mutant::kSuccessorDoesNotRing);
    const bool first_pass = s.worker == WorkerAt::kAdopt;
    s.worker = first_pass ? WorkerAt::kAdoptFree : rings ? WorkerAt::kAdoptMark : WorkerAt::kScan;
    s.k = 0;
    return true;
  }
  if (s.worker == WorkerAt::kAdopt) {
    if (At(s, s.k) != BlockState::kFree) s.dropped |= Bit(s.k);
  } else if ((s.dropped & Bit(s.k)) != 0) {
    FreeIfAnswered(s);
  }
  ++s.k;
  return true;
}

void ProtocolSteps::FreeIfAnswered(State& s) const {
  if (Is(Mutant::kSuccessorFreesAll)) {
    s.block[s.k] = static_cast<std::uint8_t>(BlockState::kFree);  // past the table
  } else if (At(s, s.k) == BlockState::kDone) {
    Store(s, s.k, BlockState::kFree, Role::kWorker);
  } else {
    return;
  }
  Forget(s);
}

// An output of an earlier request is as wrong as none: one value for both keeps the states few.
void ProtocolSteps::Forget(State& s) const {
  s.dropped &= static_cast<std::uint8_t>(~Bit(s.k));
  s.out[s.k] = kNothing;
  s.expected[s.k] = 0;
}

bool ProtocolSteps::ScanStep(State& s) const {
  if (s.k == options_.blocks) {
    s.k = 0;
    if (!AnyDone(s) && !AnyFree(s)) s.worker = WorkerAt::kSetBit;
    return true;
  }
  if (At(s, s.k) == BlockState::kDone) {
    const bool mine = (s.dropped & Bit(s.k)) == 0;
    if (mine && s.out[s.k] != s.expected[s.k]) throw Fault{"wrong row"};
    Store(s, s.k, BlockState::kFree, Role::kWorker);
    Forget(s);
    return true;
  }
  if (At(s, s.k) == BlockState::kFree) {
    const auto request = static_cast<std::uint8_t>(1 - s.in[s.k]);
    s.in[s.k] = s.expected[s.k] = request;
    s.worker = Is(Mutant::kRingBeforeState) ? WorkerAt::kRingFirst : WorkerAt::kSubmit;
    return true;
  }
  ++s.k;
  return true;
}

bool ProtocolSteps::WorkerAwaitStep(State& s) const {
  switch (s.worker) {
    case WorkerAt::kSetBit:
      s.lane_bit = 1;
      s.changed = 0;
      s.worker = Is(Mutant::kWorkerNoSecondLook) ? WorkerAt::kEnterKernel : WorkerAt::kSecondLook;
      return true;
    case WorkerAt::kSecondLook:
      if (AnyDone(s)) {
        s.lane_bit = s.changed = 0;
        s.worker = WorkerAt::kScan;
      } else {
        s.worker = WorkerAt::kEnterKernel;
      }
      return true;
    case WorkerAt::kEnterKernel:
      s.worker = s.changed != 0 ? WorkerAt::kAwake : WorkerAt::kAsleep;
      s.changed = 0;
      return true;
    case WorkerAt::kAwake:
      s.lane_bit = 0;
      s.worker = WorkerAt::kScan;
      return true;
    default:
      return false;  // asleep
  }
}

}  // namespace az::fakes
