#include "engine/config/visible_gpus.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>

#include "base/strings.h"

namespace az {
namespace {

constexpr std::string_view kGpu = "GPU-";
constexpr std::string_view kMig = "MIG-";

std::optional<int> IndexOf(std::string_view entry, std::span<const std::string> uuids) {
  std::uint64_t number = 0;
  if (ParseUint(entry, number)) {
    if (number >= uuids.size()) return {};
    return static_cast<int>(number);
  }
  if (!entry.starts_with(kGpu)) return {};
  std::optional<int> found;
  for (std::size_t i = 0; i < uuids.size(); ++i) {
    if (!uuids[i].starts_with(entry)) continue;
    if (found) return {};  // it is the beginning of two
    found = static_cast<int>(i);
  }
  return found;
}

}  // namespace

std::vector<VisibleGpu> VisibleGpus(std::optional<std::string_view> variable,
                                    std::span<const std::string> uuids) {
  std::vector<VisibleGpu> out;
  if (!variable) {
    for (std::size_t i = 0; i < uuids.size(); ++i) out.push_back({static_cast<int>(i), ""});
    return out;
  }
  for (const std::string_view part : Split(*variable, ',')) {
    const std::string_view entry = Trim(part);
    if (entry.starts_with(kMig)) {
      if (out.empty()) out.push_back({0, std::string(entry)});
      return out;
    }
    const std::optional<int> index = IndexOf(entry, uuids);
    if (!index) return out;
    const VisibleGpu gpu{*index, ""};
    if (std::ranges::find(out, gpu) != out.end()) return {};
    out.push_back(gpu);
  }
  return out;
}

std::optional<std::string_view> CudaVisibleDevices() {
  const char* const text = std::getenv("CUDA_VISIBLE_DEVICES");
  if (text == nullptr) return {};
  return text;
}

}  // namespace az
