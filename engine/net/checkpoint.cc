#include "engine/net/checkpoint.h"

#include <ATen/core/grad_mode.h>
#include <ATen/ops/isfinite.h>

#include <utility>

#include "base/strings.h"
#include "engine/net/net_spec.h"
#include "engine/net/network.h"
#include "engine/net/torch_guard.h"

namespace az {
namespace {

// Batch norms count their batches; playing does not need that, the learner keeps it elsewhere.
bool IsCounter(std::string_view name) { return name.ends_with("num_batches_tracked"); }

struct NamedSize {
  std::string name;
  std::vector<std::int64_t> sizes;
};

void AddNorm(std::vector<NamedSize>& out, const std::string& name, std::int64_t channels) {
  for (const char* part : {".weight", ".bias", ".running_mean", ".running_var"}) {
    out.push_back({name + part, {channels}});
  }
}

void AddConvNorm(std::vector<NamedSize>& out, const std::string& name, std::int64_t in,
                 std::int64_t to, std::int64_t kernel) {
  out.push_back({name + ".conv.weight", {to, in, kernel, kernel}});
  AddNorm(out, name + ".norm", to);
}

void AddLinear(std::vector<NamedSize>& out, const std::string& name, std::int64_t in,
               std::int64_t to) {
  out.push_back({name + ".weight", {to, in}});
  out.push_back({name + ".bias", {to}});
}

void AddBlock(std::vector<NamedSize>& out, int index, const NetShape& shape) {
  const std::string name = StrCat("block", index);
  const std::int64_t filters = shape.filters;
  if (!shape.Pools(index)) {
    AddConvNorm(out, name + ".conv1", filters, filters, 3);
    AddConvNorm(out, name + ".conv2", filters, filters, 3);
    return;
  }
  out.push_back({name + ".conv1.weight", {filters, filters, 3, 3}});
  AddNorm(out, name + ".pool_norm", shape.pooled());
  AddLinear(out, name + ".pool", std::int64_t{2} * shape.pooled(), shape.kept());
  AddNorm(out, name + ".norm", shape.kept());
  AddConvNorm(out, name + ".conv2", shape.kept(), filters, 3);
}

// What a network of this shape holds (network.h); a test compares it with the module.
std::vector<NamedSize> ExpectedTensors(const NetShape& shape) {
  std::vector<NamedSize> out;
  const std::int64_t filters = shape.filters;
  AddConvNorm(out, "stem", shape.planes, filters, 3);
  for (int i = 0; i < shape.res_blocks; ++i) AddBlock(out, i, shape);
  for (int i = 0; i < shape.attention_blocks; ++i) {
    const std::string name = StrCat("attention", i);
    out.push_back({name + ".norm.weight", {filters}});
    out.push_back({name + ".norm.bias", {filters}});
    AddLinear(out, name + ".qkv", filters, 3 * filters);
    AddLinear(out, name + ".out", filters, filters);
    out.push_back({name + ".bias", {shape.heads, shape.cells(), shape.cells()}});
  }
  AddConvNorm(out, "policy_conv", filters, shape.policy_filters, 1);
  AddLinear(out, "policy_linear", std::int64_t{shape.policy_filters} * shape.cells(),
            shape.actions);
  AddConvNorm(out, "value_conv", filters, shape.value_filters, 1);
  AddLinear(out, "value_linear1", std::int64_t{shape.value_filters} * shape.cells(),
            shape.value_hidden);
  AddLinear(out, "value_linear2", shape.value_hidden, 3);
  return out;
}

const at::Tensor* Find(const Weights& weights, std::string_view name) {
  for (const NamedTensor& item : weights.tensors) {
    if (item.name == name) return &item.tensor;
  }
  return nullptr;
}

Error OtherNetwork(std::string_view what, const NetShape& have, const NetShape& want) {
  return Error{Errc::kIncompatible,
               StrCat(what, ": the weights are of a network with ", DescribeNetShape(have),
                      "; this one has ", DescribeNetShape(want))};
}

}  // namespace

const at::Tensor& Weights::Get(std::string_view name) const {
  const at::Tensor* tensor = Find(*this, name);
  AZ_CHECK(tensor != nullptr) << "no tensor " << name;
  return *tensor;
}

Weights WeightsOf(const NetworkImpl& network, WeightsInfo info) {
  info.shape = network.shape().Playing();
  Weights weights{std::move(info), {}};
  const auto add = [&](const std::string& name, const at::Tensor& tensor) {
    if (IsCounter(name) || IsTrainingOnly(name)) return;
    // A copy even where nothing has to be converted: the learner goes on writing its own.
    weights.tensors.push_back(
        {name, tensor.detach().to(at::kCPU, at::kFloat).clone().contiguous()});
  };
  for (const auto& item : network.named_parameters()) add(item.key(), item.value());
  for (const auto& item : network.named_buffers()) add(item.key(), item.value());
  return weights;
}

Result<void> ApplyWeights(const Weights& weights, NetworkImpl& network) {
  if (!(weights.info.shape == network.shape().Playing())) {
    return OtherNetwork("load weights", weights.info.shape, network.shape());
  }
  AZ_RETURN_IF_ERROR(ValidateWeights(weights));
  const at::NoGradGuard no_grad;
  for (const auto& item : network.named_parameters()) {
    if (!IsTrainingOnly(item.key())) item.value().copy_(weights.Get(item.key()));
  }
  for (const auto& item : network.named_buffers()) {
    if (!IsCounter(item.key())) item.value().copy_(weights.Get(item.key()));
  }
  return {};
}

Result<void> ValidateWeights(const Weights& weights) {
  for (const NamedSize& expected : ExpectedTensors(weights.info.shape)) {
    const at::Tensor* tensor = Find(weights, expected.name);
    if (tensor == nullptr) {
      return Error{Errc::kIncompatible,
                   StrCat("weights: tensor '", expected.name, "' is missing; the network has ",
                          DescribeNetShape(weights.info.shape))};
    }
    if (tensor->scalar_type() != at::kFloat || tensor->sizes() != expected.sizes) {
      return Error{Errc::kIncompatible,
                   StrCat("weights: tensor '", expected.name,
                          "' has another type or size than the network, which has ",
                          DescribeNetShape(weights.info.shape))};
    }
    if (!at::isfinite(*tensor).all().item<bool>()) {
      return Error{Errc::kNotFinite, StrCat("weights: tensor '", expected.name,
                                            "' holds a NaN or an infinite number")};
    }
  }
  return {};
}

Result<void> SaveWeights(const std::filesystem::path& file, const Weights& weights) {
  AZ_RETURN_IF_ERROR(ValidateWeights(weights));
  return WriteSafetensors(file, weights.tensors, MetadataOf(weights.info));
}

Result<Weights> LoadWeights(const std::filesystem::path& file) {
  const std::string what = StrCat("load weights ", file.string());
  return GuardTorch(what, [&]() -> Result<Weights> {
    AZ_ASSIGN_OR_RETURN(TensorFile tensors, ReadSafetensors(file));
    Result<WeightsInfo> info = WeightsInfoFrom(tensors.metadata);
    if (!info) return WithContext(what, info.error());
    const Result<void> shape = ValidateNetShape(info->shape);
    if (!shape) return WithContext(what, shape.error());
    Weights weights{std::move(*info), std::move(tensors.tensors)};
    const Result<void> valid = ValidateWeights(weights);
    if (!valid) return WithContext(what, valid.error());
    return weights;
  });
}

Result<Weights> LoadWeightsFor(const std::filesystem::path& file, const NetShape& shape,
                               std::string_view game, bool other_networks) {
  AZ_ASSIGN_OR_RETURN(Weights weights, LoadWeights(file));
  if (weights.info.game != game) {
    return Error{Errc::kIncompatible, StrCat("load weights ", file.string(), ": they play ",
                                             weights.info.game, ", this run plays ", game)};
  }
  const NetShape& found = weights.info.shape;
  if (!(other_networks ? HasSameRows(found, shape) : found == shape.Playing())) {
    return OtherNetwork(StrCat("load weights ", file.string()), found, shape);
  }
  return weights;
}

}  // namespace az
