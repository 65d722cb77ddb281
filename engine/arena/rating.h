#pragma once
// Ratings of many players from all their matches: the Elo curve of a run, the table of a round
// robin. Pure.
//
// Bradley and Terry's model: player a scores 1 / (1 + 10^((elo_b - elo_a) / 400)) a game against b,
// a draw is half a point (Bradley and Terry, Biometrika 39, 1952; draws as halves: as BayesElo's
// and Ordo's users expect). The likelihood is concave and has one maximum, found by Newton's
// method.

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "base/result.h"
#include "engine/arena/match_score.h"

namespace az {

// Games between two players. Several meetings of the same two add up.
struct Meeting {
  std::size_t player = 0;
  std::size_t opponent = 0;
  MatchTally tally;  // in the view of `player`
};

struct RatingOptions {
  std::size_t players = 0;
  std::size_t anchor = 0;  // whose rating is anchor_elo
  double anchor_elo = 0;
  // The prior: each two players that met have drawn this many games more. It keeps the rating of a
  // player that won or lost everything finite, and draws all others a little together. 0: none.
  double prior_draws = 1;
};

struct Rating {
  double elo = 0;
  // Of the difference to the anchor, from the curvature of the likelihood; 0 for the anchor. A
  // little large with many draws, since a game counts as decided.
  double standard_error = 0;
};

// One entry a player; nullopt for players whom no chain of games joins to the anchor. kInvalid: a
// meeting or anchor that is no player, a player that meets itself, negative counts or prior, or
// (without a prior only) players whose rating is infinite.
Result<std::vector<std::optional<Rating>>> FitRatings(std::span<const Meeting> meetings,
                                                      const RatingOptions& options);

}  // namespace az
