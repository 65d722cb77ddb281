#include "engine/net/folded_net.h"

#include <ATen/core/grad_mode.h>
#include <ATen/ops/sqrt.h>

#include <string>

#include "base/strings.h"

namespace az {
namespace {

constexpr double kBatchNormEps = 1e-5;  // torch's default, which the training form uses

FoldedConv FoldConvNorm(const Weights& weights, const std::string& name) {
  const auto get = [&](const char* part) { return weights.Get(name + part).to(at::kDouble); };
  const at::Tensor scale = get(".norm.weight") / at::sqrt(get(".norm.running_var") + kBatchNormEps);
  return FoldedConv{
      (get(".conv.weight") * scale.view({-1, 1, 1, 1})).to(at::kFloat).contiguous(),
      (get(".norm.bias") - get(".norm.running_mean") * scale).to(at::kFloat).contiguous()};
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
    net.blocks.push_back(FoldConvNorm(weights, StrCat("block", i, ".conv1")));
    net.blocks.push_back(FoldConvNorm(weights, StrCat("block", i, ".conv2")));
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
