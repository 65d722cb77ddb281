#include "scheduler/oom_classifier.h"

#include <algorithm>
#include <array>
#include <span>

namespace az {
namespace {

// Values of cudaError_t. They are part of the driver's binary interface, so they do not change.
constexpr int kMemoryAllocation = 2;
constexpr std::array kLostCodes = {
    214,  // an uncorrectable ECC error
    700,  // illegal address
    702,  // launch timed out
    710,  // device-side assert
    714,  // hardware stack error
    715,  // illegal instruction
    716,  // misaligned address
    717,  // invalid address space
    718,  // invalid program counter
    719,  // launch failure
};

constexpr std::array<std::string_view, 10> kLostTexts = {
    "an illegal memory access was encountered",
    "unspecified launch failure",
    "uncorrectable ECC error encountered",
    "device-side assert triggered",
    "the launch timed out and was terminated",
    "hardware stack error",
    "an illegal instruction was encountered",
    "misaligned address",
    "operation not supported on global/shared address space",
    "invalid program counter",
};
constexpr std::array<std::string_view, 4> kHostTexts = {
    "DefaultCPUAllocator: can't allocate memory",
    "DefaultCPUAllocator: not enough memory",
    "HOST_ALLOCATION_FAILED",  // cuDNN
    "std::bad_alloc",
};
constexpr std::array<std::string_view, 6> kDeviceTexts = {
    "CUDA error: out of memory",
    "CUDA driver error: out of memory",  // expandable segments are mapped by driver calls
    "CUDA out of memory",
    "(out of memory)",
    "CUBLAS_STATUS_ALLOC_FAILED",
    "DEVICE_ALLOCATION_FAILED",  // cuDNN
};
// Texts that also appear when there was memory and the shape, or the installation, is to blame.
constexpr std::array<std::string_view, 6> kDoubtfulTexts = {
    "unable to find an engine",   "valid cuDNN algorithm",       "mha_graph.execute",
    "CUDNN_STATUS_NOT_SUPPORTED", "CUBLAS_STATUS_NOT_SUPPORTED", "CUBLAS_STATUS_NOT_INITIALIZED",
};

bool HasAny(std::string_view text, std::span<const std::string_view> parts) {
  return std::any_of(parts.begin(), parts.end(), [text](std::string_view part) {
    return text.find(part) != std::string_view::npos;
  });
}

}  // namespace

MemoryRoom RoomIn(const MemorySnapshot& layers) {
  MemoryRoom room{.free = std::nullopt, .guard = kShortOfMemory};
  if (layers.total && layers.used) room.free = *layers.total - *layers.used;
  if (layers.cap && layers.reserved) {
    const Bytes below_cap = *layers.cap - *layers.reserved;
    room.free = std::min(room.free.value_or(below_cap), below_cap);
  }
  return room;
}

Failure Classify(const CaughtException& caught, const MemoryRoom& room) {
  if (caught.kind == ExceptionKind::kOutOfMemory) return Failure::kDeviceMemory;
  if (caught.kind == ExceptionKind::kBadAlloc) return Failure::kHostMemory;
  if (caught.kind == ExceptionKind::kAccelerator) {
    if (caught.code == kMemoryAllocation) return Failure::kDeviceMemory;
    if (std::ranges::count(kLostCodes, caught.code) > 0) return Failure::kDeviceLost;
  }
  // A lost context comes first: later failures may have any text.
  if (HasAny(caught.text, kLostTexts)) return Failure::kDeviceLost;
  if (HasAny(caught.text, kHostTexts)) return Failure::kHostMemory;
  if (HasAny(caught.text, kDeviceTexts)) return Failure::kDeviceMemory;
  const bool is_short = room.free && *room.free < room.guard;
  if (is_short && HasAny(caught.text, kDoubtfulTexts)) return Failure::kDeviceMemory;
  return Failure::kOther;
}

}  // namespace az
