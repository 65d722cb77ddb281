#include "engine/loop/resign_audit.h"

#include "base/stats.h"

namespace az {
namespace {

constexpr std::int64_t kFewest = 50;
constexpr std::int64_t kMost = 1000;  // then the counts are halved
constexpr double kLimit = 0.05;       // of errors
constexpr double kRise = 0.25;        // of what lies between the threshold and 1

}  // namespace

bool MayResign(const ResignAudit& audit) {
  if (audit.threshold <= 0.0 || audit.games < kFewest) return false;
  return WilsonInterval(static_cast<double>(audit.errors), static_cast<double>(audit.games)).high <=
         kLimit;
}

ResignAudit AfterGames(ResignAudit audit, std::int64_t games, std::int64_t errors) {
  audit.games += games;
  audit.errors += errors;
  if (audit.games >= kFewest &&
      static_cast<double>(audit.errors) > kLimit * static_cast<double>(audit.games)) {
    return {.threshold = audit.threshold + kRise * (1.0 - audit.threshold)};
  }
  if (audit.games > kMost) {
    audit.games /= 2;
    audit.errors = (audit.errors + 1) / 2;
  }
  return audit;
}

}  // namespace az
