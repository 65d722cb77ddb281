#pragma once
// Probing, the pure half: which batch sizes to run, what follows for other sizes, and what a
// confirming run says about it. The running half is engine/memory/probe_run.h.

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "scheduler/calibration.h"

namespace az {

// Two sizes, a quarter apart: one point cannot tell the fixed part from the slope.
struct ProbeSizes {
  int small = 0;
  int large = 0;
  friend constexpr bool operator==(const ProbeSizes&, const ProbeSizes&) = default;
};

// The largest power of two up to `most` that is predicted to take half of `room` at most, and a
// quarter of it. Empty when not even 4 rows do.
std::optional<ProbeSizes> ChooseProbeSizes(const FittedPeak& predicted, Bytes room, int most);
// After running out of memory at the larger one; empty when nothing smaller is left.
std::optional<ProbeSizes> HalvedSizes(const ProbeSizes& sizes);

// What one size took. `peak` is beside the state that is there anyway.
struct ProbePoint {
  int rows = 0;
  Bytes peak;
  double micros = 0;  // of a step
};

// A line that lies on or above every point: the slope is that of the points or the formula's,
// whichever is more, because a peak is the maximum of straight lines, so that a plain fit through
// small sizes under-estimates large ones; and the points themselves, as sizes that were run.
// REQUIRES: two different sizes at least.
FittedPeak FitPeak(std::span<const ProbePoint> points, Bytes formula_row);
// The line through the smallest and the largest size, with nothing below 0. REQUIRES: as FitPeak.
FittedTime FitTime(std::span<const ProbePoint> points);

// How much more than predicted a confirming run took; 0 when it took no more.
Bytes ConfirmResidual(const FittedPeak& fit, const ProbePoint& confirmed);

// Puts a fit in place of the one of the same precision (and segment), or adds it.
void Remember(Calibration& calibration, const ProbedInference& probed);
void Remember(Calibration& calibration, const ProbedTraining& probed);

// Which sizes were run, a line a fit, for a person. Empty: none.
std::vector<std::string> SeenSizes(const Calibration& calibration);

}  // namespace az
