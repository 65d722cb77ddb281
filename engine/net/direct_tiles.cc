// Compiled for AMX-BF16 and AVX512-BF16, and called only where the processor and the system allow
// both (CpuHasTiles): no inline functions of other headers here, as in direct_kernels.cc.
//
// A tile has up to 16 rows of 64 bytes. With the memory order of direct_kernels.h a cell's rows are
// a tile of inputs and 16 channel pairs of a tap's weights a tile of weights as they lie. Two
// groups by 32 outputs are four tiles of sums; with two of inputs and two of weights all eight are
// in use.

#include <immintrin.h>

#include "engine/net/direct_kernels.h"

namespace az::direct {
namespace {

// Tiles, by number, as the instructions want them: sums 0 and 1 of the first group, 2 and 3 of the
// second; inputs 4 and 5; weights 6 and 7.

struct alignas(64) TileConfig {
  std::uint8_t palette = 1;
  std::uint8_t start_row = 0;
  std::uint8_t reserved[14] = {};
  std::uint16_t row_bytes[16] = {};
  std::uint8_t rows[16] = {};
};
static_assert(sizeof(TileConfig) == 64);

// Input channels that one product of tiles takes, at most 32: an even share of all.
constexpr int Step(int in_channels) {
  if (in_channels <= 32) return in_channels;
  return in_channels % 32 == 0 ? 32 : 24;
}

// The rows that are computed of the group that `left` rows begin with; at most 0: none.
int RowsOfGroup(int left) {
  if (left >= kTileGroup) return kTileGroup;
  return left <= 0 ? 0 : (left + 3) / 4 * 4;
}

void SetTile(TileConfig& config, int tile, int rows, int bytes) {
  config.rows[tile] = static_cast<std::uint8_t>(rows);
  config.row_bytes[tile] = static_cast<std::uint16_t>(rows == 0 ? 0 : bytes);
}

void Configure(int step, int rows, int rows2) {
  TileConfig config;
  for (int half = 0; half < 2; ++half) {
    SetTile(config, half, rows, 64);
    SetTile(config, 2 + half, rows2, 64);
    SetTile(config, 6 + half, step / 2, 64);
  }
  SetTile(config, 4, rows, 2 * step);
  SetTile(config, 5, rows2, 2 * step);
  // The intrinsic tells g++ 12 of eight bytes that are read; all are.
  __asm__ volatile("" : : "r"(&config) : "memory");
  _tile_loadconfig(&config);
}

__m512 Widen(__m256i bf16) {
  return _mm512_castsi512_ps(_mm512_slli_epi32(_mm512_cvtepu16_epi32(bf16), 16));
}

// One cell of one group. sums: [rows][32].
void Store(const BlockJob& job, long at, int rows, const float* sums) {
  const bool relu =
      job.then == Then::kRelu || job.then == Then::kAddRelu || job.then == Then::kFloatRelu;
  const __m512 floor = _mm512_set1_ps(relu ? 0.0f : -__builtin_inff());
  // max(floor, x) and not max(x, floor): a NaN must come through
  if (job.then == Then::kFloat || job.then == Then::kFloatRelu) {
    float* out = static_cast<float*>(job.out) + at;
    for (int row = 0; row < rows; ++row, out += job.out_channels, sums += kOutputs) {
      _mm512_store_ps(out, _mm512_max_ps(floor, _mm512_load_ps(sums)));
      _mm512_store_ps(out + 16, _mm512_max_ps(floor, _mm512_load_ps(sums + 16)));
    }
    return;
  }
  const bool add = job.then == Then::kAddRelu || job.then == Then::kAdd;
  std::uint16_t* out = static_cast<std::uint16_t*>(job.out) + at;
  const std::uint16_t* residual = add ? job.residual + at : nullptr;
  for (int row = 0; row < rows; ++row, out += job.out_channels, sums += kOutputs) {
    __m512 low = _mm512_load_ps(sums);
    __m512 high = _mm512_load_ps(sums + 16);
    if (add) {
      const __m512i both = _mm512_load_si512(residual);
      low = _mm512_add_ps(low, Widen(_mm512_castsi512_si256(both)));
      high = _mm512_add_ps(high, Widen(_mm512_extracti64x4_epi64(both, 1)));
      residual += job.out_channels;
    }
    low = _mm512_max_ps(floor, low);
    high = _mm512_max_ps(floor, high);
    _mm512_store_si512(out, (__m512i)_mm512_cvtne2ps_pbh(high, low));
  }
}

// The groups `group` and, where kGroups is 2, the next one, which has `rows2` rows.
template <int kGroups>
void RunGroups(const BlockJob& job, long group, int rows, int rows2) {
  const int step = Step(job.in_channels);
  Configure(step, rows, rows2);
  const long row_bytes = 2L * job.in_channels;
  constexpr long kPairBytes = kOutputs * sizeof(std::uint32_t);
  constexpr long kSumBytes = kOutputs * sizeof(float);
  alignas(64) float sums[kGroups][kTileGroup * kOutputs];
  const std::uint16_t* input = job.input + group * job.in_group;
  const Tap* tap = job.taps;
  for (int cell = 0; cell < job.cells; ++cell) {
    _tile_loadd(0, job.bias, 0);  // each row
    _tile_loadd(1, job.bias + 16, 0);
    if constexpr (kGroups == 2) {
      _tile_loadd(2, job.bias, 0);
      _tile_loadd(3, job.bias + 16, 0);
    }
    for (const Tap* end = tap + job.tap_counts[cell]; tap != end; ++tap) {
      const std::uint16_t* x = input + tap->input;
      const std::uint32_t* w = job.weights + tap->weights;
      for (int channel = 0; channel < job.in_channels; channel += step) {
        _tile_loadd(4, x + channel, row_bytes);
        _tile_loadd(6, w, kPairBytes);
        _tile_loadd(7, w + 16, kPairBytes);
        _tile_dpbf16ps(0, 4, 6);
        _tile_dpbf16ps(1, 4, 7);
        if constexpr (kGroups == 2) {
          _tile_loadd(5, x + job.in_group + channel, row_bytes);
          _tile_dpbf16ps(2, 5, 6);
          _tile_dpbf16ps(3, 5, 7);
        }
        w += step / 2 * kOutputs;
      }
    }
    const long at = group * job.out_group + static_cast<long>(cell) * kTileGroup * job.out_channels;
    _tile_stored(0, sums[0], kSumBytes);
    _tile_stored(1, sums[0] + 16, kSumBytes);
    if constexpr (kGroups == 2) {
      _tile_stored(2, sums[1], kSumBytes);
      _tile_stored(3, sums[1] + 16, kSumBytes);
    }
    Store(job, at, rows, sums[0]);
    if constexpr (kGroups == 2) Store(job, at + job.out_group, rows2, sums[1]);
  }
}

void RunBlock(const BlockJob& job) {
  long group = 0;
  for (int left = job.rows; left > 0; left -= 2 * kTileGroup, group += 2) {
    const int rows2 = RowsOfGroup(left - kTileGroup);
    if (rows2 == 0) {
      RunGroups<1>(job, group, RowsOfGroup(left), 0);
    } else {
      RunGroups<2>(job, group, kTileGroup, rows2);
    }
  }
  _tile_release();  // what the tiles hold would be saved with every switch of threads
}

}  // namespace

BlockKernel FindTileKernel(int in_channels) {
  return FindVectorKernel(in_channels) == nullptr ? nullptr : RunBlock;
}

}  // namespace az::direct
