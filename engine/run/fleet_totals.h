#pragma once
// FleetTotals: what a fleet has done since it started, over all its processes, those that died
// included. Sums, but for the memory: phases take differences, and a run's state keeps the sums of
// an iteration over the starts of the run.

#include <cstdint>

#include "base/bytes.h"
#include "base/sums.h"
#include "engine/ipc/serving_counts.h"
#include "engine/process/worker_counts.h"

namespace az {

// Plain value.
struct FleetTotals : WorkerCounts, ServingCounts {
  std::uint64_t worker_restarts = 0;
  std::uint64_t device_restarts = 0;
  Bytes memory;  // of the whole process tree now, segment counted once

  // All but the memory.
  template <class V>
  static constexpr void VisitSums(V&& visit) {
    WorkerCounts::VisitSums(visit);
    ServingCounts::VisitSums(visit);
    visit("worker_restarts", &FleetTotals::worker_restarts);
    visit("device_restarts", &FleetTotals::device_restarts);
  }
  using WorkerCounts::operator+=;   // a worker's part
  using ServingCounts::operator+=;  // a segment's
  FleetTotals& operator+=(const FleetTotals& other) {
    AddSums(other, *this);
    return *this;
  }
  FleetTotals& operator-=(const FleetTotals& other) {
    SubtractSums(other, *this);
    return *this;
  }
};

static_assert(BytesOfSums<FleetTotals>() == sizeof(FleetTotals) - sizeof(Bytes),
              "a sum that is not visited");

}  // namespace az
