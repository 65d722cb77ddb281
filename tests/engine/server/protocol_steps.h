#pragma once
// The state of the protocol model and its steps; protocol_model.h says what is modelled.

#include <array>
#include <cstdint>
#include <string>
#include <type_traits>

#include "engine/ipc/block.h"
#include "tests/engine/server/protocol_model.h"

namespace az::fakes {

constexpr std::uint8_t kNothing = 9;    // no output yet
constexpr std::uint8_t kNobody = 0xFF;  // the baton is free

// Where the worker is. kAdopt...: a new worker looks at its predecessor's blocks; kSubmit to kRing:
// block `k`; kRingFirst, kSubmitAfter: the mutant's order; from kSetBit: inside EventCount::Await.
enum class WorkerAt : std::uint8_t {
  kAdopt,
  kAdoptFree,
  kAdoptMark,
  kAdoptRing,
  kScan,
  kSubmit,
  kMark,
  kRing,
  kRingFirst,
  kSubmitAfter,
  kSetBit,
  kSecondLook,
  kEnterKernel,
  kAsleep,
  kAwake,
};
enum class RunnerAt : std::uint8_t {
  kBoot,
  kLock,
  kExchange,
  kCollect,
  kSeal,
  kFirstLook,
  kSetBit,
  kSecondLook,
  kEnterKernel,
  kAsleep,
  kAwake,
  kRun,
  kLateRun,
  kDone,
  kRingLane,
};

struct Runner {
  RunnerAt at;
  std::uint8_t bits;   // kCollect: what the exchange took
  std::uint8_t taken;  // blocks of the batch, a bit each
  std::uint8_t k;
  std::uint8_t changed;  // the bell's word changed since its bit was set
  bool operator==(const Runner&) const = default;
};

struct State {
  std::array<std::uint8_t, 2> block;  // BlockState
  std::array<std::uint8_t, 2> in;     // the request's number
  std::array<std::uint8_t, 2> out;
  std::uint8_t pending, bell_bit, lane_bit;
  WorkerAt worker;
  std::uint8_t k;
  std::array<std::uint8_t, 2> expected;  // what the worker asked for
  std::uint8_t dropped;                  // blocks of its predecessor, a bit each
  std::uint8_t changed;                  // the lane bell's word, as above
  std::array<Runner, 2> runners;
  std::uint8_t queued;  // blocks, a bit each
  std::uint8_t baton;
  std::uint8_t worker_crashes, server_crashes;
  std::uint8_t booting;
  bool operator==(const State&) const = default;
};
static_assert(std::has_unique_object_representations_v<State>);

// Thrown at the first fault: the search stops there.
struct Fault {
  std::string what;
};

// One process after the other takes a step. Thread-compatible.
class ProtocolSteps {
 public:
  explicit ProtocolSteps(const ModelOptions& options) : options_(options) {}

  State Start() const;
  // False: asleep or waiting for another. Throws Fault.
  bool WorkerStep(State& s) const;
  bool RunnerStep(State& s, int index) const;
  // The process is gone and its successor starts. REQUIRES: a crash is left.
  State WorkerCrash(State s) const;
  State ServerCrash(State s) const;

 private:
  bool Is(Mutant mutant) const { return options_.mutant == mutant; }
  static BlockState At(const State& s, int k) {
    return static_cast<BlockState>(s.block[static_cast<std::size_t>(k)]);
  }
  static std::uint8_t Bit(int k) { return static_cast<std::uint8_t>(1 << k); }
  void Store(State& s, int k, BlockState to, Role role) const;
  void NewServer(State& s) const;
  void RingBell(State& s) const;
  void RingLane(State& s) const;
  bool AnyDone(const State& s) const;
  bool AnyFree(const State& s) const;
  bool AdoptStep(State& s) const;
  void FreeIfAnswered(State& s) const;
  void Forget(State& s) const;
  bool ScanStep(State& s) const;
  bool WorkerAwaitStep(State& s) const;
  bool BootStep(State& s, Runner& self) const;
  bool SealStep(State& s, Runner& self) const;
  bool BatchStep(State& s, Runner& self) const;
  bool RunnerAwaitStep(State& s, Runner& self) const;

  const ModelOptions options_;
};

}  // namespace az::fakes
