#pragma once
// Lanes: the numbers that name the children of a run. Workers are 0, 1, …; the device process is
// -1. With memory.model_sharing: per_worker each worker also has a device process of its own: that
// of worker i is -2 - i.

#include <string>

namespace az {

inline constexpr int kDeviceLane = -1;
inline constexpr int kMaxWorkerLane = 255;

constexpr bool IsDevice(int lane) { return lane < 0; }
constexpr int OwnDeviceOf(int worker) { return -2 - worker; }
// REQUIRES: a device of one worker.
constexpr int WorkerOfDevice(int lane) { return -2 - lane; }

// "worker_3", "device", "device_3" (of worker 3): for logs and errors.
std::string LaneName(int lane);

}  // namespace az
