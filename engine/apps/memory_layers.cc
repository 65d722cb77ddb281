#include "engine/apps/memory_layers.h"

namespace az {

MemoryLayersMessage LayersOf(const MemorySnapshot& snapshot) {
  const auto count = [](std::optional<Bytes> bytes) { return bytes ? bytes->count() : -1; };
  return {.requested_bytes = count(snapshot.requested),
          .allocated_bytes = count(snapshot.allocated),
          .active_bytes = count(snapshot.active),
          .reserved_bytes = count(snapshot.reserved),
          .inactive_split_bytes = count(snapshot.inactive_split),
          .largest_hole_bytes = count(snapshot.largest_hole),
          .peak_allocated_bytes = count(snapshot.allocated_peak),
          .peak_reserved_bytes = count(snapshot.reserved_peak),
          .alloc_retries = snapshot.num_alloc_retries.value_or(-1)};
}

}  // namespace az
