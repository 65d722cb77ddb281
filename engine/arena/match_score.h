#pragma once
// MatchScore: the result of a match of two players so far: wins by colour, and the pairs from which
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

// Whether the pair that a game completes is new evidence. A kReplay is none, as an earlier pair has
// the same two games (replays.h).
enum class PairNews : std::uint8_t { kNew, kReplay };

// Thread-compatible.
class MatchScore {
 public:
  // Adds a game that has ended. With `outcome` nullopt it was given up and counts only in given_up.
  // `news` matters for the second game of a pair. REQUIRES: each game is added once.
  void Add(std::uint32_t game_index, std::optional<Outcome> outcome,
           PairNews news = PairNews::kNew);

  // The games, all in the view of player 0.
  MatchTally total() const;
  MatchTally as(Player colour) const { return by_colour_[static_cast<std::size_t>(colour)]; }
  std::int64_t given_up() const { return given_up_; }
  // All complete pairs by points, for tables.
  const PairCounts& pairs() const { return pairs_; }
  // The pairs that are new evidence; every statistic uses these.
  const PairCounts& distinct_pairs() const { return distinct_pairs_; }
  // The games of the other pairs; ratings and gates count total() minus these.
  const MatchTally& replayed() const { return replayed_; }
  MatchTally distinct_total() const;
  ScoreEstimate Estimate() const { return EstimateFromPairs(distinct_pairs_); }
  // The share of the points in the distinct pairs, which Estimate is about; before the first pair,
  // the share in all games.
  double score() const {
    return PairsIn(distinct_pairs_) > 0 ? ScoreOf(distinct_pairs_) : total().score();
  }

 private:
  std::array<MatchTally, 2> by_colour_;
  PairCounts pairs_{};
  PairCounts distinct_pairs_{};
  MatchTally replayed_;
  std::map<std::uint32_t, int> half_pairs_;  // pair -> half-points of its first finished game
  std::int64_t given_up_ = 0;
};

}  // namespace az
