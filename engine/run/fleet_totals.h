#pragma once
// FleetTotals: what a fleet has done since it started, over all its processes, those that died
// included. Sums, but for the memory: phases take differences, and a run's state keeps the sums of
// an iteration over the starts of the run.

#include <cstddef>
#include <cstdint>

#include "base/bytes.h"
#include "engine/ipc/serving_counts.h"
#include "engine/process/worker_counts.h"

namespace az {

// Plain value.
struct FleetTotals : WorkerCounts, ServingCounts {
  std::uint64_t worker_restarts = 0;
  std::uint64_t device_restarts = 0;
  Bytes memory;  // of the whole process tree now, segment counted once

  using WorkerCounts::operator+=;   // a worker's part
  using ServingCounts::operator+=;  // a segment's
  // All but the memory.
  FleetTotals& operator+=(const FleetTotals& other);
  FleetTotals& operator-=(const FleetTotals& other);
};

// Calls visit("name", pointer to member) for each sum.
template <class V>
constexpr void VisitFleetTotals(V&& visit) {
  VisitWorkerCounts(visit);
  VisitServingCounts(visit);
  visit("worker_restarts", &FleetTotals::worker_restarts);
  visit("device_restarts", &FleetTotals::device_restarts);
}

namespace run_internal {
consteval std::size_t BytesOfVisitedTotals() {
  std::size_t bytes = 0;
  VisitFleetTotals([&]<class C, class T>(const char*, T C::*) { bytes += sizeof(T); });
  return bytes;
}
static_assert(BytesOfVisitedTotals() == sizeof(FleetTotals) - sizeof(Bytes),
              "a sum that is not visited");
}  // namespace run_internal

inline FleetTotals& FleetTotals::operator+=(const FleetTotals& other) {
  VisitFleetTotals([&](const char*, auto sum) { this->*sum += other.*sum; });
  return *this;
}

inline FleetTotals& FleetTotals::operator-=(const FleetTotals& other) {
  VisitFleetTotals([&](const char*, auto sum) { this->*sum -= other.*sum; });
  return *this;
}

}  // namespace az
