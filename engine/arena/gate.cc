#include "engine/arena/gate.h"

#include "base/check.h"

namespace az {

GateVerdict DecideGate(const GateRule& rule, const MatchTally& candidate, std::int64_t given_up) {
  const std::int64_t left = rule.games - candidate.games() - given_up;
  AZ_CHECK_GE(left, 0);
  const std::int64_t counted = rule.games - given_up;
  if (counted == 0) return GateVerdict::kFail;
  // A game given up later lowers what is needed by at most what it takes from the points that were
  // possible, so both verdicts stand. The tolerance is for thresholds such as 0.55 that have no
  // exact binary form.
  const double needed = rule.threshold * static_cast<double>(counted) - 1e-6;
  if (candidate.points() >= needed) return GateVerdict::kPass;
  if (candidate.points() + static_cast<double>(left) < needed) return GateVerdict::kFail;
  return GateVerdict::kUndecided;
}

}  // namespace az
