#pragma once
// MatchScore: what a match of two players has come to: wins by colour, score, and the Elo
// difference with its interval. The interval comes from pairs of games (pentanomial), since both
// games of a pair share an opening and are not independent.

#include <array>
#include <cstdint>
#include <map>
#include <optional>

#include "base/stats.h"
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

// Elo difference of which `score` is the expectation: -infinity at 0, +infinity at 1.
double EloOfScore(double score);

// A score in [0, 1] and its Elo, each with a 95 % interval; Elo bounds may be infinite.
struct ScoreEstimate {
  double score = 0.5;
  Interval score_interval{0, 1};
  double elo = 0;
  Interval elo_interval;
};

// From counts of pairs by the points of both games: 0, 1/2, 1, 3/2, 2. Normal interval from the
// variance between pairs; where that variance is 0 (all pairs alike) Wilson's over the pairs. No
// pairs: score 1/2, interval [0, 1].
ScoreEstimate EstimateFromPairs(const std::array<std::int64_t, 5>& pairs);

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
  const std::array<std::int64_t, 5>& pairs() const { return pairs_; }
  ScoreEstimate Estimate() const { return EstimateFromPairs(pairs_); }

 private:
  std::array<MatchTally, 2> by_colour_;
  std::array<std::int64_t, 5> pairs_{};
  std::map<std::uint32_t, int> half_pairs_;  // pair -> half points of its first finished game
  std::int64_t given_up_ = 0;
};

}  // namespace az
