#pragma once
// Rates many players from all their matches: the Elo curve of a run, the table of a round robin.
// Pure.
//
// The model of Bradley and Terry (Biometrika 39, 1952): in a game against b, player a scores 1 / (1
// + 10^((elo_b - elo_a) / 400)) on average. A draw is half a point, as users of BayesElo and Ordo
// expect. The likelihood is concave and has one maximum, which Newton's method finds.

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "base/result.h"
#include "engine/arena/match_score.h"

namespace az {

// The games between two players. Several meetings of the same two add up.
struct Meeting {
  std::size_t player = 0;
  std::size_t opponent = 0;
  MatchTally tally;  // in the view of `player`
};

struct RatingOptions {
  std::size_t players = 0;
  std::size_t anchor = 0;  // the player whose rating is anchor_elo
  double anchor_elo = 0;
  // The prior: any two players that met count as having drawn so many more games. It keeps the
  // rating of a player that won or lost everything finite, and draws all others a little together.
  // 0: none.
  double prior_draws = 1;
};

struct Rating {
  double elo = 0;
  // The standard error of the difference to the anchor, from the curvature of the likelihood; 0 for
  // the anchor. With many draws it is a little too large, since every game counts as decided.
  double standard_error = 0;
};

// One rating per player; nullopt for players whom no chain of games joins to the anchor. Fails with
// kInvalid for a meeting or anchor that names no player, a player that meets itself, negative
// counts or prior, or (only without a prior) players whose rating is infinite.
Result<std::vector<std::optional<Rating>>> FitRatings(std::span<const Meeting> meetings,
                                                      const RatingOptions& options);

}  // namespace az
