#include "scheduler/footprint.h"

#include <algorithm>
#include <bit>

namespace az {
namespace {

// The shape in 64 bits, with the letters of docs/memory.md, The bill.
struct Letters {
  explicit Letters(const NetShape& s)
      : S(s.cells()),
        pl(s.planes),
        a(s.actions),
        C(s.filters),
        B(s.res_blocks),
        G(s.pool_blocks()),
        p(s.pooled()),
        L(s.heads > 0 ? s.attention_blocks : 0),
        h(s.heads),
        f_p(s.policy_filters),
        f_v(s.value_filters),
        hidden(s.value_hidden),
        opponent(s.opponent_head ? 1 : 0),
        short_term(s.short_term_head ? 1 : 0) {}
  std::int64_t S, pl, a, C, B, G, p, L, h, f_p, f_v, hidden, opponent, short_term;
};

constexpr std::int64_t kValueOutputs = 3;  // win, draw, loss

std::int64_t ConvNormParameters(std::int64_t in, std::int64_t out, std::int64_t kernel) {
  return in * out * kernel * kernel + 2 * out;  // no bias; scale and shift of the norm
}
std::int64_t LinearParameters(std::int64_t in, std::int64_t out) { return in * out + out; }

// The parameters that a pooling block has in excess of a plain one. The number is negative, because
// its second convolution has fewer inputs.
std::int64_t PoolParameters(const Letters& n) {
  return LinearParameters(2 * n.p, n.C - n.p) - 9 * n.p * n.C;
}

std::int64_t AttentionParameters(const Letters& n) {
  return 2 * n.C + LinearParameters(n.C, 3 * n.C) + LinearParameters(n.C, n.C) + n.h * n.S * n.S;
}

}  // namespace

std::int64_t ParameterCount(const NetShape& shape) {
  const Letters n(shape);
  const std::int64_t trunk = ConvNormParameters(n.pl, n.C, 3) +
                             n.B * 2 * ConvNormParameters(n.C, n.C, 3) + n.G * PoolParameters(n);
  const std::int64_t policy =
      ConvNormParameters(n.C, n.f_p, 1) + LinearParameters(n.f_p * n.S, n.a);
  const std::int64_t value = ConvNormParameters(n.C, n.f_v, 1) +
                             LinearParameters(n.f_v * n.S, n.hidden) +
                             LinearParameters(n.hidden, kValueOutputs);
  const std::int64_t training_only = n.opponent * LinearParameters(n.f_p * n.S, n.a) +
                                     n.short_term * LinearParameters(n.hidden, 1);
  return trunk + n.L * AttentionParameters(n) + policy + value + training_only;
}

std::int64_t RunningStatCount(const NetShape& shape) {
  const Letters n(shape);
  return 2 * (n.C + 2 * n.B * n.C + n.f_p + n.f_v);
}

std::int64_t LargestTensorCount(const NetShape& shape) {
  const Letters n(shape);
  std::int64_t largest = std::max({n.pl * n.C * 9, n.C * n.f_p, n.f_p * n.S * n.a, n.C * n.f_v,
                                   n.f_v * n.S * n.hidden, n.hidden * kValueOutputs});
  if (n.B > 0) largest = std::max(largest, n.C * n.C * 9);
  if (n.L > 0) largest = std::max({largest, 3 * n.C * n.C, n.h * n.S * n.S});
  return largest;
}

std::int64_t ForwardFlops(const NetShape& shape) {
  const Letters n(shape);
  const std::int64_t convs =
      n.S * (9 * n.pl * n.C + n.B * 2 * 9 * n.C * n.C + n.C * (n.f_p + n.f_v));
  const std::int64_t pooling = n.G * (2 * n.p * (n.C - n.p) - n.S * 9 * n.p * n.C);
  const std::int64_t attention = n.L * (n.S * 4 * n.C * n.C + 2 * n.S * n.S * n.C);
  const std::int64_t heads = n.f_p * n.S * n.a + n.f_v * n.S * n.hidden + n.hidden * kValueOutputs;
  return 2 * (convs + pooling + attention + heads);
}

Bytes InferenceStateBytes(const NetShape& shape, Precision precision, CpuUnit unit) {
  // Folding leaves one number a channel of each batch norm's two: a bias.
  // oneDNN pads the policy's outputs; with tiles it pads them less, but pads the channels too.
  const bool in_tiles = unit == CpuUnit::kTiles && precision == Precision::kBf16;
  NetShape filled = shape.Playing();
  if (in_tiles && filled.filters > 16) filled.filters = (filled.filters + 31) / 32 * 32;
  const Letters n(filled);
  const std::int64_t outputs = in_tiles ? 32 : 64;
  const std::int64_t filling = n.f_p * n.S * ((n.a + outputs - 1) / outputs * outputs - n.a);
  const std::int64_t count = ParameterCount(filled) - RunningStatCount(filled) / 2 + filling;
  return Bytes(BytesPerElement(precision) * count);
}

namespace {

// As engine/net's direct kernels lay out their arrays; a test compares them.
constexpr std::int64_t kVectorRows = 24;  // rows that go through all layers together
constexpr std::int64_t kTileRows = 32;
constexpr std::int64_t kDirectOutputs = 32;  // channels of a block of outputs
constexpr std::int64_t kTapBytes = 8;

constexpr std::int64_t UpTo(std::int64_t count, std::int64_t unit) {
  return (count + unit - 1) / unit * unit;
}
// The input channels that a kernel takes for `channels`: the fewest that are enough.
std::int64_t DirectInput(std::int64_t channels) {
  for (const std::int64_t kernel : {2, 4, 8, 16, 24, 32, 48, 64, 96, 128, 192, 256}) {
    if (channels <= kernel) return kernel;
  }
  return channels;  // no kernel takes so many: such networks run on LibTorch's operators
}
// Bytes of a layer: weights, biases, the object itself, and the lists of what each output cell
// reads, which grew by doubling.
std::int64_t DirectLayer(std::int64_t weights, std::int64_t outputs, std::int64_t taps) {
  const auto room = static_cast<std::int64_t>(std::bit_ceil(static_cast<std::uint64_t>(taps)));
  return 2 * weights + 4 * outputs + kTapBytes * room + 384;
}

}  // namespace

Bytes DirectStateBytes(const NetShape& shape) {
  const Letters n(shape);
  const std::int64_t f_p = UpTo(n.f_p, kDirectOutputs);
  const std::int64_t f_v = UpTo(n.f_v, kDirectOutputs);
  const std::int64_t a = UpTo(n.a, kDirectOutputs);
  const std::int64_t hidden = UpTo(n.hidden, kDirectOutputs);
  const std::int64_t taps3 = std::int64_t{3 * shape.rows - 2} * (3 * shape.cols - 2);
  std::int64_t bytes = DirectLayer(9 * DirectInput(n.pl) * n.C, n.C, taps3) +
                       2 * n.B * DirectLayer(9 * n.C * n.C, n.C, taps3);
  const std::int64_t kept = DirectInput(n.C - n.p);  // inputs to a pooling block's second layer
  bytes += n.G * (2 * 9 * (kept - n.C) * n.C + 4 * (2 * n.p + 1) * UpTo(kept, 16));
  bytes += n.L * (DirectLayer(3 * n.C * n.C, 3 * n.C, n.S) + DirectLayer(n.C * n.C, n.C, n.S) +
                  8 * n.C + 4 * n.h * n.S * UpTo(n.S, 16));
  bytes += DirectLayer(n.C * f_p, f_p, n.S) + DirectLayer(f_p * n.S * a, a, n.S);
  bytes += DirectLayer(n.C * f_v, f_v, n.S) + DirectLayer(f_v * n.S * hidden, hidden, n.S);
  return Bytes(bytes + 4 * kValueOutputs * (n.hidden + 1));
}

Bytes DirectScratchBytes(const NetShape& shape, CpuUnit unit) {
  const std::int64_t rows = unit == CpuUnit::kTiles ? kTileRows : kVectorRows;
  const Letters n(shape);
  const std::int64_t f_p = UpTo(n.f_p, kDirectOutputs);
  const std::int64_t f_v = UpTo(n.f_v, kDirectOutputs);
  const std::int64_t wide =
      std::max({f_p, f_v, n.L > 0 ? 3 * n.C : 0, n.G > 0 ? DirectInput(n.C - n.p) : 0});
  const std::int64_t outputs = std::max(UpTo(n.a, kDirectOutputs), UpTo(n.hidden, kDirectOutputs));
  const std::int64_t mix = n.L > 0 ? (2 * UpTo(n.C / n.h, 16) + 1) * UpTo(n.S, 16) : 0;
  return Bytes(2 * rows * n.S * (DirectInput(n.pl) + 2 * n.C + wide) +
               4 * std::max(rows * outputs, mix));
}

Bytes InferenceRowBytes(const NetShape& shape, Precision precision) {
  const Letters n(shape);
  const std::int64_t e = BytesPerElement(precision);
  const std::int64_t board = n.C * n.S;
  const std::int64_t stem = n.pl * n.S + board;
  // A block's input, which its sum overwrites, and its middle; a pooling block has two middles.
  const std::int64_t trunk = 2 * board + (n.G > 0 ? (n.C - n.p) * n.S : 0);
  const std::int64_t attention = n.L > 0 ? 7 * board : 0;
  const std::int64_t head = e * (board + std::max(n.f_p, n.f_v) * n.S);
  // The answers in float32; with bf16 also as they are before the conversion.
  const std::int64_t answers = (e == 2 ? 6 : 4) * (n.a + n.hidden);
  return Bytes(std::max(e * std::max({stem, trunk, attention}), head + answers));
}

Bytes InferenceBatchBytes(const NetShape& shape, Precision precision, int rows, CpuUnit unit) {
  const Bytes plain = InferenceRowBytes(shape, precision) * rows;
  if (shape.attention_blocks == 0 || precision == Precision::kFp32) return plain;
  if (unit == CpuUnit::kVectors) return plain + KiB(56);
  const Letters n(shape);
  if (n.S < 64) return plain;
  // With tiles LibTorch packs larger boards: one more copy of the board, a sum for each query, and
  // the scores of a few queries at a time.
  const std::int64_t queries = n.S < 192 ? 32 : n.S < 768 ? 64 : 256;
  const std::int64_t row = 2 * 8 * n.C * n.S + 4 * n.h * n.S;
  return std::max(plain, Bytes(row * rows + queries * (6 * n.S + 4 * n.C / n.h)));
}

Bytes IoRowBytes(const NetShape& shape, int words, Precision precision) {
  const Letters n(shape);
  return Bytes(8 * std::int64_t{words} + BytesPerElement(precision) * n.pl * n.S + 4 * (n.a + 1));
}

TrainingState TrainingStateBytes(const NetShape& shape, Precision precision, int shards) {
  const std::int64_t parameters = ParameterCount(shape);
  const std::int64_t stats = RunningStatCount(shape);
  const bool low = precision == Precision::kBf16;
  return {.weights = Bytes(4 * (parameters + stats)),
          .gradients = Bytes((low ? 6 : 4) * parameters * shards),
          .optimizer = Bytes(8 * parameters),
          .average = Bytes(4 * (parameters + stats)),
          .casts = Bytes(low ? 4 * parameters : 0)};
}

namespace {

// The moments at which a training step may be at its peak. Each adds up what the forward pass has
// saved and the backward pass has not freed yet, and what the running operator holds beside it.
// They were read off traces of every allocation (docs/memory.md), for LibTorch 2.11 on a CPU.
class StepMoments {
 public:
  StepMoments(const NetShape& shape, Precision precision, int checkpoint_blocks, int rows)
      : shape_(shape), n_(shape), is_low_(precision == Precision::kBf16), rows_(rows) {
    const std::int64_t stages = n_.B + n_.L;
    const std::int64_t segment =
        checkpoint_blocks > 0 ? std::min<std::int64_t>(checkpoint_blocks, stages) : stages;
    const std::int64_t segments = segment > 0 ? (stages + segment - 1) / segment : 1;
    for (std::int64_t i = 0; i < segments; ++i) {
      const std::int64_t first = i * segment;
      const std::int64_t end = std::min(stages, first + segment);
      Add({.index = i,
           .blocks = std::max<std::int64_t>(0, std::min(end, n_.B) - first),
           .pooling = PoolingBlocks(std::min(end, n_.B)) - PoolingBlocks(std::min(first, n_.B)),
           .attention = std::max<std::int64_t>(0, end - std::max(first, n_.B)),
           .is_last = i + 1 == segments});
    }
    // bf16 gradients are added up in float32: a copy of all of them beside planes and answers.
    if (is_low_) {
      Note({e() * (n_.pl * n_.S + n_.a * (1 + n_.opponent)), 4 * LowPrecisionCount()});
    }
  }
  std::int64_t peak() const { return peak_; }
  std::int64_t steepest() const { return steepest_; }  // bytes per row

