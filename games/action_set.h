#pragma once
// ActionSet<N>: a set of actions in [0, N) as a bitset value, iterated in rising order. Used for
// legal moves.

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#ifdef __BMI2__
#include <immintrin.h>
#endif

#include "games/game.h"

namespace az {

template <int N>
class ActionSet {
  static_assert(N >= 1 && N <= 65535);

 public:
  static constexpr int kWords = (N + 63) / 64;

  constexpr ActionSet() = default;
  // Builds the set from one word, for games of at most 64 actions. REQUIRES: bits from N up are
  // zero.
  constexpr explicit ActionSet(std::uint64_t bits) requires(kWords == 1) : words_{bits} {}

  constexpr void Add(Action a) { words_[Word(a)] |= Bit(a); }
  constexpr bool Contains(Action a) const {
    return Index(a) < N && (words_[Word(a)] & Bit(a)) != 0;
  }
  constexpr int Count() const {
    int count = 0;
    for (const std::uint64_t word : words_) count += std::popcount(word);
    return count;
  }
  constexpr bool empty() const {
    for (const std::uint64_t word : words_) {
      if (word != 0) return false;
    }
    return true;
  }
  // The words themselves, for arithmetic on whole sets.
  constexpr std::array<std::uint64_t, kWords>& words() { return words_; }
  constexpr const std::array<std::uint64_t, kWords>& words() const { return words_; }

  template <class F>
  constexpr void ForEach(F&& f) const {
    for (int w = 0; w < kWords; ++w) {
      for (std::uint64_t rest = words_[static_cast<std::size_t>(w)]; rest != 0; rest &= rest - 1) {
        f(static_cast<Action>(w * 64 + std::countr_zero(rest)));
      }
    }
  }
  // The k-th smallest action. REQUIRES: 0 <= k < Count().
  constexpr Action Nth(int k) const {
    for (int w = 0; w < kWords; ++w) {
      std::uint64_t rest = words_[static_cast<std::size_t>(w)];
      const int count = std::popcount(rest);
      if (k >= count) {
        k -= count;
        continue;
      }
      return static_cast<Action>(w * 64 + NthBit(rest, k));
    }
    return static_cast<Action>(0);
  }
  friend constexpr bool operator==(const ActionSet&, const ActionSet&) = default;

 private:
  static constexpr std::size_t Word(Action a) { return static_cast<std::size_t>(Index(a)) / 64; }
  static constexpr std::uint64_t Bit(Action a) { return std::uint64_t{1} << (Index(a) % 64); }
  // The index of the k-th set bit. REQUIRES: 0 <= k < popcount(word).
  static constexpr int NthBit(std::uint64_t word, int k) {
#ifdef __BMI2__
    if (!std::is_constant_evaluated()) {
      return std::countr_zero(_pdep_u64(std::uint64_t{1} << k, word));
    }
#endif
    while (k-- > 0) word &= word - 1;
    return std::countr_zero(word);
  }

  std::array<std::uint64_t, kWords> words_{};
};

}  // namespace az
