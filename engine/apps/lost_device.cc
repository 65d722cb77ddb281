#include "engine/apps/lost_device.h"

#include "engine/net/torch_guard.h"

namespace az {

bool IsLost(DeviceMemory& memory) {
  const auto reach = [&]() -> Result<void> {
    memory.Synchronize();
    return {};
  };
  return !GuardTorch("reach the device", reach).has_value();
}

}  // namespace az
