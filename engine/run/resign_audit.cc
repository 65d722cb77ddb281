#include "engine/run/resign_audit.h"

#include "base/stats.h"

namespace az {
namespace {

constexpr std::int64_t kFewest = 50;
constexpr std::int64_t kEnough = 300;  // to hold the interval's upper end against the threshold
constexpr std::int64_t kMost = 1000;   // then the counts are halved
constexpr double kLimit = 0.05;        // of errors
constexpr double kRise = 0.25;         // of what lies between the threshold and 1

double UpperEnd(const ResignAudit& audit) {
  return WilsonInterval(static_cast<double>(audit.errors), static_cast<double>(audit.games)).high;
}

// A rate that is too high whatever the interval; or, after many games, one that is not seen to be
// low enough: else a true rate just below the limit would keep resignation off for ever.
bool IsTooWrong(const ResignAudit& audit) {
  if (audit.games < kFewest) return false;
  if (static_cast<double>(audit.errors) > kLimit * static_cast<double>(audit.games)) return true;
  return audit.games >= kEnough && UpperEnd(audit) > kLimit;
}

}  // namespace

bool MayResign(const ResignAudit& audit) {
  return audit.threshold > 0.0 && audit.games >= kFewest && UpperEnd(audit) <= kLimit;
}

ResignAudit AfterGames(ResignAudit audit, std::int64_t games, std::int64_t errors) {
  audit.games += games;
  audit.errors += errors;
  if (IsTooWrong(audit)) {
    return {.threshold = audit.threshold + kRise * (1.0 - audit.threshold)};
  }
  if (audit.games > kMost) {
    audit.games /= 2;
    audit.errors = (audit.errors + 1) / 2;
  }
  return audit;
}

}  // namespace az
