#pragma once
// MatchCount: which games of a match count, and when it is decided. Of many games in flight the
// short ones end first, and they are the stronger side's more often than not: a test that takes
// pairs as they end errs far more often than its alpha, and a score of the games that have ended by
// then is too good. So a match that may end early counts pairs in the order of their index, and is
// the pairs up to the one that decided it.

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
  kByPair,     // pair 0, 1, 2 ... as far as both games of each have ended, and none once decided
};

// Of a match that this test may stop.
inline CountOrder OrderFor(const std::optional<Sprt>& test) {
  return test ? CountOrder::kByPair : CountOrder::kAsTheyEnd;
}
// The verdict with which the test stops it; nullopt: none yet, or no test.
std::optional<SprtVerdict> Stops(const std::optional<Sprt>& test, const MatchReport& report);

// Thread-compatible.
class MatchCount {
 public:
  using Decided = std::function<bool(const MatchReport&)>;

  // `decided` is asked after each game or pair that counts; may be empty: never.
  explicit MatchCount(CountOrder order, Decided decided = {}, Replays replays = Replays::kCount)
      : order_(order), decided_(std::move(decided)), replays_(replays) {}

  // A game has ended, given up or not. REQUIRES: once a game.
  void Add(const MatchGame& game);

  // Of the games that count: every score, verdict and table of the match comes from here.
  const MatchReport& report() const { return report_; }
  bool is_decided() const { return is_decided_; }
  // Games that have ended, and those of them that do not count (yet, before it is decided).
  std::int64_t ended() const { return ended_; }
  std::int64_t uncounted() const { return ended_ - report_.finished(); }
  // Of all that have ended, those without a result.
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
  std::map<std::uint32_t, MatchGame> waiting_;  // by index: not counted yet
  std::uint32_t next_ = 0;                      // the first game that does not count yet; even
};

}  // namespace az
