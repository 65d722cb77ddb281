#include "scheduler/footprint.h"

#include <algorithm>

namespace az {
namespace {

// The shape in 64 bits, with the letters of docs/memory.md section 3.
struct Letters {
  explicit Letters(const NetShape& s)
      : S(s.cells()),
        pl(s.planes),
        a(s.actions),
        C(s.filters),
        B(s.res_blocks),
        L(s.heads > 0 ? s.attention_blocks : 0),
        h(s.heads),
        f_p(s.policy_filters),
        f_v(s.value_filters),
        hidden(s.value_hidden) {}
  std::int64_t S, pl, a, C, B, L, h, f_p, f_v, hidden;
};

constexpr std::int64_t kValueOutputs = 3;  // win, draw, loss

std::int64_t ConvNormParameters(std::int64_t in, std::int64_t out, std::int64_t kernel) {
  return in * out * kernel * kernel + 2 * out;  // no bias; scale and shift of the norm
}
std::int64_t LinearParameters(std::int64_t in, std::int64_t out) { return in * out + out; }

std::int64_t AttentionParameters(const Letters& n) {
  return 2 * n.C + LinearParameters(n.C, 3 * n.C) + LinearParameters(n.C, n.C) + n.h * n.S * n.S;
}

}  // namespace

std::int64_t ParameterCount(const NetShape& shape) {
  const Letters n(shape);
  const std::int64_t trunk =
      ConvNormParameters(n.pl, n.C, 3) + n.B * 2 * ConvNormParameters(n.C, n.C, 3);
  const std::int64_t policy =
      ConvNormParameters(n.C, n.f_p, 1) + LinearParameters(n.f_p * n.S, n.a);
  const std::int64_t value = ConvNormParameters(n.C, n.f_v, 1) +
                             LinearParameters(n.f_v * n.S, n.hidden) +
                             LinearParameters(n.hidden, kValueOutputs);
  return trunk + n.L * AttentionParameters(n) + policy + value;
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
  const std::int64_t attention = n.L * (n.S * 4 * n.C * n.C + 2 * n.S * n.S * n.C);
  const std::int64_t heads = n.f_p * n.S * n.a + n.f_v * n.S * n.hidden + n.hidden * kValueOutputs;
  return 2 * (convs + attention + heads);
}

Bytes InferenceStateBytes(const NetShape& shape, Precision precision) {
  return Bytes(BytesPerElement(precision) * ParameterCount(shape));
}

Bytes InferenceRowBytes(const NetShape& shape, Precision precision) {
  const Letters n(shape);
  const std::int64_t trunk = 3 * n.C * n.S;  // input, middle and output of a block, in place
  const std::int64_t attention = n.L > 0 ? 5 * n.C * n.S + n.h * n.S * n.S : 0;
  return Bytes(BytesPerElement(precision) * std::max(trunk, attention));
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

Bytes TrainingRowBytes(const NetShape& shape, Precision precision) {
  const Letters n(shape);
  const std::int64_t e = BytesPerElement(precision);
  const std::int64_t head = 2 * (n.f_p + n.f_v) * n.S + 2 * n.hidden + n.a + kValueOutputs;
  const std::int64_t saved = e * (n.pl * n.S + 2 * n.C * n.S + 4 * n.C * n.S * n.B + head);
  const std::int64_t norm_in_fp32 = precision == Precision::kBf16 ? 2 * n.L * n.S * n.C : 0;
  const std::int64_t attention = e * n.L * (6 * n.S * n.C + n.h * n.S * n.S) + norm_in_fp32;
  const std::int64_t backward = 3 * e * n.C * n.S;
  return Bytes(saved + attention + backward);
}

Bytes TrainingRowBytes(const NetShape& shape, Precision precision, int checkpoint_blocks) {
  if (checkpoint_blocks <= 0) return TrainingRowBytes(shape, precision);
  const Letters n(shape);
  const std::int64_t k = std::min<std::int64_t>(checkpoint_blocks, std::max<std::int64_t>(1, n.B));
  const std::int64_t segments = (n.B + k - 1) / k;
  NetShape inside = shape;  // of one segment, and what is not in segments
  inside.res_blocks = static_cast<int>(k);
  const std::int64_t e = BytesPerElement(precision);
  return TrainingRowBytes(inside, precision) + Bytes(e * n.C * n.S * (segments + 1));
}

Bytes StepTemporaryBytes(const NetShape& shape) { return Bytes(4 * LargestTensorCount(shape)); }

}  // namespace az
