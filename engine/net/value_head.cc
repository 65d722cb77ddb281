#include "engine/net/value_head.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>

#include "base/check.h"

namespace az {
namespace {

constexpr std::size_t kLanes =
    16;  // independent sums, so that the compiler may use vectors without reordering

float Dot(const float* a, const float* b, std::size_t n) {
  std::array<float, kLanes> sums{};
  std::size_t i = 0;
  for (; i + kLanes <= n; i += kLanes) {
    for (std::size_t lane = 0; lane < kLanes; ++lane) sums[lane] += a[i + lane] * b[i + lane];
  }
  for (; i < n; ++i) sums[0] += a[i] * b[i];
  float sum = 0.0f;
  for (const float part : sums) sum += part;
  return sum;
}

}  // namespace

ValueHead::ValueHead(const FoldedLinear& linear)
    : hidden_(static_cast<int>(linear.weight.size(1))),
      weights_(linear.weight.data_ptr<float>(),
               linear.weight.data_ptr<float>() + linear.weight.numel()),
      bias_(linear.bias.data_ptr<float>(), linear.bias.data_ptr<float>() + linear.bias.numel()) {
  AZ_CHECK(bias_.size() == 3) << bias_.size() << " outputs";
}

void ValueHead::Values(const float* hidden, int rows, int stride, float* values) const {
  const auto size = static_cast<std::size_t>(hidden_);
  for (int row = 0; row < rows; ++row, hidden += stride) {
    const float win = Dot(hidden, weights_.data(), size) + bias_[0];
    const float draw = Dot(hidden, weights_.data() + size, size) + bias_[1];
    const float loss = Dot(hidden, weights_.data() + 2 * size, size) + bias_[2];
    const float top = std::max({win, draw, loss});
    const float e_win = std::exp(win - top);
    const float e_draw = std::exp(draw - top);
    const float e_loss = std::exp(loss - top);
    values[row] = (e_win - e_loss) / (e_win + e_draw + e_loss);
  }
}

}  // namespace az
