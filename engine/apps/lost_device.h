#pragma once
// A device that is broken for good. An illegal address and its like break the context of the
// process, and every later call to the device fails as well: only a new process can mend that.

#include "scheduler/device_memory.h"

namespace az {

// Asks the device, after something on it has failed. Blocks until its work is done. False: it
// answers, so that the failure was that work's own.
bool IsLost(DeviceMemory& memory);

}  // namespace az
