#pragma once
// The block protocol as an explicit-state model: one lane, one worker, runners that share a baton,
// crashes of either side at every step, time limits off (a protocol that lives on time-outs is a
// broken one). CheckModel walks all interleavings breadth first. Steps are those of ShmEvaluator,
// BlockQueue, RunnerPool and EventCount; sequential consistency is assumed (TSan looks at the
// orders).

#include <cstddef>
#include <cstdint>
#include <string>

namespace az::fakes {

// One deliberate mistake each; all must be caught.
enum class Mutant : std::uint8_t {
  kNone,
  kPrivateFutex,        // wakes reach nobody in another process
  kWorkerNoSecondLook,  // sleeps without looking again after its bit is set
  kServerNoSecondLook,
  kRingBeforeState,     // hint and ring first, SUBMITTED after
  kRestartRingsNoLane,  // a new server rings nobody
  kSuccessorDoesNotRing,
  kNoRequeue,          // a new server leaves TAKEN blocks of the old one
  kSuccessorFreesAll,  // a successor frees blocks that are the server's
  kDoneBeforeOutputs,
};

struct ModelOptions {
  int blocks = 1;   // at most 2
  int runners = 1;  // at most 2
  int worker_crashes = 1;
  int server_crashes = 1;
  Mutant mutant = Mutant::kNone;
};

struct ModelVerdict {
  std::size_t states = 0;
  std::string fault;  // empty: none found
};

ModelVerdict CheckModel(const ModelOptions& options);

}  // namespace az::fakes