 private:
  struct Segment {
    std::int64_t index;
    std::int64_t blocks;
    std::int64_t pooling;  // how many of them pool
    std::int64_t attention;
    bool is_last;  // not recomputed, as its backward pass comes first
  };

  // The number of pooling blocks among the first `blocks`.
  std::int64_t PoolingBlocks(std::int64_t blocks) const {
    return n_.G > 0 ? blocks / shape_.global_pool_every : 0;
  }

  // Bytes per row, and bytes that do not depend on the rows.
  struct Moment {
    std::int64_t row;
    std::int64_t fixed;
  };
  void Note(const Moment& moment) {
    peak_ = std::max(peak_, moment.row * rows_ + moment.fixed);
    steepest_ = std::max(steepest_, moment.row);
  }

  void Add(const Segment& s) {
    const std::int64_t board = e() * n_.C * n_.S;  // one activation of the trunk
    const std::int64_t conv =
        3 * e() * (n_.B > 0 ? 9 * n_.C * n_.C : 0);  // its gradient, reordered
    // The planes, one input for each segment before this one, and inside this one: two activations
    // for the stem, four for each block; a pooling block also has the maxima and the pools.
    const std::int64_t trunk = e() * n_.pl * n_.S + board * s.index + 4 * board * s.blocks +
                               (s.index == 0 ? 2 * board : 0) + 3 * e() * n_.p * s.pooling;
    const std::int64_t saved = trunk + s.attention * AttentionSaved();
    if (s.is_last) {
      AddHeads(saved);
      Note({trunk + board, conv});
    } else {
      // First the recomputed segment with the gradient that came in, then the gradients of all its
      // parameters together.
      Note({saved + 3 * board, conv});
      Note({e() * n_.pl * n_.S + board * (s.index + 1), conv + e() * ParametersOf(s)});
    }
    if (s.attention > 0) AddAttention(trunk + (s.is_last ? 0 : board));
  }

