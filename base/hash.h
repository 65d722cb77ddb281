#pragma once
// 64-bit mixing for hashes and random streams: the same in every process and build. Not for
// passwords.

#include <cstdint>

namespace az {

// The finaliser of SplitMix64 (Steele, Lea, Flood 2014): a bijection in which every input bit
// reaches every output bit.
constexpr std::uint64_t Mix64(std::uint64_t x) {
  x ^= x >> 30;
  x *= 0xBF58476D1CE4E5B9u;
  x ^= x >> 27;
  x *= 0x94D049BB133111EBu;
  x ^= x >> 31;
  return x;
}

// Order matters: Combine(Combine(s, a), b) differs from Combine(Combine(s, b), a).
constexpr std::uint64_t HashCombine(std::uint64_t seed, std::uint64_t value) {
  return Mix64(seed * 0x9E3779B97F4A7C15u + Mix64(value + 0x9E3779B97F4A7C15u));
}

}  // namespace az
