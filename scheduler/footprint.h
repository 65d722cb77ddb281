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

// The number of trainable parameters, P, including those of heads that only training has.
std::int64_t ParameterCount(const NetShape& shape);
// The number of running means and variances of the batch norms, N.
std::int64_t RunningStatCount(const NetShape& shape);
// The number of elements of the largest parameter tensor, p_max.
std::int64_t LargestTensorCount(const NetShape& shape);
// The multiplications and additions of one position's forward pass, without padding.
std::int64_t ForwardFlops(const NetShape& shape);

// Bytes of a model slot of the server: the weights with the batch norms folded in.
Bytes InferenceStateBytes(const NetShape& shape, Precision precision, CpuUnit unit);
// Bytes of the same weights as our own CPU kernels hold them (engine/net/direct_net.h): in bf16,
// with the channels padded to whole vectors or tiles.
Bytes DirectStateBytes(const NetShape& shape);
// Bytes per row that a forward pass with LibTorch's operators keeps alive at its peak.
Bytes InferenceRowBytes(const NetShape& shape, Precision precision);
// The same for a batch; with tiles LibTorch's attention uses other arrays.
Bytes InferenceBatchBytes(const NetShape& shape, Precision precision, int rows, CpuUnit unit);
// Bytes that a thread needs to run our own CPU kernels, which go through a batch in parts of a
// fixed size. The parts are larger with tiles.
Bytes DirectScratchBytes(const NetShape& shape, CpuUnit unit);
// Bytes of one row's input and output: bit planes, unpacked planes, logits and value.
Bytes IoRowBytes(const NetShape& shape, int words, Precision precision);

// The learner's state in its parts. `shards` learner threads share the weights and have gradients
// of their own. In bf16 each also has a bf16 gradient, and there are bf16 copies of the weights and
// of the average.
struct TrainingState {
  Bytes weights;    // parameters and running statistics
  Bytes gradients;  // those of all shards
  Bytes optimizer;  // two moments per parameter
  Bytes average;    // the averaged weights, with which the network plays
  Bytes casts;
  Bytes total() const { return weights + gradients + optimizer + average + casts; }
  // The bytes of a checkpoint. Training holds two more copies of them: one to go back to, and one
  // that is being written.
  Bytes saved() const { return weights + optimizer + average; }
};
TrainingState TrainingStateBytes(const NetShape& shape, Precision precision, int shards);

// Bytes that a training step adds to the state at its peak: forward and backward of `rows` rows of
// one shard. With `checkpoint_blocks` > 0 the backward pass recomputes segments of so many blocks,
// attention blocks among them. It is the maximum over a few moments, each linear in the rows
// (docs/memory.md).
Bytes TrainingStepBytes(const NetShape& shape, Precision precision, int checkpoint_blocks,
                        int rows);
// The most that one more row adds to TrainingStepBytes.
Bytes TrainingRowBytes(const NetShape& shape, Precision precision, int checkpoint_blocks = 0);

// Bytes that the CPU's allocator takes from the system beyond `live` bytes of tensors: its cache,
// pages and headers (engine/net/capped_heap.h), and the C library's own.
Bytes CpuSlackBytes(Bytes live);

}  // namespace az