  void AddHeads(std::int64_t saved) {
    const std::int64_t board = e() * n_.C * n_.S;
    // A head keeps its convolution's output, its norm's output and a flat copy.
    const std::int64_t policy = e() * (3 * n_.f_p * n_.S + n_.a);
    // The opponent's head has its backward pass before the others: its answers and its gradient of
    // the features stay.
    const std::int64_t opponent = n_.opponent * e() * (n_.f_p * n_.S + n_.a);
    const std::int64_t value = e() * (3 * n_.f_v * n_.S + n_.hidden + kValueOutputs);
    // With bf16 oneDNN copies a linear layer's gradient.
    const std::int64_t copy_row = is_low_ ? 2 : 0;
    const std::int64_t copy = is_low_ ? 64 << 10 : 0;
    if (n_.opponent > 0) {
      Note(
          {saved + policy + value + opponent + copy_row * n_.a, e() * n_.f_p * n_.S * n_.a + copy});
    }
    Note({saved + policy + value + opponent + e() * n_.f_v * n_.S + copy_row * n_.hidden,
          e() * n_.f_v * n_.S * n_.hidden + copy});
    Note({saved + policy + opponent + e() * (3 * n_.f_v * n_.S + n_.f_p * n_.S + n_.a) +
              copy_row * n_.a,
          e() * n_.f_p * n_.S * n_.a + copy});
    Note({saved + 2 * board + e() * std::max(n_.f_p, n_.f_v) * n_.S, 0});
  }

