#pragma once
// Bytes and arithmetic of a network, from its shape alone (docs/memory.md has the derivations).
// Exact for state; upper bounds for activations. Pure functions; no LibTorch. tests/engine/net
// compares the counts with the built module.

#include <cstdint>

#include "base/bytes.h"
#include "scheduler/cpu_unit.h"
#include "scheduler/net_shape.h"
#include "scheduler/precision.h"

namespace az {

// Trainable numbers, P, with those of heads that only training has.
std::int64_t ParameterCount(const NetShape& shape);
// Running means and variances of the batch norms, N.
std::int64_t RunningStatCount(const NetShape& shape);
// Numbers of the largest single parameter tensor, p_max.
std::int64_t LargestTensorCount(const NetShape& shape);
// Multiplications and additions of one position's forward pass (padding not counted).
std::int64_t ForwardFlops(const NetShape& shape);

// A model slot of the server: weights with the batch norms folded in.
Bytes InferenceStateBytes(const NetShape& shape, Precision precision, CpuUnit unit);
// The same as our own CPU kernels hold it (engine/net/direct_net.h): bf16, channels filled up.
Bytes DirectStateBytes(const NetShape& shape);
// What a forward of LibTorch's operators keeps alive at its peak, a row.
Bytes InferenceRowBytes(const NetShape& shape, Precision precision);
// The same of a batch; with tiles LibTorch's attention has other arrays.
Bytes InferenceBatchBytes(const NetShape& shape, Precision precision, int rows, CpuUnit unit);
// What a thread's forwards with our own CPU kernels need: they go through a batch in parts of a
// fixed size, which is larger with tiles.
Bytes DirectScratchBytes(const NetShape& shape, CpuUnit unit);
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

// Beside the state, at a training step's peak: `rows` rows of one shard, forward and backward.
// `checkpoint_blocks` > 0: the backward pass recomputes segments of so many blocks, attention
// blocks among them. The greatest of a few moments, each linear in the rows (docs/memory.md).
Bytes TrainingStepBytes(const NetShape& shape, Precision precision, int checkpoint_blocks,
                        int rows);
// What one row more adds to it at most.
Bytes TrainingRowBytes(const NetShape& shape, Precision precision, int checkpoint_blocks = 0);

// What the CPU's allocator takes from the system beyond `live` bytes of tensors: its cache, pages
// and headers (engine/net/capped_heap.h), and the C library's own.
Bytes CpuSlackBytes(Bytes live);

}  // namespace az
