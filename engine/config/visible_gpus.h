#pragma once
// CUDA's list of GPUs without CUDA: what CUDA_VISIBLE_DEVICES leaves of the driver's, and in which
// order. For looking up a number of engine.device in NVML, which does not obey the variable.

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace az {

// One of CUDA's GPUs: an index in NVML's order, or a MIG instance, of which CUDA takes one at most.
struct VisibleGpu {
  int index = 0;         // unless it is a MIG instance
  std::string mig_uuid;  // "MIG-…"; empty: none
  friend bool operator==(const VisibleGpu&, const VisibleGpu&) = default;
};

// `variable`: CUDA_VISIBLE_DEVICES; empty: not set, and all are visible. `uuids`: of all GPUs in
// NVML's order, which is CUDA's under CUDA_DEVICE_ORDER=PCI_BUS_ID; "" where one is not known. As
// CUDA reads it: numbers, UUIDs and their beginnings, up to the first entry that names no GPU or
// more than one; none at all if a GPU comes twice.
std::vector<VisibleGpu> VisibleGpus(std::optional<std::string_view> variable,
                                    std::span<const std::string> uuids);

// The variable of this process. The view ends with the next change of the environment.
std::optional<std::string_view> CudaVisibleDevices();

}  // namespace az
