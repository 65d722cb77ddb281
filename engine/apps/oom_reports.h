#pragma once
// What ran out of memory and what was given up for it, as the control channel tells it: with the
// figures of the failure itself, because when it is told of its memory is free again.

#include <optional>

#include "engine/process/memory_messages.h"
#include "engine/server/server_options.h"
#include "engine/train/learner.h"
#include "scheduler/device_memory.h"

namespace az {

OomMessage ReportOf(const LearnerOom& oom);
// `last`: the allocator's newest refusal, whether or not it is this one.
OomMessage ReportOf(const ServerOom& oom, const std::optional<MemoryRefusal>& last);
// Of something whole that is tried once more after cleaning up: "load", "train".
OomMessage ReportOfPhase(const char* where, const Error& error,
                         const std::optional<MemoryRefusal>& last);

}  // namespace az
