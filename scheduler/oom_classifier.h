#pragma once
// Tells what an exception of LibTorch or of the libraries below it means for memory. Most say so by
// their type; cuBLAS, cuDNN and the CPU allocator only in their text. Pure; the adapter that
// catches the exception (engine/net/torch_guard.h) describes it and asks.

#include <cstdint>
#include <optional>
#include <string_view>

#include "base/bytes.h"
#include "scheduler/device_memory.h"

namespace az {

enum class ExceptionKind : std::uint8_t {
  kOutOfMemory,  // LibTorch's own type for an allocator that refuses
  kAccelerator,  // an exception with the device runtime's error code
  kTorch,        // LibTorch's general type
  kBadAlloc,     // std::bad_alloc
  kOther,
};

// An exception as the adapter saw it.
struct CaughtException {
  ExceptionKind kind = ExceptionKind::kOther;
  int code = 0;  // with kAccelerator: the runtime's error code (cudaError_t)
  std::string_view text;
};

// The memory that is left; nullopt: unknown.
struct MemoryRoom {
  std::optional<Bytes> free;
  Bytes guard;  // memory is short when less than this is free
};

enum class Failure : std::uint8_t {
  kDeviceMemory,  // give something up, then do the same again
  kHostMemory,    // the same with host memory
  kDeviceLost,    // the context is broken for good: only a new process helps
  kOther,
};

// Memory is short when less than this is free, whatever was asked for. It is the planner's smallest
// guard.
inline constexpr Bytes kShortOfMemory = MiB(128);

// The memory that these layers leave to us: the smaller of what the device has free and what is
// left below the allocator's cap. Unknown where both are; the guard is kShortOfMemory.
MemoryRoom RoomIn(const MemorySnapshot& layers);

// Classifies an exception. Where a library hides the reason (cuDNN finds no engine when none gets
// its workspace), memory is to blame if and only if less than the guard is free; if the free memory
// is unknown, it is not to blame.
Failure Classify(const CaughtException& caught, const MemoryRoom& room);

}  // namespace az
