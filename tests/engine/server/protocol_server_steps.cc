#include "tests/engine/server/protocol_steps.h"

namespace az::fakes {

// The real table judges every store.
void ProtocolSteps::Store(State& s, int k, BlockState to, Role role) const {
  const BlockState from = At(s, k);
  if (!IsLegal(from, to, role)) {
    throw Fault{"illegal: " + std::string(BlockStateName(from)) + " to " +
                std::string(BlockStateName(to))};
  }
  s.block[static_cast<std::size_t>(k)] = static_cast<std::uint8_t>(to);
}

State ProtocolSteps::Start() const {
  State s{};
  s.out = {kNothing, kNothing};
  s.baton = kNobody;
  s.worker_crashes = static_cast<std::uint8_t>(options_.worker_crashes);
  s.server_crashes = static_cast<std::uint8_t>(options_.server_crashes);
  NewServer(s);
  return s;
}

void ProtocolSteps::NewServer(State& s) const {
  s.runners = {Runner{RunnerAt::kBoot, 0, 0, 0, 0}, Runner{RunnerAt::kLock, 0, 0, 0, 0}};
  s.queued = 0;
  s.baton = kNobody;
  s.booting = 1;
}

State ProtocolSteps::ServerCrash(State s) const {
  --s.server_crashes;
  NewServer(s);
  return s;
}

// Add and wake are one step: a wake between them could only help.
void ProtocolSteps::RingBell(State& s) const {
  for (Runner& runner : s.runners) {
    if (runner.at == RunnerAt::kSecondLook || runner.at == RunnerAt::kEnterKernel)
      runner.changed = 1;
    const bool wakes = s.bell_bit != 0 && !Is(Mutant::kPrivateFutex);
    if (wakes && runner.at == RunnerAt::kAsleep) runner.at = RunnerAt::kAwake;
  }
}

bool ProtocolSteps::RunnerStep(State& s, int index) const {
  Runner& self = s.runners[static_cast<std::size_t>(index)];
  if (self.at == RunnerAt::kBoot) return BootStep(s, self);
  if (s.booting != 0) return false;
  switch (self.at) {
    case RunnerAt::kLock:
      if (s.baton != kNobody) return false;
      s.baton = static_cast<std::uint8_t>(index);
      self.at = RunnerAt::kExchange;
      return true;
    case RunnerAt::kExchange:
      self = {RunnerAt::kCollect, s.pending, 0, 0, 0};
      s.pending = 0;
      return true;
    case RunnerAt::kCollect:
      if (self.bits == 0 || self.k == options_.blocks) {
        self = {RunnerAt::kSeal, 0, 0, 0, 0};
        return true;
      }
      if (At(s, self.k) == BlockState::kSubmitted) s.queued |= Bit(self.k);
      ++self.k;
      return true;
    case RunnerAt::kSeal:
      return SealStep(s, self);
    case RunnerAt::kRun:
    case RunnerAt::kLateRun:
    case RunnerAt::kDone:
    case RunnerAt::kRingLane:
      return BatchStep(s, self);
    default:
      return RunnerAwaitStep(s, self);
  }
}

bool ProtocolSteps::BootStep(State& s, Runner& self) const {
  if (self.k < options_.blocks) {
    if (At(s, self.k) == BlockState::kTaken && !Is(Mutant::kNoRequeue)) {
      Store(s, self.k, BlockState::kSubmitted, Role::kServer);
    }
    ++self.k;
  } else if (self.k == options_.blocks) {
    s.pending = 1;
    ++self.k;
  } else {
    self = {RunnerAt::kLock, 0, 0, 0, 0};
    s.booting = 0;
    if (!Is(Mutant::kRestartRingsNoLane)) RingLane(s);
  }
  return true;
}

bool ProtocolSteps::SealStep(State& s, Runner& self) const {
  if (s.queued == 0) {
    self.at = RunnerAt::kFirstLook;
    return true;
  }
  // With two runners one block each, so that both have work.
  const bool first = (s.queued & 1) != 0;
  const std::uint8_t take = options_.runners == 1 ? s.queued : first ? Bit(0) : Bit(1);
  for (int k = 0; k < options_.blocks; ++k) {
    if ((take & Bit(k)) != 0) Store(s, k, BlockState::kTaken, Role::kServer);
  }
  s.queued &= static_cast<std::uint8_t>(~take);
  s.baton = kNobody;
  self = {Is(Mutant::kDoneBeforeOutputs) ? RunnerAt::kDone : RunnerAt::kRun, 0, take, 0, 0};
  return true;
}

bool ProtocolSteps::BatchStep(State& s, Runner& self) const {
  if (self.at == RunnerAt::kRingLane) {
    self = {RunnerAt::kLock, 0, 0, 0, 0};
    RingLane(s);
    return true;
  }
  if (self.k == options_.blocks) {
    const bool outputs_follow = self.at == RunnerAt::kDone && Is(Mutant::kDoneBeforeOutputs);
    self.at = self.at == RunnerAt::kRun ? RunnerAt::kDone
              : outputs_follow          ? RunnerAt::kLateRun
                                        : RunnerAt::kRingLane;
    self.k = 0;
    return true;
  }
  if ((self.taken & Bit(self.k)) != 0) {
    if (self.at == RunnerAt::kDone) {
      Store(s, self.k, BlockState::kDone, Role::kServer);
    } else {
      s.out[self.k] = s.in[self.k];
    }
  }
  ++self.k;
  return true;
}

bool ProtocolSteps::RunnerAwaitStep(State& s, Runner& self) const {
  switch (self.at) {
    case RunnerAt::kFirstLook:
      self.at = s.pending != 0 ? RunnerAt::kExchange : RunnerAt::kSetBit;
      return true;
    case RunnerAt::kSetBit:
      s.bell_bit = 1;
      self.changed = 0;
      self.at = Is(Mutant::kServerNoSecondLook) ? RunnerAt::kEnterKernel : RunnerAt::kSecondLook;
      return true;
    case RunnerAt::kSecondLook:
      if (s.pending != 0) {
        s.bell_bit = self.changed = 0;
        self.at = RunnerAt::kExchange;
      } else {
        self.at = RunnerAt::kEnterKernel;
      }
      return true;
    case RunnerAt::kEnterKernel:
      self.at = self.changed != 0 ? RunnerAt::kAwake : RunnerAt::kAsleep;
      self.changed = 0;
      return true;
    case RunnerAt::kAwake:
      s.bell_bit = 0;
      self.at = RunnerAt::kExchange;
      return true;
    default:
      return false;  // asleep
  }
}

}  // namespace az::fakes
