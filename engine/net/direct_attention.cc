// Compiled for AVX512-BF16, as direct_kernels.cc is: no inline functions of other headers here.

#include "engine/net/direct_attention.h"

#include <immintrin.h>

#include "engine/net/direct_kernels.h"

namespace az::direct {
namespace {

float FromBf16(std::uint16_t bits) {
  const std::uint32_t wide = static_cast<std::uint32_t>(bits) << 16;
  float out;
  __builtin_memcpy(&out, &wide, sizeof out);
  return out;
}

__m512 Load16(const std::uint16_t* bf16) {
  const __m256i bits = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(bf16));
  return _mm512_castsi512_ps(_mm512_slli_epi32(_mm512_cvtepu16_epi32(bits), 16));
}

// e^x for x <= 0, relative error below 3e-7; a NaN comes through, anything below -87 is as -87.
__m512 Exp(__m512 x) {
  x = _mm512_max_ps(_mm512_set1_ps(-87.0f), x);
  const __m512 n = _mm512_roundscale_ps(_mm512_mul_ps(x, _mm512_set1_ps(1.44269504f)), 0);
  __m512 r = _mm512_fnmadd_ps(n, _mm512_set1_ps(0.693359375f), x);
  r = _mm512_fnmadd_ps(n, _mm512_set1_ps(-2.12194440e-4f), r);
  __m512 p = _mm512_set1_ps(1.0f / 720.0f);
  p = _mm512_fmadd_ps(p, r, _mm512_set1_ps(1.0f / 120.0f));
  p = _mm512_fmadd_ps(p, r, _mm512_set1_ps(1.0f / 24.0f));
  p = _mm512_fmadd_ps(p, r, _mm512_set1_ps(1.0f / 6.0f));
  p = _mm512_fmadd_ps(p, r, _mm512_set1_ps(0.5f));
  p = _mm512_fmadd_ps(p, r, _mm512_set1_ps(1.0f));
  p = _mm512_fmadd_ps(p, r, _mm512_set1_ps(1.0f));
  return _mm512_scalef_ps(p, n);
}

// One row and head, its keys and values widened to float.
struct Head {
  float* keys;    // [head channels][padded cells]: transposed
  float* values;  // [cells][padded head channels]
  float* scores;  // [padded cells]
};

void Widen(const MixJob& job, const std::uint16_t* k, const std::uint16_t* v, const Head& head) {
  const int size = job.channels / job.heads;
  const int padded = PaddedCells(job.cells);
  const long stride = 3L * job.group * job.channels;
  for (int cell = 0; cell < job.cells; ++cell, k += stride, v += stride) {
    for (int c = 0; c < size; ++c) {
      head.keys[c * padded + cell] = job.scale * FromBf16(k[c]);
      head.values[cell * PaddedHead(size) + c] = FromBf16(v[c]);
    }
  }
}

// Leaves e^(score - max) in head.scores and returns 1 / their sum.
float Softmax(const Head& head, int padded) {
  __m512 top = _mm512_load_ps(head.scores);
  for (int j = 16; j < padded; j += 16) {
    top = _mm512_max_ps(top, _mm512_load_ps(head.scores + j));
  }
  const __m512 max = _mm512_set1_ps(_mm512_reduce_max_ps(top));
  __m512 sum = _mm512_setzero_ps();
  for (int j = 0; j < padded; j += 16) {
    const __m512 e = Exp(_mm512_sub_ps(_mm512_load_ps(head.scores + j), max));
    _mm512_store_ps(head.scores + j, e);
    sum = _mm512_add_ps(sum, e);
  }
  return 1.0f / _mm512_reduce_add_ps(sum);
}

void MixHead(const MixJob& job, const std::uint16_t* q, const float* bias, std::uint16_t* out,
             const Head& head) {
  const int size = job.channels / job.heads;
  const int wide = PaddedHead(size);
  const int padded = PaddedCells(job.cells);
  for (int cell = 0; cell < job.cells; ++cell) {
    for (int j = 0; j < padded; j += 16) {
      __m512 sum = _mm512_loadu_ps(bias + cell * padded + j);
      for (int c = 0; c < size; ++c) {
        sum = _mm512_fmadd_ps(_mm512_set1_ps(FromBf16(q[c])),
                              _mm512_load_ps(head.keys + c * padded + j), sum);
      }
      _mm512_store_ps(head.scores + j, sum);
    }
    const __m512 scale = _mm512_set1_ps(Softmax(head, padded));
    for (int c = 0; c < size; c += 16) {
      __m512 sum = _mm512_setzero_ps();
      for (int j = 0; j < job.cells; ++j) {
        sum = _mm512_fmadd_ps(_mm512_set1_ps(head.scores[j]),
                              _mm512_load_ps(head.values + j * wide + c), sum);
      }
      const int left = size - c;
      const auto mask = static_cast<__mmask16>(left >= 16 ? 0xFFFF : (1 << left) - 1);
      const __m256i bits = (__m256i)_mm512_cvtneps_pbh(_mm512_mul_ps(sum, scale));
      _mm256_mask_storeu_epi16(out + c, mask, bits);
    }
    q += 3L * job.group * job.channels;
    out += static_cast<long>(job.group) * job.channels;
  }
}

}  // namespace

