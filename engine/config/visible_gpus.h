#pragma once
// CUDA's list of GPUs, found without CUDA: which of the driver's GPUs CUDA_VISIBLE_DEVICES leaves,
// and in which order. For finding engine.device's number in NVML, which ignores the variable.

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace az {

// One of CUDA's GPUs: an index in NVML's order, or a MIG instance. CUDA uses at most one instance.
struct VisibleGpu {
  int index = 0;         // meaningless for a MIG instance
  std::string mig_uuid;  // "MIG-…"; empty: not a MIG instance
  friend bool operator==(const VisibleGpu&, const VisibleGpu&) = default;
};

// Reads the variable as CUDA does: numbers, UUIDs and their beginnings, up to the first entry that
// names no GPU or more than one; the list is empty if a GPU comes twice. `variable`: the value of
// CUDA_VISIBLE_DEVICES; nullopt: it is not set, so all GPUs are visible. `uuids`: those of all GPUs
// in NVML's order, which is CUDA's with CUDA_DEVICE_ORDER=PCI_BUS_ID; "" where one is unknown.
std::vector<VisibleGpu> VisibleGpus(std::optional<std::string_view> variable,
                                    std::span<const std::string> uuids);

// This process's CUDA_VISIBLE_DEVICES. The view is valid until the environment changes.
std::optional<std::string_view> CudaVisibleDevices();

}  // namespace az
