#pragma once
// What an exception of LibTorch or of the libraries below it means for memory. Most say so by their
// type; cuBLAS, cuDNN and the CPU allocator say it in their text alone. Pure; the adapter that
// catches the exception (engine/net/torch_guard.h) describes it and asks.

#include <cstdint>
#include <optional>
#include <string_view>

#include "base/bytes.h"
#include "scheduler/device_memory.h"

namespace az {

enum class ExceptionKind : std::uint8_t {
  kOutOfMemory,  // LibTorch's own type for an allocator that refuses
  kAccelerator,  // carries the device runtime's error code
  kTorch,        // LibTorch's general type
  kBadAlloc,     // std::bad_alloc
  kOther,
};

// An exception as the adapter saw it.
struct CaughtException {
  ExceptionKind kind = ExceptionKind::kOther;
  int code = 0;  // kAccelerator: the runtime's (cudaError_t)
  std::string_view text;
};

// What there is left to take; nullopt: unknown.
struct MemoryRoom {
  std::optional<Bytes> free;
  Bytes guard;  // less than this is short
};

enum class Failure : std::uint8_t {
  kDeviceMemory,  // give something up, then do the same again
  kHostMemory,    // the same with host memory
  kDeviceLost,    // the context is broken for good: only a new process helps
  kOther,
};

// Less than this is short, whatever was asked for: as the planner's guard at its least.
inline constexpr Bytes kShortOfMemory = MiB(128);

// What these layers leave to us: of the device and, where the allocator is capped, below its cap,
// which is met first. Unknown where both are; kShortOfMemory is the guard.
MemoryRoom RoomIn(const MemorySnapshot& layers);

// Where a library hides the reason (cuDNN finds no engine when none gets its workspace), it is
// memory if and only if less than the guard is free; with free memory unknown it is not.
Failure Classify(const CaughtException& caught, const MemoryRoom& room);

}  // namespace az
