#pragma once
// Symmetric images of positions for evaluation: planes go to the network as an image, logits come
// back by MapAction.

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <span>

#include "base/hash.h"
#include "games/game.h"

namespace az {

// MapAction and MapCell of a game as tables. Immutable after construction.
template <GameState S>
class SymmetryTable {
 public:
  static const SymmetryTable& Get() {
    static const SymmetryTable table;
    return table;
  }

  int MapAction(int action, int symmetry) const {
    return actions_[static_cast<std::size_t>(symmetry * S::kNumActions + action)];
  }
  // Permutes encoded planes. REQUIRES: both have S::kShape.words() words and do not overlap.
  void MapPlanes(std::span<const std::uint64_t> in, int symmetry,
                 std::span<std::uint64_t> out) const {
    constexpr std::size_t kPlaneWords = S::kShape.words_per_plane();
    const std::uint16_t* const image =
        &cells_[static_cast<std::size_t>(symmetry * S::kShape.cells())];
    std::ranges::fill(out, 0);
    for (std::size_t word = 0; word < in.size(); ++word) {
      const std::size_t plane = word / kPlaneWords * kPlaneWords;
      const std::size_t first_cell = word % kPlaneWords * 64;
      for (std::uint64_t rest = in[word]; rest != 0; rest &= rest - 1) {
        const std::size_t to = image[first_cell + static_cast<std::size_t>(std::countr_zero(rest))];
        out[plane + to / 64] |= std::uint64_t{1} << (to % 64);
      }
    }
  }

 private:
  SymmetryTable() {
    for (int symmetry = 0; symmetry < S::kNumSymmetries; ++symmetry) {
      for (int action = 0; action < S::kNumActions; ++action) {
        actions_[static_cast<std::size_t>(symmetry * S::kNumActions + action)] =
            static_cast<std::uint16_t>(Index(S::MapAction(static_cast<Action>(action), symmetry)));
      }
      for (int cell = 0; cell < S::kShape.cells(); ++cell) {
        cells_[static_cast<std::size_t>(symmetry * S::kShape.cells() + cell)] =
            static_cast<std::uint16_t>(S::MapCell(cell, symmetry));
      }
    }
  }

  std::array<std::uint16_t, static_cast<std::size_t>(S::kNumSymmetries* S::kNumActions)> actions_;
  std::array<std::uint16_t, static_cast<std::size_t>(S::kNumSymmetries* S::kShape.cells())> cells_;
};

// The image in which a position is evaluated: random over positions, versions and runs, yet the
// same for all games of a run, so neither cache nor timing changes a result.
inline int HashedSymmetry(std::uint64_t state_hash, std::uint64_t version_and_seed, int count) {
  return static_cast<int>(HashCombine(version_and_seed, state_hash) %
                          static_cast<std::uint64_t>(count));
}

}  // namespace az
