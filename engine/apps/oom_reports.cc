#include "engine/apps/oom_reports.h"

#include <algorithm>

#include "base/strings.h"
#include "engine/apps/memory_layers.h"
#include "scheduler/oom_classifier.h"

namespace az {
namespace {

// What the allocator may still take: below its cap, and of the device.
std::optional<Bytes> FreeOf(const MemorySnapshot& memory) {
  std::optional<Bytes> free;
  if (memory.total && memory.used) free = *memory.total - *memory.used;
  if (memory.cap && memory.reserved) {
    const Bytes below_cap = *memory.cap - *memory.reserved;
    free = free ? std::min(*free, below_cap) : below_cap;
  }
  return free;
}

OomMessage Report(const char* where, const Error& error, const MemorySnapshot& memory) {
  OomMessage message;
  message.where = where;
  message.text = error.message;
  if (const auto requested = RequestedBytes(error.message)) {
    message.requested_bytes = requested->count();
  }
  if (const auto free = FreeOf(memory)) message.free_bytes = free->count();
  message.memory = LayersOf(memory);
  return message;
}

}  // namespace

OomMessage ReportOf(const LearnerOom& oom) {
  OomMessage message = Report("train", oom.error, oom.at_failure);
  if (oom.rung == StepRung::kCleanUp) return message;
  message.rung = DescribeRung(oom.rung, oom.sizes);
  message.micro_batch = oom.sizes.micro_batch;
  message.checkpoint_blocks = oom.sizes.checkpoint_stages;
  return message;
}

OomMessage ReportOf(const ServerOom& oom, const MemorySnapshot& at_failure) {
  OomMessage message = Report("inference", oom.error, at_failure);
  if (oom.step == MemoryStep::kCleanUp) return message;
  message.rung = StrCat("batches of at most ", oom.largest_rows, " rows");
  message.largest_bucket = oom.largest_rows;
  return message;
}

OomMessage ReportOfPhase(const char* where, const Error& error, const MemorySnapshot& at_failure) {
  return Report(where, error, at_failure);
}

}  // namespace az
