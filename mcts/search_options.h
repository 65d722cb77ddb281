#pragma once
// Options of the tree search; formulas and sources in docs/search.md and next to the code they
// steer. Rules over several of them: engine/config/validate_search.h.

#include <algorithm>

#include "base/describe.h"
#include "mcts/search_enums.h"

namespace az {

// Gumbel root (Danihelka et al. 2022; mcts/gumbel_root.h).
struct GumbelOptions {
  int max_considered = 16;
  float c_visit = 50.0f;
  float c_scale = 1.0f;
  ValueScale value_scale = ValueScale::kVisits;
  Auto<int> explore_plies;  // auto: a third of the board's cells
  bool full = false;        // below the root too
};
template <class V>
void Describe(V& v, GumbelOptions& o) {
  v.Field("max_considered", o.max_considered, Range{1, 4096},
          "moves that sequential halving starts with");
  v.Field("c_visit", o.c_visit, Range{0.0f, 1e6f}, "weight of values, beside the most visits");
  v.Field("c_scale", o.c_scale, Range{0.0f, 1e3f}, "weight of values against the prior");
  v.Field("value_scale", o.value_scale,
          "values as they are, or stretched to [0, 1] over the moves (then c_scale 0.1)");
  v.Field("explore_plies", o.explore_plies, Range{0, 10'000},
          "first plies that self-play draws by visits; auto = a third of the board's cells");
  v.Field("full", o.full, "choose by improved policy below the root too");
}

// Resignation (mcts/resignation.h).
struct ResignOptions {
  float threshold = 0.0f;  // 0: off
  int streak = 3;
  float play_on = 0.1f;
};
template <class V>
void Describe(V& v, ResignOptions& o) {
  v.Field("threshold", o.threshold, Range{0.0f, 1.0f},
          "a side whose root value is at most minus this may resign (self-play); 0 = never; raised "
          "by the run while its audit finds too many errors");
  v.Field("streak", o.streak, Range{1, 100}, "own moves in a row that must be so bad");
  v.Field("play_on", o.play_on, Range{0.0f, 1.0f},
          "share of games played to the end all the same, to audit resignation and adjudication");
}

struct SearchOptions {
  int visits = 200;            // simulations of a full search
  float full_fraction = 1.0f;  // share of self-play plies; the others are searched with fast_visits
  Auto<int> fast_visits;       // auto: a sixth of the full search's
  RootRule root = RootRule::kPuct;
  float c_puct = 1.5f;
  float c_puct_factor = 1.0f;
  float c_puct_base = 19652.0f;
  float c_puct_stdev_scale = 0.0f;  // 0: off
  float fpu_reduction = 0.2f;
  bool stop_when_decided = false;
  float noise_fraction = 0.25f;  // its share of the root prior
  float noise_total = 10.83f;    // sum of the Dirichlet's alphas, for any number of legal actions
  bool noise_shaped = true;
  float root_temperature = 1.0f;  // exponent 1/T on the root's priors
  float forced_playouts = 0.0f;   // k of forced visits; 0: off
  bool target_pruning = false;
  PruneLimit prune_limit = PruneLimit::kForced;
  float temperature_start = 0.8f;     // move choice at ply 0
  float temperature_end = 0.2f;       // and far into the game
  float temperature_halflife = 0.0f;  // plies; 0 = the number of board rows
  float random_opening_plies = 0.0f;  // mean; 0: off
  float policy_opening_plies = 0.0f;  // mean; 0: off
  bool tree_reuse = true;
  KeptVisits reuse_counts = KeptVisits::kSelfPlay;
  bool solver = true;  // proven wins, losses and draws are backed up
  bool adjudicate_proven = false;
  SymmetryMode symmetry = SymmetryMode::kHashed;
  int canonical_plies = 8;
  Bytes cache = MiB(16);      // each worker's; 0 turns it off
  Auto<int> cache_max_legal;  // auto: the most of the game
  int max_in_flight = 1;
  InFlightRule in_flight_rule = InFlightRule::kUnobserved;
  float virtual_loss = 1.0f;  // w of in_flight_rule = virtual_loss
  GumbelOptions gumbel;
  ResignOptions resign;

  // Simulations of a fast search where a full one has `full`.
  int FastVisits(int full) const {
    return fast_visits ? std::min(*fast_visits, full) : std::max(1, full / 6);
  }
  bool CountsKept(SearchMode mode) const {
    return reuse_counts == KeptVisits::kAlways ||
           (reuse_counts == KeptVisits::kSelfPlay && mode == SearchMode::kSelfPlay);
  }
  // The visits at which a root is full when searches of this many simulations follow each other in
  // one tree: the limit of each search, and what the tree's memory must hold.
  int MostVisits(int simulations, SearchMode mode) const {
    return tree_reuse && !CountsKept(mode) ? 2 * simulations : simulations;
  }
};

template <class V>
void Describe(V& v, SearchOptions& o) {
  v.Field("visits", o.visits, Range{1, 1'000'000}, "simulations per move in a full search");
  v.Field("full_fraction", o.full_fraction, Range{0.0f, 1.0f},
          "share of self-play plies searched in full; only these are policy samples");
  v.Field("fast_visits", o.fast_visits, Range{1, 1'000'000},
          "simulations of the other plies, without noise; auto = a sixth of visits");
  v.Field("root", o.root,
          "how the root spends its simulations; auto = gumbel for full searches of at most 32");
  v.Field("c_puct", o.c_puct, Range{0.0f, 100.0f},
          "exploration constant of PUCT, for values in [-1, +1]");
  v.Field("c_puct_factor", o.c_puct_factor, Range{0.0f, 100.0f},
          "growth of the exploration constant with ln(visits)");
  v.Field("c_puct_base", o.c_puct_base, Range{1.0f, 1e9f}, "visits at which that growth sets in");
  v.Field("c_puct_stdev_scale", o.c_puct_stdev_scale, Range{0.0f, 1.0f},
          "how much exploration follows the spread of a node's values; 0 = not");
  v.Field("fpu_reduction", o.fpu_reduction, Range{0.0f, 2.0f},
          "how far below its parent an unvisited move is valued");
  v.Field("stop_when_decided", o.stop_when_decided,
          "matches: stop a search when no other move can catch up");
  v.Field("noise_fraction", o.noise_fraction, Range{0.0f, 1.0f},
          "share of Dirichlet noise in the root priors (self-play)");
  v.Field("noise_total", o.noise_total, Range{0.01f, 1000.0f},
          "sum of the Dirichlet alphas over the legal moves");
  v.Field("noise_shaped", o.noise_shaped, "half the noise to moves the prior likes more than most");
  v.Field("root_temperature", o.root_temperature, Range{0.1f, 10.0f},
          "softens the root priors (self-play)");
  v.Field("forced_playouts", o.forced_playouts, Range{0.0f, 100.0f},
          "least visits of a tried root move: sqrt(this x prior x visits) (self-play); 0 = none");
  v.Field("target_pruning", o.target_pruning,
          "take visits that exploration alone gave back out of the policy target");
  v.Field("prune_limit", o.prune_limit,
          "at most the forced visits of a move are pruned, or as many as its score allows");
  v.Field("temperature_start", o.temperature_start, Range{0.0f, 10.0f},
          "move-choice temperature at the first ply (self-play)");
  v.Field("temperature_end", o.temperature_end, Range{0.0f, 10.0f},
          "move-choice temperature late in the game (self-play)");
  v.Field("temperature_halflife", o.temperature_halflife, Range{0.0f, 1000.0f},
          "plies in which the temperature halves its way; 0 = board rows");
  v.Field("random_opening_plies", o.random_opening_plies, Range{0.0f, 1000.0f},
          "mean number (geometric) of first plies drawn evenly from the legal moves (self-play); "
          "0 = none");
  v.Field("policy_opening_plies", o.policy_opening_plies, Range{0.0f, 1000.0f},
          "mean number (geometric) of first plies, after random ones, drawn from the raw policy "
          "(self-play); 0 = none");
  v.Field("tree_reuse", o.tree_reuse, "keep the subtree of the move that was played");
  v.Field("reuse_counts", o.reuse_counts,
          "where kept visits count as simulations: always, self_play (not in matches and play), "
          "never; where they do not, a search makes its simulations on top of them, but ends when "
          "its root has twice as many visits in all");
  v.Field("solver", o.solver, "back up proven wins, losses and draws");
  v.Field("adjudicate_proven", o.adjudicate_proven, "end a self-play game when its root is proven");
  v.Field(
      "symmetry", o.symmetry,
      "image in which a position is evaluated: its own, one drawn by its hash, or the smallest");
  v.Field("canonical_plies", o.canonical_plies, Range{0, 10'000},
          "first plies of a game with canonical images; hashed ones follow");
  v.Field("cache", o.cache, Range{Bytes(0), GiB(64)},
          "evaluation cache of each worker; 0B turns it off");
  v.Field("cache_max_legal", o.cache_max_legal, Range{1, 255},
          "positions with more legal moves are not cached; auto = the most of the game");
  v.Field("max_in_flight", o.max_in_flight, Range{1, 1024},
          "positions of one tree that wait for the network at a time: searches of one game "
          "(az_bench); no effect in a run, where each of a worker's games has one");
  v.Field("in_flight_rule", o.in_flight_rule,
          "what those count as: visits without a value, or losses (az_bench; no effect in a run)");
  v.Field("virtual_loss", o.virtual_loss, Range{0.0f, 100.0f},
          "losses that each of them counts (az_bench; no effect in a run)");
  v.Section("gumbel", o.gumbel, "Gumbel root");
  v.Section("resign", o.resign, "resignation in self-play");
}

}  // namespace az