  // Normed tokens, q, k, v, scaled q and k, mixed values, output; scores (in float32); the norm's
  // mean and deviation. With bf16 also float32 copies, as LibTorch computes attention in float32.
  std::int64_t AttentionSaved() const {
    return e() * (is_low_ ? 9 : 6) * n_.C * n_.S + 4 * n_.h * n_.S * n_.S + 8 * n_.S;
  }
  void AddAttention(std::int64_t trunk) {
    const std::int64_t board = e() * n_.C * n_.S;
    const std::int64_t scores = n_.h * n_.S * n_.S;
    if (is_low_) {
      Note({trunk + 16 * board + 9 * scores, 0});
      Note({trunk + 21 * board + 6 * scores, 0});
      Note({trunk + 8 * board + 12 * scores,
            0});  // decisive with many cells and few channels a head
    } else {
      Note({trunk + 5 * board + 12 * scores, 0});
      Note({trunk + 11 * board + 4 * scores, 0});
    }
  }

  std::int64_t ParametersOf(const Segment& s) const {
    const std::int64_t stem = s.index == 0 ? ConvNormParameters(n_.pl, n_.C, 3) : 0;
    return stem + s.blocks * 2 * ConvNormParameters(n_.C, n_.C, 3) +
           s.pooling * PoolParameters(n_) + s.attention * AttentionParameters(n_);
  }
  // The number of parameters without the norms' scales and shifts.
  std::int64_t LowPrecisionCount() const {
    return ParameterCount(shape_) - RunningStatCount(shape_) - 2 * n_.L * n_.C;
  }
  std::int64_t e() const { return is_low_ ? 2 : 4; }

  const NetShape shape_;
  const Letters n_;
  const bool is_low_;
  const std::int64_t rows_;
  std::int64_t peak_ = 0;
  std::int64_t steepest_ = 0;
};

// Bytes per row of losses and sums.
constexpr std::int64_t kLossRowBytes = 64;
constexpr std::int64_t kLossBytes = 9000;

}  // namespace

Bytes TrainingStepBytes(const NetShape& shape, Precision precision, int checkpoint_blocks,
                        int rows) {
  const StepMoments moments(shape, precision, checkpoint_blocks, rows);
  return Bytes(moments.peak() + kLossRowBytes * rows + kLossBytes);
}

Bytes TrainingRowBytes(const NetShape& shape, Precision precision, int checkpoint_blocks) {
  const StepMoments moments(shape, precision, checkpoint_blocks, 1);
  return Bytes(moments.steepest() + kLossRowBytes);
}

Bytes CpuSlackBytes(Bytes live) { return MiB(10) + live / 8; }

}  // namespace az
