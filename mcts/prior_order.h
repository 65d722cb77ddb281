#pragma once
// The order in which a leaf's children are laid out: by falling prior, ties by rising action. Used
// by Search<S>, once an expansion.

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>

#include "mcts/softmax.h"

namespace az {

// Counting takes time in proportion to the square of the moves, but in whole vectors and without a
// branch that the processor has to guess: over random priors it takes a third of the time of a sort
// at 7 moves, half at 64, and as long at about 120.
inline constexpr std::size_t kMostCounted = 64;

namespace order_internal {

// Greater first. 46 bits: priors are not negative, so their bits are ordered as they are.
inline std::int64_t KeyOf(float prior, std::uint16_t action) {
  return std::int64_t{std::bit_cast<std::int32_t>(prior)} << 16 |
         static_cast<std::uint16_t>(~action);
}
inline float PriorOf(std::int64_t key) {
  return std::bit_cast<float>(static_cast<std::int32_t>(key >> 16));
}
inline std::uint16_t ActionOf(std::int64_t key) { return static_cast<std::uint16_t>(~key); }

// No two keys are equal, so a move's place is the number of keys above its own.
inline void OrderByCounting(std::span<float> priors, std::span<std::uint16_t> actions) {
  alignas(64) std::array<std::int64_t, PaddedToLanes(kMostCounted)> keys;
  const std::size_t count = priors.size();
  const std::size_t padded = PaddedToLanes(count);
  for (std::size_t i = 0; i < count; ++i) keys[i] = KeyOf(priors[i], actions[i]);
  for (std::size_t i = count; i < padded; ++i) keys[i] = 0;  // above no key
  for (std::size_t i = 0; i < count; ++i) {
    const std::int64_t key = keys[i];
    std::int64_t above = 0;
    for (std::size_t k = 0; k < padded; ++k) above += keys[k] > key ? 1 : 0;
    const auto place = static_cast<std::size_t>(above);
    priors[place] = PriorOf(key);
    actions[place] = ActionOf(key);
  }
}

}  // namespace order_internal

// Sorts both by falling prior, ties by rising action. kMost: the most moves there can be. REQUIRES:
// as many priors as actions, at most kMost; priors >= 0; no action twice.
template <std::size_t kMost>
void OrderByPrior(std::span<float> priors, std::span<std::uint16_t> actions) {
  const std::size_t count = priors.size();
  if (count <= kMostCounted) return order_internal::OrderByCounting(priors, actions);
  if constexpr (kMost > kMostCounted) {
    std::array<std::int64_t, kMost> keys;
    for (std::size_t i = 0; i < count; ++i) {
      keys[i] = order_internal::KeyOf(priors[i], actions[i]);
    }
    std::sort(keys.begin(), keys.begin() + static_cast<std::ptrdiff_t>(count), std::greater<>());
    for (std::size_t i = 0; i < count; ++i) {
      priors[i] = order_internal::PriorOf(keys[i]);
      actions[i] = order_internal::ActionOf(keys[i]);
    }
  }
}

}  // namespace az
