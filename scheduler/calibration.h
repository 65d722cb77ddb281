#pragma once
// Calibration: measurements of the device that a plan is made for, fitted peaks and times in place
// of formulas and priors. Made by probing (probe.h), kept in the probe cache, given to the planner.

#include <cstdint>
#include <optional>
#include <vector>

#include "base/bytes.h"
#include "scheduler/precision.h"

namespace az {

// A size that was run, and the memory it took.
struct SeenPeak {
  int rows = 0;
  Bytes peak;
  friend constexpr bool operator==(const SeenPeak&, const SeenPeak&) = default;
};

// Bytes that a batch of b rows takes on top of the state. For a size that was run they are what it
// took. For other sizes they lie on the line fixed + row * b, but never below what a smaller size
// took nor above what a larger one took; below the smallest size they are constant. So they never
// fall as the rows rise.
struct FittedPeak {
  Bytes fixed;
  Bytes row;
  std::vector<SeenPeak> seen{};  // rows rise, peaks do not fall; empty: a formula's line

  Bytes At(int rows) const;
  bool WasSeen(int rows) const;
  // Adds a size that was run; if it was run before, the larger peak counts. Peaks of larger sizes
  // that noise left below this one are raised to it. REQUIRES: rows > 0.
  void See(int rows, Bytes peak);
  friend bool operator==(const FittedPeak&, const FittedPeak&) = default;
};

// Microseconds of a batch of b rows: fixed_us + row_us * b.
struct FittedTime {
  double fixed_us = 0;
  double row_us = 0;
  constexpr double Micros(double rows) const { return fixed_us + row_us * rows; }
  friend constexpr bool operator==(const FittedTime&, const FittedTime&) = default;
};

// A fit holds only for the precision (and segment length) that it was measured with. at_once: the
// batches in flight, or learner shards, that ran together; for a plan with another number of them
// the fit is a prediction, not a measurement.
struct ProbedInference {
  Precision precision = Precision::kFp32;
  FittedPeak peak;  // one batch in flight
  FittedTime time;
  int at_once = 1;
  friend bool operator==(const ProbedInference&, const ProbedInference&) = default;
};
struct ProbedTraining {
  Precision precision = Precision::kFp32;
  int checkpoint_blocks = 0;
  FittedPeak peak;  // one shard's micro-batch
  FittedTime time;  // forward and backward
  int at_once = 1;
  friend bool operator==(const ProbedTraining&, const ProbedTraining&) = default;
};

struct Calibration {
  std::optional<Bytes> context;  // a CUDA process's context
  std::vector<ProbedInference> inference;
  std::vector<ProbedTraining> training;
  Bytes confirm_residual;  // the most that a confirming run exceeded its prediction by
  friend bool operator==(const Calibration&, const Calibration&) = default;
};

}  // namespace az
