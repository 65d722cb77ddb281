#include "engine/arena/gate.h"

#include "base/check.h"

namespace az {

GateVerdict DecideGate(const GateRule& rule, const MatchTally& candidate, std::int64_t given_up) {
  const std::int64_t left = rule.games - candidate.games() - given_up;
  AZ_CHECK_GE(left, 0);
  const std::int64_t counted = rule.games - given_up;
  if (counted == 0) return GateVerdict::kFail;
  // A game that is given up later lowers the points that are needed by no more than the points that
  // were possible, so both verdicts stand. The tolerance is for thresholds such as 0.55 that have
  // no exact binary form.
  const double needed = rule.threshold * static_cast<double>(counted) - 1e-6;
  if (candidate.points() >= needed) return GateVerdict::kPass;
  if (candidate.points() + static_cast<double>(left) < needed) return GateVerdict::kFail;
  return GateVerdict::kUndecided;
}

GateVerdict DecideGate(const Sprt& sprt, std::int64_t games, const MatchScore& candidate) {
  switch (sprt.Verdict(candidate.distinct_pairs())) {
    case SprtVerdict::kAcceptElo1:
      return GateVerdict::kPass;
    case SprtVerdict::kAcceptElo0:
      return GateVerdict::kFail;
    case SprtVerdict::kContinue:
      break;
  }
  if (candidate.total().games() + candidate.given_up() < games) return GateVerdict::kUndecided;
  return sprt.LogRatio(candidate.distinct_pairs()) > 0 ? GateVerdict::kPass : GateVerdict::kFail;
}

}  // namespace az
