#pragma once
// Random bit planes with the bits behind the board left at zero, as every game encodes them.

#include <cstdint>
#include <span>

#include "base/rng.h"
#include "games/game.h"

namespace az {

inline void FillRandomPlanes(const PlaneShape& shape, Rng& rng, std::span<std::uint64_t> words) {
  const auto words_a_plane = static_cast<std::size_t>(shape.words() / shape.planes);
  const int tail = shape.cells() % 64;
  const std::uint64_t last = tail == 0 ? ~std::uint64_t{0} : (std::uint64_t{1} << tail) - 1;
  for (std::size_t i = 0; i < words.size(); ++i) {
    words[i] = rng.Next() & ((i + 1) % words_a_plane == 0 ? last : ~std::uint64_t{0});
  }
}

}  // namespace az
