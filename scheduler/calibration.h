#pragma once
// What was measured on the device that a plan is made for: fitted peaks and times in place of
// formulas and priors. Made by probing (probe.h), kept in the probe cache, given to the planner.

#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

#include "base/bytes.h"
#include "scheduler/precision.h"

namespace az {

// Bytes of a batch of b rows beside the state that is there anyway: fixed + row * b, and never less
// than the smallest size that was measured took.
struct FittedPeak {
  Bytes fixed;
  Bytes row;
  Bytes least{};
  constexpr Bytes At(std::int64_t rows) const { return std::max(least, fixed + row * rows); }
  friend constexpr bool operator==(const FittedPeak&, const FittedPeak&) = default;
};

// Microseconds of a batch of b rows: fixed_us + row_us * b.
struct FittedTime {
  double fixed_us = 0;
  double row_us = 0;
  constexpr double Micros(double rows) const { return fixed_us + row_us * rows; }
  friend constexpr bool operator==(const FittedTime&, const FittedTime&) = default;
};

// Fits hold for the precision (and segment length) that they were measured with and no other.
struct ProbedInference {
  Precision precision = Precision::kFp32;
  FittedPeak peak;  // of one batch in flight
  FittedTime time;
  friend bool operator==(const ProbedInference&, const ProbedInference&) = default;
};
struct ProbedTraining {
  Precision precision = Precision::kFp32;
  int checkpoint_blocks = 0;
  FittedPeak peak;  // of one shard's micro-batch
  FittedTime time;  // of forward and backward
  friend bool operator==(const ProbedTraining&, const ProbedTraining&) = default;
};

struct Calibration {
  std::optional<Bytes> context;      // of a CUDA process
  std::optional<Bytes> workspaces;   // of one thread and stream
  std::optional<Bytes> device_base;  // host memory of a device process before any network
  std::vector<ProbedInference> inference;
  std::vector<ProbedTraining> training;
  std::optional<double> worker_us_per_row;  // CPU time of a worker for each row it asks for
  Bytes confirm_residual;  // the most that a confirming run took above its prediction
  friend bool operator==(const Calibration&, const Calibration&) = default;
};

}  // namespace az
