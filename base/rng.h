#pragma once
// Rng: counter-based random numbers. A stream is a key; draw k of a stream is a pure function of
// (key, k), so a game's draws depend on (seed, iteration, game) alone and never on which worker
// plays it.

#include <cstdint>

#include "base/hash.h"

namespace az {

// A small value; copying it copies the stream's position. Thread-compatible.
class Rng {
 public:
  constexpr Rng() : Rng(0) {}
  constexpr explicit Rng(std::uint64_t seed) : key_(Mix64(seed + 0x9E3779B97F4A7C15u)) {}

  // An independent stream; the parent's position does not matter and does not change.
  constexpr Rng Fork(std::uint64_t stream) const { return Rng(HashCombine(key_, stream)); }

  constexpr std::uint64_t Next() { return Mix64(key_ + 0x9E3779B97F4A7C15u * ++counter_); }

  // A number in [0, n), without bias. REQUIRES: n > 0.
  std::uint64_t Below(std::uint64_t n) {
    while (true) {  // Lemire 2019, arXiv 1805.10941
      const auto product = static_cast<unsigned __int128>(Next()) * n;
      const auto low = static_cast<std::uint64_t>(product);
      if (low >= n || low >= (0 - n) % n) return static_cast<std::uint64_t>(product >> 64);
    }
  }
  // A number in [0, 1) with 53 random bits.
  double Uniform() { return static_cast<double>(Next() >> 11) * 0x1.0p-53; }

  double Normal();             // mean 0, variance 1
  double Gamma(double shape);  // scale 1. REQUIRES: shape > 0
  double Exponential();        // mean 1

 private:
  std::uint64_t key_ = 0;
  std::uint64_t counter_ = 0;
};

}  // namespace az
