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

// Thread-compatible.
class MatchScore {
 public:
  // A game of the match has ended; `outcome` is nullopt when it was given up, and then counts
  // nowhere but in given_up. REQUIRES: once a game.
  void Add(std::uint32_t game_index, std::optional<Outcome> outcome);

  // All in the view of player 0.
  MatchTally total() const;
  MatchTally as(Player colour) const { return by_colour_[static_cast<std::size_t>(colour)]; }
  std::int64_t given_up() const { return given_up_; }
  // Complete pairs by points, as EstimateFromPairs takes them.
  const PairCounts& pairs() const { return pairs_; }
  ScoreEstimate Estimate() const { return EstimateFromPairs(pairs_); }
  // Share of the points in the complete pairs, the one that Estimate is about; of all games while
  // there is no pair.
  double score() const { return PairsIn(pairs_) > 0 ? ScoreOf(pairs_) : total().score(); }

 private:
  std::array<MatchTally, 2> by_colour_;
  PairCounts pairs_{};
  std::map<std::uint32_t, int> half_pairs_;  // pair -> half points of its first finished game
  std::int64_t given_up_ = 0;
};

}  // namespace az
