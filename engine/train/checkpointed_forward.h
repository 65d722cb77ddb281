#pragma once
// Gradient checkpointing: a forward in training that keeps the input of every segment of stages
// and nothing between; the backward computes a segment's activations again when it gets there. It
// costs one more forward of those segments and changes no bit: not of the outputs, not of the
// gradients, not of the running statistics.
//
//   kept       planes ──────> x_k ──────> x_2k ────> last segment and heads: all activations
//   computed   stem, stages   k … 2k-1    …          (their backward comes first)
//   again      0 … k-1

#include <ATen/core/Tensor.h>

namespace az {

class NetworkImpl;
struct NetworkOutput;

// As network.forward(planes), in segments of `stages` stages; the stem belongs to the first.
// REQUIRES: gradients are on; stages >= 1; until the backward is done the network lives, and
// neither its parameters nor its mode change.
NetworkOutput CheckpointedForward(NetworkImpl& network, const at::Tensor& planes, int stages);

}  // namespace az
