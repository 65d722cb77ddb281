#pragma once
// Where each tensor of a network lies in a few flat arrays. With all parameters in one array the
// optimizer, the average, the gradient norm, the sum over shards and the cast to bf16 are one pass
// each instead of one a tensor, and none allocates.
//
//   weights      | conv, linear weights | biases, attention tables | norm scales, shifts |
//                0                      decayed                    low_precision        end
//   statistics   | running mean, running variance of every batch norm |
//
// [0, decayed) takes weight decay; [0, low_precision) has a bf16 copy in bf16 training; norms stay
// float32. 4-d weights lie channels-last. Entries start at multiples of 16 numbers; the gaps stay
// 0.

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <string>
#include <vector>

namespace az {

class NetworkImpl;

struct FlatEntry {
  std::string name;  // as in NetworkImpl::named_parameters and named_buffers
  std::vector<std::int64_t> sizes;
  std::int64_t offset = 0;
  std::int64_t count = 0;
};

struct FlatLayout {
  std::vector<FlatEntry> weights;
  std::vector<FlatEntry> statistics;
  std::int64_t decayed = 0;
  std::int64_t low_precision = 0;
  std::int64_t weight_count = 0;
  std::int64_t statistics_count = 0;

  static FlatLayout Of(const NetworkImpl& network);
};

// The entry's tensor inside `flat`, which it shares. `base` is where flat starts in the layout (0
// for a whole array).
at::Tensor ViewOf(const at::Tensor& flat, const FlatEntry& entry, std::int64_t base = 0);

// Copies a network's values into flat arrays, and back.
void CopyToFlat(const NetworkImpl& network, const FlatLayout& layout, at::Tensor& weights,
                at::Tensor& statistics);
void CopyFromFlat(const FlatLayout& layout, const at::Tensor& weights, const at::Tensor& statistics,
                  NetworkImpl& network);

}  // namespace az
