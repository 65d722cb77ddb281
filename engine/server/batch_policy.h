#pragma once
// When to seal a batch, and what goes in: a pure function over values. The dispatcher asks it
// whenever something changed and acts on the answer; no thread, no clock, no segment here.

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "base/clock.h"
#include "engine/ipc/counters.h"

namespace az {

struct BatchPolicy {
  std::vector<int> buckets;  // rising, not empty
  int min_rows = 1;          // a device that idles waits for so many rows while `linger` lasts
  Duration linger{};         // 0: never waits (runners on a CPU)
  Duration lead{};           // sealed so long before the device is free
  Duration starve = std::chrono::milliseconds(20);  // a block this old goes next
  Duration poll = std::chrono::milliseconds(2);     // look again after so long
};

// The blocks of one model slot that wait to be sealed.
struct ModelQueue {
  int rows = 0;
  int blocks = 0;
  TimePoint oldest{};  // submission of the oldest; undefined without blocks
  bool is_ready = false;
};

struct PolicyInput {
  std::array<ModelQueue, kMaxModels> queues{};
  int free_runners = 0;
  int in_flight = 0;          // batches
  int suspects = 0;           // blocks that were in a batch that ended a server, their model ready
  bool lanes_asleep = false;  // every worker sleeps: no more rows can come
  TimePoint now{};
  TimePoint device_free{};  // when what is in flight should be done; past: the device idles
};

enum class SealReason : std::uint8_t { kFull, kStarving, kSuspect, kReady };

struct Seal {
  int model = 0;  // of no meaning for kSuspect: one suspect, whatever its model
  int rows = 0;   // take whole blocks, oldest first, up to so many rows, but at least one block
  SealReason reason = SealReason::kReady;
  friend constexpr bool operator==(const Seal&, const Seal&) = default;
};

struct Decision {
  std::optional<Seal> seal;
  TimePoint wake_at{};  // without a seal: ask again then, or when something changes
};

// The first that matches: (1) no free runner or nothing to run: wait. (2) Suspects: wait until
// nothing is in flight, then one alone. (3) Choose the model: of the oldest block if that starves,
// else one that fills the largest bucket, else of the oldest block. (4) It starves or is full: seal
// the largest bucket. (5) The device is busy: wait until shortly before it is free. (6) The device
// idles, few rows, a worker awake, the oldest block young: wait for more. (7) Seal this runner's
// share of the rows.
Decision Decide(const BatchPolicy& policy, const PolicyInput& input);

// The smallest bucket that holds `rows`; the largest when none does. REQUIRES: buckets not empty.
int BucketFor(std::span<const int> buckets, int rows);

}  // namespace az
