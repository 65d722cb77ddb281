#pragma once
// Judges the threshold at which self-play resigns by the games that were played on although a side
// would have resigned. Pure values, kept in RunState.

#include <cstdint>

namespace az {

// A resignation was wrong when the side that would have resigned did not lose.
struct ResignAudit {
  double threshold = 0;  // 0: resignation is off for the run
  std::int64_t games = 0;
  std::int64_t errors = 0;
  friend bool operator==(const ResignAudit&, const ResignAudit&) = default;
};

// Games may end by resignation: enough were audited, and the upper end of the 95 % interval of the
// error rate is at most 5 % (AlphaGo Zero's limit).
bool MayResign(const ResignAudit& audit);

// After more audited games. When errors are too many, or after 300 games still not few enough for
// MayResign, the threshold rises, and the audit of the new one starts without games. Older games
// fade: the players change.
ResignAudit AfterGames(ResignAudit audit, std::int64_t games, std::int64_t errors);

}  // namespace az
