#pragma once
// Surprise weighting: how often the plies of a game are sampled beside each other (KataGo methods;
// docs/learning.md). What the network did not foresee teaches more.
//
//   weight of a full ply = 1 - a - b' + a·KL_t / mean KL + b'·V_t / mean V, means over the game's
//
// full plies, so that these weigh 1 on average: a game counts as much as without. KL_t: of the
// policy target from the network's own policy. V_t = min(1, KL of s_t from v_t), both read as
// chances (1 + v) / 2, s_t the short-term value (short_term_value.h), v_t the raw network's; mean V
// where that is not known.
// b' = b·min(1, mean V / 0.01): where values were right all along, their noise does not count.

#include <span>
#include <vector>

#include "engine/data/game_record.h"

namespace az {

struct SurpriseOptions {
  double policy_share = 0;  // a
  double value_share = 0;   // b; a + b <= 1
  bool is_on() const { return policy_share > 0 || value_share > 0; }
};

// A weight a ply; 1 where a ply has no policy target. REQUIRES: an outcome; `movers[i]` moves at
// ply i; cells of the board.
std::vector<float> SurpriseWeights(const GameRecord& record, std::span<const Player> movers,
                                   int cells, const SurpriseOptions& options);

}  // namespace az
