#pragma once
// Logits to priors, with the same bits on every machine: only IEEE operations in a written order,
// no library exp.

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>

namespace az {

// Logits of the legal actions in rising order, padded so that loops run over whole lanes.
inline constexpr int kSoftmaxLanes = 8;
constexpr std::size_t PaddedToLanes(std::size_t count) {
  return (count + kSoftmaxLanes - 1) / kSoftmaxLanes * kSoftmaxLanes;
}

// e^x to 2 units in the last place for -87 <= x <= 0; below that 0.
inline float ExpOfNegative(float x) {
  constexpr float kRound = 12582912.0f;  // 1.5 * 2^23: adding it rounds to an integer
  const float t = x * 1.44269504f + kRound;
  const float n = t - kRound;
  const float r =
      x - n * 0.693359375f + n * 2.12194440e-4f;  // x - n ln 2, ln 2 in two parts; |r| <= 0.35
  // Taylor to the seventh power, the rest is below 1e-8; in pairs, because a chain of products is
  // slow.
  const float r2 = r * r;
  const float low = (1.0f + r) + (0.5f + r * (1.0f / 6.0f)) * r2;
  const float high =
      (1.0f / 24.0f + r * (1.0f / 120.0f)) + (1.0f / 720.0f + r * (1.0f / 5040.0f)) * r2;
  const float e = low + high * (r2 * r2);
  const std::uint32_t scale = (std::bit_cast<std::uint32_t>(t) + 127u)
                              << 23;  // 2^n: low bits of t hold n
  return x < -87.0f ? 0.0f : e * std::bit_cast<float>(scale);
}

// Turns `count` logits into probabilities, in place. Entries [count, PaddedToLanes(count)) are
// scratch. REQUIRES: count > 0, finite logits, padded.size() = PaddedToLanes(count).
inline void Softmax(std::span<float> padded, std::size_t count) {
  for (std::size_t i = count; i < padded.size(); ++i) padded[i] = padded[0];
  std::array<float, kSoftmaxLanes> high;
  for (std::size_t k = 0; k < kSoftmaxLanes; ++k) high[k] = padded[k];
  for (std::size_t i = kSoftmaxLanes; i < padded.size(); i += kSoftmaxLanes) {
    for (std::size_t k = 0; k < kSoftmaxLanes; ++k) {
      high[k] = padded[i + k] > high[k] ? padded[i + k] : high[k];
    }
  }
  float max = high[0];
  for (const float value : high) max = value > max ? value : max;
  for (float& value : padded) value = ExpOfNegative(value - max);
  for (std::size_t i = count; i < padded.size(); ++i) padded[i] = 0.0f;
  std::array<double, kSoftmaxLanes> sums{};
  for (std::size_t i = 0; i < padded.size(); i += kSoftmaxLanes) {
    for (std::size_t k = 0; k < kSoftmaxLanes; ++k) sums[k] += static_cast<double>(padded[i + k]);
  }
  const double sum =
      ((sums[0] + sums[1]) + (sums[2] + sums[3])) + ((sums[4] + sums[5]) + (sums[6] + sums[7]));
  const float scale = static_cast<float>(1.0 / sum);
  for (float& value : padded) value *= scale;
}

// Rounds to bfloat16, ties to even, as the evaluation cache stores it: so a cached answer gives the
// same tree as a fresh one. False when a value is, or becomes, infinite or NaN.
inline bool RoundToBfloat16(std::span<float> values) {
  constexpr std::uint32_t kExponent = 0x7F800000u;
  std::uint32_t bad = 0;
  for (float& value : values) {
    const std::uint32_t bits = std::bit_cast<std::uint32_t>(value);
    const std::uint32_t rounded = (bits + 0x7FFFu + (bits >> 16 & 1u)) & 0xFFFF0000u;
    bad |= static_cast<std::uint32_t>((bits & kExponent) == kExponent) |
           static_cast<std::uint32_t>((rounded & kExponent) == kExponent);
    value = std::bit_cast<float>(rounded);
  }
  return bad == 0;
}

}  // namespace az
