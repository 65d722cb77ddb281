#pragma once
// What was measured on the device that a plan is made for: fitted peaks and times in place of
// formulas and priors. Made by probing (probe.h), kept in the probe cache, given to the planner.

#include <cstdint>
#include <optional>
#include <vector>

#include "base/bytes.h"
#include "scheduler/precision.h"

namespace az {

// A size that was run, and what it took.
struct SeenPeak {
  int rows = 0;
  Bytes peak;
  friend constexpr bool operator==(const SeenPeak&, const SeenPeak&) = default;
};

// Bytes of a batch of b rows beside the state that is there anyway. At a size that was run: what it
// took. Elsewhere the line fixed + row * b, but never less than a smaller size took nor more than a
// larger one; level below the smallest. So it never falls with the rows.
struct FittedPeak {
  Bytes fixed;
  Bytes row;
  std::vector<SeenPeak> seen{};  // rows rise, peaks do not fall; empty: a formula's line

  Bytes At(int rows) const;
  bool WasSeen(int rows) const;
  // Adds a size that was run; the larger peak counts when it was run before. Larger sizes take at
  // least as much: their peaks are raised where noise has them lower. REQUIRES: rows > 0.
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

// Fits hold for the precision (and segment length) that they were measured with and no other.
// at_once: batches in flight, or learner shards, that ran together; a plan with another number of
// them has a prediction, not a measurement.
struct ProbedInference {
  Precision precision = Precision::kFp32;
  FittedPeak peak;  // of one batch in flight
  FittedTime time;
  int at_once = 1;
  friend bool operator==(const ProbedInference&, const ProbedInference&) = default;
};
struct ProbedTraining {
  Precision precision = Precision::kFp32;
  int checkpoint_blocks = 0;
  FittedPeak peak;  // of one shard's micro-batch
  FittedTime time;  // of forward and backward
  int at_once = 1;
  friend bool operator==(const ProbedTraining&, const ProbedTraining&) = default;
};

struct Calibration {
  std::optional<Bytes> context;  // of a CUDA process
  std::vector<ProbedInference> inference;
  std::vector<ProbedTraining> training;
  Bytes confirm_residual;  // the most that a confirming run took above its prediction
  friend bool operator==(const Calibration&, const Calibration&) = default;
};

}  // namespace az
