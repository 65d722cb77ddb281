#pragma once
// What ran out of memory and what was given up for it, as the control channel tells it.

#include "engine/process/memory_messages.h"
#include "engine/server/server_options.h"
#include "engine/train/learner.h"
#include "scheduler/device_memory.h"

namespace az {

OomMessage ReportOf(const LearnerOom& oom);
OomMessage ReportOf(const ServerOom& oom, const MemorySnapshot& at_failure);
// Of something whole that is tried once more after cleaning up: "load", "train".
OomMessage ReportOfPhase(const char* where, const Error& error, const MemorySnapshot& at_failure);

}  // namespace az
