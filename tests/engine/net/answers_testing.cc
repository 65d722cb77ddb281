#include "tests/engine/net/answers_testing.h"

#include <ATen/core/grad_mode.h>
#include <ATen/ops/softmax.h>
#include <ATen/ops/zeros.h>

#include <algorithm>
#include <cmath>
#include <span>
#include <utility>

#include "base/check.h"
#include "base/rng.h"
#include "games/game.h"
#include "games/registry.h"

namespace az::testing {
namespace {

PlaneShape PlanesOf(const NetShape& shape) { return {shape.planes, shape.rows, shape.cols}; }

at::Tensor Unpacked(const NetShape& shape, const std::vector<std::uint64_t>& bits) {
  const PlaneShape planes = PlanesOf(shape);
  const int rows = static_cast<int>(bits.size()) / planes.words();
  at::Tensor out = at::zeros({rows, shape.planes, shape.cells()});
  auto out_at = out.accessor<float, 3>();
  for (int row = 0; row < rows; ++row) {
    for (int plane = 0; plane < shape.planes; ++plane) {
      for (int cell = 0; cell < shape.cells(); ++cell) {
        const auto word = static_cast<std::size_t>(row * planes.words() +
                                                   plane * planes.words_per_plane() + cell / 64);
        out_at[row][plane][cell] = static_cast<float>(bits[word] >> (cell % 64) & 1);
      }
    }
  }
  return out.view({rows, shape.planes, shape.rows, shape.cols});
}

// Softmax in double.
std::vector<double> Chances(std::span<const float> logits) {
  const double top = *std::max_element(logits.begin(), logits.end());
  std::vector<double> out;
  double sum = 0;
  for (const float logit : logits) {
    out.push_back(std::exp(static_cast<double>(logit) - top));
    sum += out.back();
  }
  for (double& chance : out) chance /= sum;
  return out;
}

}  // namespace

std::vector<std::uint64_t> RandomBits(const NetShape& shape, int rows, std::uint64_t seed) {
  Rng rng(seed);
  const PlaneShape planes = PlanesOf(shape);
  std::vector<std::uint64_t> bits(static_cast<std::size_t>(rows * planes.words()));
  for (std::size_t i = 0; i < bits.size(); ++i) {
    const int left = planes.cells() - 64 * (static_cast<int>(i) % planes.words_per_plane());
    bits[i] = rng.Next() & rng.Next();
    if (left < 64) bits[i] &= (std::uint64_t{1} << left) - 1;
  }
  return bits;
}

std::vector<std::uint64_t> GamePositions(std::string_view game, int rows, std::uint64_t seed) {
  const auto found = FindGame(game);
  AZ_CHECK(found.has_value()) << found.error().message;
  const GameOps& ops = **found;
  Rng rng(seed);
  const auto words = static_cast<std::size_t>(ops.info().shape.words());
  std::vector<std::uint64_t> bits;
  auto position = ops.Start();
  while (bits.size() < static_cast<std::size_t>(rows) * words) {
    if (position->FinalOutcome().has_value()) position = ops.Start();
    bits.resize(bits.size() + words);
    position->Encode(std::span(bits).last(words));
    const std::vector<Action> legal = position->LegalActions();
    AZ_CHECK(position->Apply(legal[rng.Below(legal.size())]).has_value());
  }
  return bits;
}

Answers Reference(Network& network, const std::vector<std::uint64_t>& bits) {
  const at::NoGradGuard no_grad;
  network->eval();
  const NetworkOutput out = network->forward(Unpacked(network->shape(), bits));
  const at::Tensor chances = at::softmax(out.value_logits, 1);
  const at::Tensor logits = out.policy_logits.contiguous();
  const at::Tensor values = (chances.select(1, 0) - chances.select(1, 2)).contiguous();
  return Answers{{logits.data_ptr<float>(), logits.data_ptr<float>() + logits.numel()},
                 {values.data_ptr<float>(), values.data_ptr<float>() + values.numel()}};
}

Answers Answer(const InferenceNet& net, std::vector<std::uint64_t> bits, BatchSizes sizes) {
  const NetShape& shape = net.shape();
  bits.resize(static_cast<std::size_t>(sizes.bucket * PlanesOf(shape).words()));
  Answers out{std::vector<float>(static_cast<std::size_t>(sizes.bucket * shape.actions)),
              std::vector<float>(static_cast<std::size_t>(sizes.bucket))};
  InferenceScratch scratch;
  const Result<void> done = net.Forward(
      {bits.data(), out.logits.data(), out.values.data(), sizes.rows, sizes.bucket}, scratch);
  AZ_CHECK(done.has_value()) << done.error().message;
  out.logits.resize(static_cast<std::size_t>(sizes.rows * shape.actions));
  out.values.resize(static_cast<std::size_t>(sizes.rows));
  return out;
}

std::unique_ptr<const InferenceNet> MustCreate(Network& network, InferenceOptions options) {
  auto net = InferenceNet::Create(WeightsOf(*network, {}), options);
  AZ_CHECK(net.has_value()) << net.error().message;
  return std::move(*net);
}

float Distance(const std::vector<float>& a, const std::vector<float>& b) {
  AZ_CHECK(a.size() == b.size());
  float worst = 0.0f;
  for (std::size_t i = 0; i < a.size(); ++i) worst = std::max(worst, std::abs(a[i] - b[i]));
  return worst;
}

Deviation Compare(const Answers& high, const Answers& low) {
  AZ_CHECK(high.logits.size() == low.logits.size());
  const std::size_t rows = high.values.size();
  const std::size_t actions = high.logits.size() / rows;
  Deviation out;
  for (std::size_t row = 0; row < rows; ++row) {
    const std::vector<double> p = Chances(std::span(high.logits).subspan(row * actions, actions));
    const std::vector<double> q = Chances(std::span(low.logits).subspan(row * actions, actions));
    for (std::size_t a = 0; a < actions; ++a) out.mean_kl += p[a] * std::log(p[a] / q[a]);
    const auto best = std::max_element(q.begin(), q.end()) - q.begin();
    out.same_best +=
        p[static_cast<std::size_t>(best)] >= 0.97 * *std::max_element(p.begin(), p.end());
    const double value = std::abs(high.values[row] - low.values[row]);
    out.mean_value += value;
    out.worst_value = std::max(out.worst_value, value);
  }
  const auto count = static_cast<double>(rows);
  out.mean_kl /= count;
  out.same_best /= count;
  out.mean_value /= count;
  return out;
}

}  // namespace az::testing
