#include "base/hash.h"

#include <gtest/gtest.h>

#include <bit>
#include <cstdint>

namespace az {
namespace {

// The published first outputs of SplitMix64 for seed 1234567: state + k * golden ratio, then the
// finaliser.
TEST(Mix64, IsSplitMix64sFinaliser) {
  constexpr std::uint64_t kGolden = 0x9E3779B97F4A7C15u;
  EXPECT_EQ(Mix64(1234567u + kGolden), 6457827717110365317u);
  EXPECT_EQ(Mix64(1234567u + 2 * kGolden), 3203168211198807973u);
}

TEST(Mix64, OneBitChangesHalfOfTheOthers) {
  std::int64_t flips = 0;
  for (std::uint64_t value = 1; value <= 100; ++value) {
    for (int bit = 0; bit < 64; ++bit) {
      flips += std::popcount(Mix64(value) ^ Mix64(value ^ (std::uint64_t{1} << bit)));
    }
  }
  EXPECT_NEAR(static_cast<double>(flips) / 6400, 32, 0.5);
}

TEST(HashCombine, OrderMatters) {
  EXPECT_NE(HashCombine(HashCombine(0, 1), 2), HashCombine(HashCombine(0, 2), 1));
  EXPECT_NE(HashCombine(0, 0), 0u);
}

}  // namespace
}  // namespace az
