#include "engine/train/flat_layout.h"

#include <unordered_map>
#include <unordered_set>

#include "base/check.h"
#include "engine/net/network.h"

namespace az {
namespace {

constexpr std::int64_t kAlignment = 16;  // numbers: a cache line of float32

enum class Part { kDecayed, kPlain, kNorm };

void Append(const std::string& name, const torch::Tensor& tensor, std::vector<FlatEntry>& entries,
            std::int64_t& end) {
  entries.push_back(
      {.name = name, .sizes = tensor.sizes().vec(), .offset = end, .count = tensor.numel()});
  end += (tensor.numel() + kAlignment - 1) / kAlignment * kAlignment;
}

// Names of the parameters that belong to batch or layer norms.
std::unordered_set<std::string> NormParameters(const NetworkImpl& network) {
  std::unordered_set<std::string> names;
  for (const auto& module : network.named_modules("", /*include_self=*/false)) {
    const bool is_norm = module.value()->as<torch::nn::BatchNorm2dImpl>() != nullptr ||
                         module.value()->as<torch::nn::LayerNormImpl>() != nullptr;
    if (!is_norm) continue;
    for (const auto& parameter : module.value()->named_parameters(/*recurse=*/false)) {
      names.insert(module.key() + "." + parameter.key());
    }
  }
  return names;
}

Part PartOf(const std::string& name, const std::unordered_set<std::string>& norms) {
  if (norms.contains(name)) return Part::kNorm;
  return name.ends_with(".weight") ? Part::kDecayed : Part::kPlain;
}

// Calls visit(entry, tensor) for every entry and the tensor of that name.
template <class Items, class Visit>
void ForEachNamed(const std::vector<FlatEntry>& entries, const Items& items, Visit visit) {
  std::unordered_map<std::string, torch::Tensor> tensors;
  for (const auto& item : items) tensors.emplace(item.key(), item.value());
  for (const FlatEntry& entry : entries) {
    const auto found = tensors.find(entry.name);
    AZ_CHECK(found != tensors.end()) << "no tensor " << entry.name;
    visit(entry, found->second);
  }
}

}  // namespace

FlatLayout FlatLayout::Of(const NetworkImpl& network) {
  FlatLayout layout;
  const std::unordered_set<std::string> norms = NormParameters(network);
  const auto append_part = [&](Part part) {
    for (const auto& parameter : network.named_parameters()) {
      if (PartOf(parameter.key(), norms) != part) continue;
      Append(parameter.key(), parameter.value(), layout.weights, layout.weight_count);
    }
    return layout.weight_count;
  };
  layout.decayed = append_part(Part::kDecayed);
  layout.low_precision = append_part(Part::kPlain);
  append_part(Part::kNorm);
  for (const auto& buffer : network.named_buffers()) {
    if (!buffer.value().is_floating_point()) continue;  // num_batches_tracked
    Append(buffer.key(), buffer.value(), layout.statistics, layout.statistics_count);
  }
  return layout;
}

torch::Tensor ViewOf(const torch::Tensor& flat, const FlatEntry& entry, std::int64_t base) {
  const torch::Tensor part = flat.narrow(0, entry.offset - base, entry.count);
  if (entry.sizes.size() != 4) return part.view(entry.sizes);
  const std::vector<std::int64_t>& s = entry.sizes;
  return part.view({s[0], s[2], s[3], s[1]}).permute({0, 3, 1, 2});
}

void CopyToFlat(const NetworkImpl& network, const FlatLayout& layout, torch::Tensor& weights,
                torch::Tensor& statistics) {
  const torch::NoGradGuard no_grad;
  ForEachNamed(layout.weights, network.named_parameters(),
               [&](const FlatEntry& e, const torch::Tensor& t) { ViewOf(weights, e).copy_(t); });
  ForEachNamed(layout.statistics, network.named_buffers(),
               [&](const FlatEntry& e, const torch::Tensor& t) { ViewOf(statistics, e).copy_(t); });
}

void CopyFromFlat(const FlatLayout& layout, const torch::Tensor& weights,
                  const torch::Tensor& statistics, NetworkImpl& network) {
  const torch::NoGradGuard no_grad;
  ForEachNamed(layout.weights, network.named_parameters(),
               [&](const FlatEntry& e, torch::Tensor t) { t.copy_(ViewOf(weights, e)); });
  ForEachNamed(layout.statistics, network.named_buffers(),
               [&](const FlatEntry& e, torch::Tensor t) { t.copy_(ViewOf(statistics, e)); });
}

}  // namespace az
