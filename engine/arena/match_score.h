#pragma once
// MatchScore: what a match of two players has come to: wins by colour, and the pairs from which
// Elo, superiority and SPRT follow (pentanomial.h).

#include <array>
#include <cstdint>
#include <map>
#include <optional>

#include "engine/arena/pentanomial.h"
#include "games/game.h"

namespace az {

// Games in the view of one player.
struct MatchTally {
  std::int64_t wins = 0;
  std::int64_t draws = 0;
  std::int64_t losses = 0;
  std::int64_t games() const { return wins + draws + losses; }
  double points() const { return static_cast<double>(wins) + 0.5 * static_cast<double>(draws); }
  double score() const { return games() == 0 ? 0.0 : points() / static_cast<double>(games()); }
  friend bool operator==(const MatchTally&, const MatchTally&) = default;
};

// What the pair that a game completes tells: kReplay, nothing, since an earlier pair was the same
// games (replays.h).
enum class PairNews : std::uint8_t { kNew, kReplay };

// Thread-compatible.
class MatchScore {
 public:
  // A game of the match has ended; `outcome` is nullopt when it was given up, and then counts
  // nowhere but in given_up. `news` is read of the second game of a pair. REQUIRES: once a game.
  void Add(std::uint32_t game_index, std::optional<Outcome> outcome,
           PairNews news = PairNews::kNew);

  // All in the view of player 0.
  MatchTally total() const;
  MatchTally as(Player colour) const { return by_colour_[static_cast<std::size_t>(colour)]; }
  std::int64_t given_up() const { return given_up_; }
  // Complete pairs by points, as they were played: for tables.
  const PairCounts& pairs() const { return pairs_; }
  // Those that tell something new: what every statistic is of.
  const PairCounts& distinct_pairs() const { return distinct_pairs_; }
  // Games of the others; total() less these is what a rating or a gate may count.
  const MatchTally& replayed() const { return replayed_; }
  MatchTally distinct_total() const;
  ScoreEstimate Estimate() const { return EstimateFromPairs(distinct_pairs_); }
  // Share of the points in the distinct pairs, the one that Estimate is about; of all games while
  // there is no pair.
  double score() const {
    return PairsIn(distinct_pairs_) > 0 ? ScoreOf(distinct_pairs_) : total().score();
  }

 private:
  std::array<MatchTally, 2> by_colour_;
  PairCounts pairs_{};
  PairCounts distinct_pairs_{};
  MatchTally replayed_;
  std::map<std::uint32_t, int> half_pairs_;  // pair -> half points of its first finished game
  std::int64_t given_up_ = 0;
};

}  // namespace az
