#pragma once
// A network's weights with every batch norm folded into its convolution: what all inference forms
// are built from.

#include <ATen/core/Tensor.h>

#include <optional>
#include <vector>

#include "engine/net/checkpoint.h"
#include "scheduler/net_shape.h"

namespace az {

struct FoldedConv {
  at::Tensor weight;  // [out, in, kernel, kernel]
  at::Tensor bias;    // [out]
};
struct FoldedLinear {
  at::Tensor weight;  // [out, in]
  at::Tensor bias;    // [out]
};
struct FoldedAttention {
  at::Tensor norm_weight;  // [filters]
  at::Tensor norm_bias;    // [filters]
  FoldedLinear qkv;        // out: queries, keys, values, each [heads][filters / heads]
  FoldedLinear out;
  at::Tensor bias;  // [heads, cells, cells]
};

// A residual block. In one that pools (network.h), conv1 has no ReLU: its first channels are pooled
// after theirs, and the other channels take theirs with `pool` of the pools added, and are conv2's
// input.
struct FoldedBlock {
  FoldedConv conv1;
  std::optional<FoldedLinear> pool;  // [kept, 2 pooled]: of the means, then the maxima
  FoldedConv conv2;
};

// All float32, contiguous, on the CPU. The heads' linear layers take features as channels-last
// memory has them: [cell][filter].
struct FoldedNet {
  NetShape shape;
  FoldedConv stem;
  std::vector<FoldedBlock> blocks;
  std::vector<FoldedAttention> attention;
  FoldedConv policy_conv;
  FoldedConv value_conv;
  FoldedLinear policy_linear;
  FoldedLinear value_linear1;
  FoldedLinear value_linear2;
};

// W' = W g / sqrt(var + eps), b' = beta - mean g / sqrt(var + eps), in double precision. REQUIRES:
// ValidateWeights.
FoldedNet Fold(const Weights& weights);

}  // namespace az
