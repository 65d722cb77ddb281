#pragma once
// The control channel's messages about memory. Part of messages.h, which includes it.

#include <cstdint>
#include <string>

namespace az {

// Layers of the device's allocator (docs/memory.md), each inside the next; -1 = unknown.
struct MemoryLayersMessage {
  std::int64_t requested_bytes = -1;
  std::int64_t allocated_bytes = -1;
  std::int64_t active_bytes = -1;
  std::int64_t reserved_bytes = -1;
  std::int64_t inactive_split_bytes = -1;  // cached, but in pieces that cannot go back
  std::int64_t largest_hole_bytes = -1;    // of what is cached, in one piece
  std::int64_t peak_allocated_bytes = -1;  // since the last boundary
  std::int64_t peak_reserved_bytes = -1;
  std::int64_t alloc_retries = -1;  // since the process started
};

// ---- supervisor -> device ----
enum class CleanupLevel : std::uint8_t {
  kLight,  // what is cached and costs nothing to get again
  kFull,   // also what the C library holds free
};
struct ReleaseMessage {  // phase boundary, or memory is short: return cached memory
  std::uint64_t phase = 0;
  CleanupLevel level = CleanupLevel::kFull;
};

// ---- device -> supervisor ----
struct ReleasedMessage {
  std::uint64_t phase = 0;
  std::int64_t freed_bytes = 0;  // of the process's own RAM
  // Of the device, by its allocator's count; on a CPU, where that is RAM, a part of the former.
  std::int64_t freed_device_bytes = 0;
  MemoryLayersMessage before{};  // with the peaks of the phase that ends; they start anew
  MemoryLayersMessage after{};
};
// An allocation failed; the work was undone, something was given up, and the same work done again.
struct OomMessage {
  std::string where;  // "train", "inference", "load", "graph"
  std::string text;   // the library's, shortened
  std::string rung;   // what was given up, in words; empty: cleaning up was enough
  // At the failure, as all of `memory` (scheduler/oom_figures.h); -1 = unknown.
  std::int64_t requested_bytes = -1;
  std::int64_t free_bytes = -1;       // of the device, for anybody
  std::int64_t below_cap_bytes = -1;  // what the allocator's cap left; also -1 without a cap
  std::int64_t rounding_bytes = 0;    // how far these may be from what they were, together
  int micro_batch = 0;                // now in force; 0 = as before
  int checkpoint_blocks = -1;
  int largest_bucket = 0;
  MemoryLayersMessage memory{};
};

}  // namespace az
