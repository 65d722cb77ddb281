#pragma once
// What a device process does for a `release`: gives back cached memory and tells what it then has.

#include <vector>

#include "base/result.h"
#include "engine/apps/outbox.h"
#include "engine/process/messages.h"
#include "scheduler/device_memory.h"

namespace az {

// Gives back what is cached; on a full release it first waits for the device's work, which holds
// memory. The messages to send, in this order: all that the outbox has after the wait, so that who
// asked knows of every failure before the release, and the ReleasedMessage. Blocks for the work.
// Fails where the device is lost (lost_device.h); the outbox keeps its messages then.
Result<std::vector<ControlMessage>> AnswerRelease(const ReleaseMessage& message,
                                                  DeviceMemory& memory, Outbox& outbox);

}  // namespace az