void LayerNorm(const LayerNormJob& job) {
  const float share = 1.0f / static_cast<float>(job.channels);
  for (int cell = 0; cell < job.cells; ++cell) {
    for (int row = 0; row < job.rows; ++row) {
      const long at = (static_cast<long>(cell) * job.group + row) * job.channels;
      const std::uint16_t* in = job.input + at;
      __m512 sum = _mm512_setzero_ps();
      for (int c = 0; c < job.channels; c += 16) sum = _mm512_add_ps(sum, Load16(in + c));
      const __m512 mean = _mm512_set1_ps(_mm512_reduce_add_ps(sum) * share);
      __m512 squares = _mm512_setzero_ps();
      for (int c = 0; c < job.channels; c += 16) {
        const __m512 off = _mm512_sub_ps(Load16(in + c), mean);
        squares = _mm512_fmadd_ps(off, off, squares);
      }
      const float variance = _mm512_reduce_add_ps(squares) * share;
      const __m512 scale = _mm512_set1_ps(1.0f / __builtin_sqrtf(variance + 1e-5f));
      for (int c = 0; c < job.channels; c += 16) {
        const __m512 normed = _mm512_mul_ps(_mm512_sub_ps(Load16(in + c), mean), scale);
        const __m512 out =
            _mm512_fmadd_ps(normed, _mm512_loadu_ps(job.weight + c), _mm512_loadu_ps(job.bias + c));
        _mm256_storeu_si256(reinterpret_cast<__m256i*>(job.out + at + c),
                            (__m256i)_mm512_cvtneps_pbh(out));
      }
    }
  }
}

void Mix(const MixJob& job) {
  const int size = job.channels / job.heads;
  const int padded = PaddedCells(job.cells);
  const int wide = PaddedHead(size);
  const Head head{job.scratch, job.scratch + wide * padded, job.scratch + 2 * wide * padded};
  for (int i = 0; i < 2 * wide * padded; ++i) job.scratch[i] = 0.0f;  // the padding stays zero
  for (int row = 0; row < job.rows; ++row) {
    for (int h = 0; h < job.heads; ++h) {
      const std::uint16_t* q = job.qkv + 3L * row * job.channels + h * size;
      Widen(job, q + job.channels, q + 2 * job.channels, head);
      MixHead(job, q, job.bias + static_cast<long>(h) * job.cells * padded,
              job.out + static_cast<long>(row) * job.channels + h * size, head);
    }
  }
}

}  // namespace az::direct
