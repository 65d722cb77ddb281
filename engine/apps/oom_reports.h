#pragma once
// Messages about memory that ran out and what was given up for it. They carry the figures of the
// failure itself, because the memory is free again when the message is read.

#include <optional>

#include "engine/process/memory_messages.h"
#include "engine/server/server_options.h"
#include "engine/train/learner.h"
#include "scheduler/device_memory.h"

namespace az {

OomMessage ReportOf(const LearnerOom& oom);
// `last`: the allocator's newest refusal, which may be another one.
OomMessage ReportOf(const ServerOom& oom, const std::optional<MemoryRefusal>& last);
// The message for a phase that is tried once more after cleaning up: "load" or "train".
OomMessage ReportOfPhase(const char* where, const Error& error,
                         const std::optional<MemoryRefusal>& last);

}  // namespace az
