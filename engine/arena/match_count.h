#pragma once
// MatchCount: decides which games of a match count, and when the match is decided. Of many games in
// flight the short ones end first, and the stronger side wins most of those. So a test that takes
// pairs as they end errs far more often than its alpha, and the score of the games that have ended
// is too good. Therefore a match that may end early counts pairs in the order of their index, and
// consists of the pairs up to the one that decided it.

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <utility>

#include "engine/arena/match_report.h"
#include "engine/arena/replays.h"
#include "engine/arena/sprt.h"

namespace az {

enum class CountOrder : std::uint8_t {
  kAsTheyEnd,  // every game, decided or not
  kByPair,     // pairs 0, 1, 2 ... up to the first unfinished one, and none once decided
};

// The order for a match that this test may stop.
inline CountOrder OrderFor(const std::optional<Sprt>& test) {
  return test ? CountOrder::kByPair : CountOrder::kAsTheyEnd;
}
// The verdict with which the test stops the match; nullopt: none yet, or no test.
std::optional<SprtVerdict> Stops(const std::optional<Sprt>& test, const MatchReport& report);

// Thread-compatible.
class MatchCount {
 public:
  using Decided = std::function<bool(const MatchReport&)>;

  // `decided` is called after each game or pair that counts; an empty one never decides.
  explicit MatchCount(CountOrder order, Decided decided = {}, Replays replays = Replays::kCount)
      : order_(order), decided_(std::move(decided)), replays_(replays) {}

  // Adds a game that has ended, given up or not. REQUIRES: each game is added once.
  void Add(const MatchGame& game);

  // The games that count: every score, verdict and table of the match comes from here.
  const MatchReport& report() const { return report_; }
  bool is_decided() const { return is_decided_; }
  // The games that have ended, and those of them that do not count. Before the match is decided
  // these may count later.
  std::int64_t ended() const { return ended_; }
  std::int64_t uncounted() const { return ended_ - report_.finished(); }
  // The games that have ended without a result.
  std::int64_t given_up() const { return given_up_; }

 private:
  void Count(const MatchGame& game) { report_.Add(game, replays_.NewsOf(game)); }
  void Ask() { is_decided_ = is_decided_ || (decided_ && decided_(report_)); }

  CountOrder order_;
  Decided decided_;
  ReplayWatch replays_;
  MatchReport report_;
  bool is_decided_ = false;
  std::int64_t ended_ = 0;
  std::int64_t given_up_ = 0;
  std::map<std::uint32_t, MatchGame> waiting_;  // games not counted yet, keyed by index
  std::uint32_t next_ = 0;                      // the first game that does not count yet; even
};

}  // namespace az
