#pragma once
// Made-up rows for probes and benchmarks: what they cost is real, what they say is not. Pure but
// for the generator.

#include <cstdint>
#include <span>
#include <vector>

#include "base/rng.h"
#include "engine/data/batch_assembly.h"
#include "games/game.h"

namespace az {

// Random bit planes with the bits behind the board left at zero, as every game encodes them.
// REQUIRES: `words` holds whole rows of shape.words().
void FillRandomPlanes(const PlaneShape& shape, Rng& rng, std::span<std::uint64_t> words);
std::vector<std::uint64_t> RandomPlanes(const PlaneShape& shape, int rows, Rng& rng);

// Everything is legal, every move as good as the others, outcomes and values at random.
TrainBatch RandomTrainBatch(const PlaneShape& shape, int actions, int rows, Rng& rng,
                            const HeadTargets& heads = {});

}  // namespace az
