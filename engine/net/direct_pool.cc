// Compiled for AVX512-BF16, as direct_kernels.cc is: no inline functions of other headers here.

#include "engine/net/direct_pool.h"

#include <immintrin.h>

#include "engine/net/direct_kernels.h"

namespace az::direct {
namespace {

constexpr int kLanes = 16;

__mmask16 FirstLanes(int count) {
  if (count >= kLanes) return 0xFFFF;
  return count <= 0 ? __mmask16{0} : static_cast<__mmask16>((1u << count) - 1u);
}

__m512 LoadLanes(const std::uint16_t* bf16, __mmask16 lanes) {
  const __m256i bits = _mm256_maskz_loadu_epi16(lanes, bf16);
  return _mm512_castsi512_ps(_mm512_slli_epi32(_mm512_cvtepu16_epi32(bits), 16));
}

// max(floor, x) and not max(x, floor): a NaN must come through.
__m512 Relu(__m512 x) { return _mm512_max_ps(_mm512_setzero_ps(), x); }

// [2 pooled]: means, maxima. A NaN is in the mean at least.
void Statistics(const PoolJob& job, const std::uint16_t* row, float* to) {
  const long stride = static_cast<long>(job.group) * job.channels;
  const __m512 share = _mm512_set1_ps(1.0f / static_cast<float>(job.cells));
  for (int first = 0; first < job.pooled; first += kLanes) {
    const __mmask16 lanes = FirstLanes(job.pooled - first);
    __m512 sum = _mm512_setzero_ps();
    __m512 most = _mm512_setzero_ps();
    const std::uint16_t* at = row + first;
    for (int cell = 0; cell < job.cells; ++cell, at += stride) {
      const __m512 x = Relu(LoadLanes(at, lanes));
      sum = _mm512_add_ps(sum, x);
      most = _mm512_max_ps(most, x);
    }
    _mm512_mask_storeu_ps(to + first, lanes, _mm512_mul_ps(sum, share));
    _mm512_mask_storeu_ps(to + job.pooled + first, lanes, most);
  }
}

}  // namespace

void Pool(const PoolJob& job) {
  const int kept = job.channels - job.pooled;
  const long in_stride = static_cast<long>(job.group) * job.channels;
  const long out_stride = static_cast<long>(job.group) * job.out_channels;
  float statistics[2 * kMostPooled];
  for (int row = 0; row < job.rows; ++row) {
    const std::uint16_t* input = job.input + row * job.channels;
    Statistics(job, input, statistics);
    for (int first = 0; first < job.out_channels; first += kLanes) {
      const float* weight = job.weight + first;
      __m512 added = _mm512_loadu_ps(job.bias + first);
      for (int i = 0; i < 2 * job.pooled; ++i, weight += PaddedPool(job.out_channels)) {
        added = _mm512_fmadd_ps(_mm512_set1_ps(statistics[i]), _mm512_loadu_ps(weight), added);
      }
      const __mmask16 lanes = FirstLanes(kept - first);
      const __mmask16 stored = FirstLanes(job.out_channels - first);
      const std::uint16_t* from = input + job.pooled + first;
      std::uint16_t* to = job.out + row * job.out_channels + first;
      for (int cell = 0; cell < job.cells; ++cell, from += in_stride, to += out_stride) {
        const __m512 y = Relu(_mm512_add_ps(LoadLanes(from, lanes), added));
        _mm256_mask_storeu_epi16(to, stored, (__m256i)_mm512_cvtneps_pbh(y));
      }
    }
  }
}

}  // namespace az::direct
