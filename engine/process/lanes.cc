#include "engine/process/lanes.h"

#include "base/strings.h"

namespace az {

std::string LaneName(int lane) {
  if (lane == kDeviceLane) return "device";
  if (IsDevice(lane)) return StrCat("device_", WorkerOfDevice(lane));
  return StrCat("worker_", lane);
}

}  // namespace az
