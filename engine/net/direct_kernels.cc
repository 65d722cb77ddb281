// Compiled for AVX512-BF16 whatever the rest is compiled for, and called only where the processor
// has it. So nothing here may use inline functions of other headers: the linker could keep this
// file's copy of them for everybody.

#include "engine/net/direct_kernels.h"

#include <immintrin.h>

namespace az::direct {
namespace {

__m512 Widen(__m256i bf16) {
  return _mm512_castsi512_ps(_mm512_slli_epi32(_mm512_cvtepu16_epi32(bf16), 16));
}

template <int kRows, int kIn>
inline __attribute__((always_inline)) void Accumulate(const BlockJob& job, long group,
                                                      const Tap* taps, int count,
                                                      __m512 (&sums)[kRows][2]) {
  const std::uint16_t* input = job.input + group * job.in_group;
  for (int t = 0; t < count; ++t) {
    const std::uint16_t* x = input + taps[t].input;
    const std::uint32_t* w = job.weights + taps[t].weights;
    for (int pair = 0; pair < kIn / 2; ++pair, x += 2, w += kOutputs) {
      const auto w0 = (__m512bh)_mm512_load_si512(w);
      const auto w1 = (__m512bh)_mm512_load_si512(w + 16);
#pragma GCC unroll 12
      for (int row = 0; row < kRows; ++row) {
        int both;
        __builtin_memcpy(&both, x + row * kIn, sizeof both);
        const auto in = (__m512bh)_mm512_set1_epi32(both);
        sums[row][0] = _mm512_dpbf16_ps(sums[row][0], in, w0);
        sums[row][1] = _mm512_dpbf16_ps(sums[row][1], in, w1);
      }
    }
  }
}

template <int kRows>
inline __attribute__((always_inline)) void Store(const BlockJob& job, long group, int cell,
                                                 __m512 (&sums)[kRows][2]) {
  const long at = group * job.out_group + static_cast<long>(cell) * kVectorGroup * job.out_channels;
  const bool relu =
      job.then == Then::kRelu || job.then == Then::kAddRelu || job.then == Then::kFloatRelu;
  const __m512 floor = _mm512_set1_ps(relu ? 0.0f : -__builtin_inff());
  if (job.then == Then::kFloat || job.then == Then::kFloatRelu) {
    float* out = static_cast<float*>(job.out) + at;
#pragma GCC unroll 12
    for (int row = 0; row < kRows; ++row, out += job.out_channels) {
      // max(floor, x) and not max(x, floor): a NaN must come through
      _mm512_store_ps(out, _mm512_max_ps(floor, sums[row][0]));
      _mm512_store_ps(out + 16, _mm512_max_ps(floor, sums[row][1]));
    }
    return;
  }
  std::uint16_t* out = static_cast<std::uint16_t*>(job.out) + at;
  const bool add = job.then == Then::kAddRelu || job.then == Then::kAdd;
  const std::uint16_t* residual = add ? job.residual + at : nullptr;
#pragma GCC unroll 12
  for (int row = 0; row < kRows; ++row) {
    __m512 low = sums[row][0];
    __m512 high = sums[row][1];
    if (add) {
      const __m512i both = _mm512_load_si512(residual);
      low = _mm512_add_ps(low, Widen(_mm512_castsi512_si256(both)));
      high = _mm512_add_ps(high, Widen(_mm512_extracti64x4_epi64(both, 1)));
      residual += job.out_channels;
    }
    low = _mm512_max_ps(floor, low);
    high = _mm512_max_ps(floor, high);
    _mm512_store_si512(out, (__m512i)_mm512_cvtne2ps_pbh(high, low));
    out += job.out_channels;
  }
}

template <int kRows, int kIn>
void RunGroup(const BlockJob& job, long group) {
  const Tap* taps = job.taps;
  const __m512 bias0 = _mm512_loadu_ps(job.bias);
  const __m512 bias1 = _mm512_loadu_ps(job.bias + 16);
  for (int cell = 0; cell < job.cells; ++cell) {
    __m512 sums[kRows][2];
#pragma GCC unroll 12
    for (int row = 0; row < kRows; ++row) {
      sums[row][0] = bias0;
      sums[row][1] = bias1;
    }
    Accumulate<kRows, kIn>(job, group, taps, job.tap_counts[cell], sums);
    Store<kRows>(job, group, cell, sums);
    taps += job.tap_counts[cell];
  }
}

template <int kIn>
void RunBlock(const BlockJob& job) {
  long group = 0;
  for (int left = job.rows; left > 0; left -= kVectorGroup, ++group) {
    if (left > 8) {
      RunGroup<12, kIn>(job, group);
    } else if (left > 4) {
      RunGroup<8, kIn>(job, group);
    } else {
      RunGroup<4, kIn>(job, group);
    }
  }
}

}  // namespace

BlockKernel FindVectorKernel(int in_channels) {
  switch (in_channels) {
    case 2:
      return RunBlock<2>;
    case 4:
      return RunBlock<4>;
    case 8:
      return RunBlock<8>;
    case 16:
      return RunBlock<16>;
    case 24:
      return RunBlock<24>;
    case 32:
      return RunBlock<32>;
    case 48:
      return RunBlock<48>;
    case 64:
      return RunBlock<64>;
    case 96:
      return RunBlock<96>;
    case 128:
      return RunBlock<128>;
    case 192:
      return RunBlock<192>;
    case 256:
      return RunBlock<256>;
    default:
      return nullptr;
  }
}

}  // namespace az::direct
