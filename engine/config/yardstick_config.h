#pragma once
// Options of loop.yardstick; included by options.h.

#include <cstdint>

#include "base/describe.h"

namespace az {

struct LoopYardstickOptions {
  int every = 0;  // iterations between two measurements; 0: never
  int positions = 100;
  int sims = 64;
  int games = 2;
  float time_fraction = 0.02f;
  std::uint64_t seed = 1;
};
template <class V>
void Describe(V& v, LoopYardstickOptions& o) {
  v.Field("every", o.every, Range{0, 1'000'000},
          "iterations from one look at the playing weights to the next, and at the end; 0 = never");
  v.Field("positions", o.positions, Range{1, 100'000},
          "judged positions on which mistakes are counted; never trained on");
  v.Field("sims", o.sims, Range{1, 1'000'000}, "simulations of the search that is measured");
  v.Field("games", o.games, Range{0, 10'000},
          "games against perfect play from each opening, as each side that does not lose it");
  v.Field("time_fraction", o.time_fraction, Range{0.0f, 1.0f},
          "share of the run's time that it may take; a look that would take more is left out");
  v.Field("seed", o.seed, Range{std::uint64_t{0}, ~std::uint64_t{0}},
          "of the positions and the opponent's draws");
}

}  // namespace az
