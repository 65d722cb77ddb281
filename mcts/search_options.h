#pragma once
// Options of the tree search; formulas and sources in docs/search.md and next to the code they
// steer.

#include <cstdint>

#include "base/describe.h"

namespace az {

struct SearchOptions {
  int visits = 200;  // simulations of a full search
  float c_puct = 1.5f;
  float c_puct_factor = 1.0f;
  float c_puct_base = 19652.0f;
  float fpu_reduction = 0.2f;
  float noise_fraction =
      0.25f;  // share of the root prior replaced by Dirichlet noise; 0 = no noise
  float noise_total =
      10.83f;  // sum of the Dirichlet's alphas, whatever the number of legal actions
  float root_temperature = 1.0f;      // exponent 1/T on the root's priors
  float temperature_start = 0.8f;     // move choice at ply 0
  float temperature_end = 0.2f;       // and far into the game
  float temperature_halflife = 0.0f;  // plies; 0 = the number of board rows
  bool tree_reuse = true;
  bool solver = true;     // proven wins, losses and draws are backed up
  bool symmetry = true;   // evaluate positions in an image chosen by their hash
  Bytes cache = MiB(16);  // evaluation cache of a worker; 0 turns it off
};

template <class V>
void Describe(V& v, SearchOptions& o) {
  v.Field("visits", o.visits, Range{1, 1'000'000}, "simulations per move in a full search");
  v.Field("c_puct", o.c_puct, Range{0.0f, 100.0f},
          "exploration constant of PUCT, for values in [-1, +1]");
  v.Field("c_puct_factor", o.c_puct_factor, Range{0.0f, 100.0f},
          "growth of the exploration constant with ln(visits)");
  v.Field("c_puct_base", o.c_puct_base, Range{1.0f, 1e9f}, "visits at which that growth sets in");
  v.Field("fpu_reduction", o.fpu_reduction, Range{0.0f, 2.0f},
          "how far below its parent an unvisited move is valued");
  v.Field("noise_fraction", o.noise_fraction, Range{0.0f, 1.0f},
          "share of Dirichlet noise in the root priors (self-play)");
  v.Field("noise_total", o.noise_total, Range{0.01f, 1000.0f},
          "sum of the Dirichlet alphas over the legal moves");
  v.Field("root_temperature", o.root_temperature, Range{0.1f, 10.0f},
          "softens the root priors (self-play)");
  v.Field("temperature_start", o.temperature_start, Range{0.0f, 10.0f},
          "move-choice temperature at the first ply (self-play)");
  v.Field("temperature_end", o.temperature_end, Range{0.0f, 10.0f},
          "move-choice temperature late in the game (self-play)");
  v.Field("temperature_halflife", o.temperature_halflife, Range{0.0f, 1000.0f},
          "plies in which the temperature halves its way; 0 = board rows");
  v.Field("tree_reuse", o.tree_reuse, "keep the subtree of the move that was played");
  v.Field("solver", o.solver, "back up proven wins, losses and draws");
  v.Field("symmetry", o.symmetry, "evaluate positions in a random symmetric image");
  v.Field("cache", o.cache, Range{Bytes(0), GiB(64)},
          "evaluation cache of each worker; 0B turns it off");
}

}  // namespace az
