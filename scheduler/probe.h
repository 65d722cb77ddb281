#pragma once
// The pure half of probing: which batch sizes to run, what they tell about other sizes, and how
// well a confirming run agrees. The half that runs them is engine/memory/probe_run.h.

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "scheduler/calibration.h"

namespace az {

// Two sizes, one a quarter of the other: a single point cannot tell the fixed part from the slope.
struct ProbeSizes {
  int small = 0;
  int large = 0;
  friend constexpr bool operator==(const ProbeSizes&, const ProbeSizes&) = default;
};

// The largest power of two up to `most` that is predicted to take at most half of `room`, and a
// quarter of that size. nullopt when not even 4 rows fit.
std::optional<ProbeSizes> ChooseProbeSizes(const FittedPeak& predicted, Bytes room, int most);
// The sizes to try after the larger one ran out of memory; nullopt when nothing smaller is left.
std::optional<ProbeSizes> HalvedSizes(const ProbeSizes& sizes);

// The measurement of one size. `peak` does not include the state, which is there anyway.
struct ProbePoint {
  int rows = 0;
  Bytes peak;
  double micros = 0;  // time of a step
};

// Fits a line that lies on or above every point, and keeps the points as sizes that were run. The
// slope is that of the points or the formula's, whichever is larger: a peak is the maximum of
// straight lines, so a plain fit through small sizes underestimates large ones. REQUIRES: at least
// two different sizes.
FittedPeak FitPeak(std::span<const ProbePoint> points, Bytes formula_row);
// Fits the line through the smallest and the largest size, with no part below 0. REQUIRES: as
// FitPeak.
FittedTime FitTime(std::span<const ProbePoint> points);

// The bytes by which a confirming run exceeded its prediction; 0 when it did not.
Bytes ConfirmResidual(const FittedPeak& fit, const ProbePoint& confirmed);

// Replaces the fit for the same precision (and segment), or adds this one.
void Remember(Calibration& calibration, const ProbedInference& probed);
void Remember(Calibration& calibration, const ProbedTraining& probed);

// The sizes that were run, one line per fit, for a person. Empty: none were.
std::vector<std::string> SeenSizes(const Calibration& calibration);

}  // namespace az
