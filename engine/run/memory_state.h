#pragma once
// What a run has learned about its memory: kept in state.json, so that a run that is started again
// does not walk into the same failure. A value.

#include <cstdint>
#include <vector>

#include "scheduler/climb.h"
#include "scheduler/plan_input.h"

namespace az {

struct MemoryState {
  ClimbState train;      // rungs below the plan, of training
  ClimbState inference;  // and of self-play and arena
  ClimbState host;       // of what workers keep in RAM
  std::vector<FailedSizes> failed;
  // Of builds that did not keep where it was (state.json without on_cpu); PlaceFailures settles it.
  std::vector<FailedSizes> unplaced;
  bool has_restarted_device = false;  // because of a leak: once a run
  std::int64_t counted = -1;          // the last iteration that was looked at for clean ones

  RungsTaken rungs() const {
    return {.train = train.rungs, .inference = inference.rungs, .host = host.rungs};
  }
  friend bool operator==(const MemoryState&, const MemoryState&) = default;
};

}  // namespace az
