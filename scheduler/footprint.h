#pragma once
// Bytes and arithmetic of a network, from its shape alone (docs/memory.md has the derivations).
// Exact for state; upper bounds for activations. Pure functions; no LibTorch. tests/engine/net
// compares the counts with the built module.

#include <cstdint>

#include "base/bytes.h"
#include "scheduler/net_shape.h"
#include "scheduler/precision.h"

namespace az {

// Trainable numbers, P.
std::int64_t ParameterCount(const NetShape& shape);
// Running means and variances of the batch norms, N.
std::int64_t RunningStatCount(const NetShape& shape);
// Numbers of the largest single parameter tensor, p_max.
std::int64_t LargestTensorCount(const NetShape& shape);
// Multiplications and additions of one position's forward pass (padding not counted).
std::int64_t ForwardFlops(const NetShape& shape);

// A model slot of the server: weights with the batch norms folded in.
Bytes InferenceStateBytes(const NetShape& shape, Precision precision);
// What a forward keeps alive at its peak, a row.
Bytes InferenceRowBytes(const NetShape& shape, Precision precision);
// A row's way in and out: bit planes, unpacked planes, logits and value.
Bytes IoRowBytes(const NetShape& shape, int words, Precision precision);

// What the learner holds, by its parts. `shards` learner threads share the weights and have
// gradients of their own; in bf16 also a bf16 gradient each, and bf16 copies of the weights and of
// the average.
struct TrainingState {
  Bytes weights;    // parameters and running statistics
  Bytes gradients;  // every shard's
  Bytes optimizer;  // two moments
  Bytes average;    // the averaged weights, which play
  Bytes casts;
  Bytes total() const { return weights + gradients + optimizer + average + casts; }
  // What a checkpoint keeps. While training there are two more of it: to go back to, and to be
  // written.
  Bytes saved() const { return weights + optimizer + average; }
};
TrainingState TrainingStateBytes(const NetShape& shape, Precision precision, int shards);
// What a training forward saves for the backward pass and what that adds at its peak, a row.
Bytes TrainingRowBytes(const NetShape& shape, Precision precision);
// The same when the backward pass recomputes segments of `checkpoint_blocks` residual blocks: an
// input a segment is kept, and the inside of one at a time; 0 = everything is kept.
Bytes TrainingRowBytes(const NetShape& shape, Precision precision, int checkpoint_blocks);
// Beside state and rows at a step's peak: one gradient of the largest tensor before it is added.
Bytes StepTemporaryBytes(const NetShape& shape);

}  // namespace az
