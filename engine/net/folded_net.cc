#include "engine/net/folded_net.h"

#include <ATen/core/grad_mode.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/sqrt.h>

#include <optional>
#include <string>

#include "base/strings.h"

namespace az {
namespace {

constexpr double kBatchNormEps = 1e-5;  // torch's default, which the training form uses

// What a batch norm does in eval mode, x scale + shift, in double precision.
struct Norm {
  at::Tensor scale;
  at::Tensor shift;
};

Norm NormOf(const Weights& weights, const std::string& name) {
  const auto get = [&](const char* part) { return weights.Get(name + part).to(at::kDouble); };
  const at::Tensor scale = get(".weight") / at::sqrt(get(".running_var") + kBatchNormEps);
  return Norm{scale, get(".bias") - get(".running_mean") * scale};
}

at::Tensor AsFloat(const at::Tensor& tensor) { return tensor.to(at::kFloat).contiguous(); }

FoldedConv FoldConv(const Weights& weights, const std::string& name, const Norm& norm) {
  const at::Tensor weight = weights.Get(name).to(at::kDouble);
  return FoldedConv{AsFloat(weight * norm.scale.view({-1, 1, 1, 1})), AsFloat(norm.shift)};
}

FoldedConv FoldConvNorm(const Weights& weights, const std::string& name) {
  return FoldConv(weights, name + ".conv.weight", NormOf(weights, name + ".norm"));
}

FoldedBlock FoldBlock(const Weights& weights, const std::string& name) {
  return FoldedBlock{FoldConvNorm(weights, name + ".conv1"), std::nullopt,
                     FoldConvNorm(weights, name + ".conv2")};
}

// The kept channels' norm comes after what the pools add: (y + pool) scale + shift, so its scale
// goes into both.
FoldedBlock FoldPoolBlock(const Weights& weights, const std::string& name) {
  const Norm pooled = NormOf(weights, name + ".pool_norm");
  const Norm kept = NormOf(weights, name + ".norm");
  const Norm both{at::cat({pooled.scale, kept.scale}), at::cat({pooled.shift, kept.shift})};
  const auto pool = [&](const char* part) {
    return weights.Get(name + ".pool" + part).to(at::kDouble);
  };
  return FoldedBlock{FoldConv(weights, name + ".conv1.weight", both),
                     FoldedLinear{AsFloat(pool(".weight") * kept.scale.unsqueeze(1)),
                                  AsFloat(pool(".bias") * kept.scale)},
                     FoldConvNorm(weights, name + ".conv2")};
}

FoldedLinear CopyLinear(const Weights& weights, const std::string& name) {
  return FoldedLinear{weights.Get(name + ".weight"), weights.Get(name + ".bias")};
}

// From features [filter][cell] to [cell][filter].
FoldedLinear CellMajor(const FoldedLinear& linear, std::int64_t cells) {
  const std::int64_t out = linear.weight.size(0);
  return FoldedLinear{
      linear.weight.view({out, -1, cells}).transpose(1, 2).reshape({out, -1}).contiguous(),
      linear.bias};
}

}  // namespace

FoldedNet Fold(const Weights& weights) {
  const at::NoGradGuard no_grad;
  FoldedNet net;
  net.shape = weights.info.shape;
  net.stem = FoldConvNorm(weights, "stem");
  for (int i = 0; i < net.shape.res_blocks; ++i) {
    const std::string name = StrCat("block", i);
    net.blocks.push_back(net.shape.Pools(i) ? FoldPoolBlock(weights, name)
                                            : FoldBlock(weights, name));
  }
  for (int i = 0; i < net.shape.attention_blocks; ++i) {
    const std::string name = StrCat("attention", i);
    net.attention.push_back(
        FoldedAttention{weights.Get(name + ".norm.weight"), weights.Get(name + ".norm.bias"),
                        CopyLinear(weights, name + ".qkv"), CopyLinear(weights, name + ".out"),
                        weights.Get(name + ".bias")});
  }
  const std::int64_t cells = net.shape.cells();
  net.policy_conv = FoldConvNorm(weights, "policy_conv");
  net.value_conv = FoldConvNorm(weights, "value_conv");
  net.policy_linear = CellMajor(CopyLinear(weights, "policy_linear"), cells);
  net.value_linear1 = CellMajor(CopyLinear(weights, "value_linear1"), cells);
  net.value_linear2 = CopyLinear(weights, "value_linear2");
  return net;
}

}  // namespace az
