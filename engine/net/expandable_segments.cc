#include "engine/net/expandable_segments.h"

namespace az {

bool WantsExpandableSegments(Auto<bool> asked, std::string_view kernel_release) {
  // "5.15.153.1-microsoft-standard-WSL2"
  const bool is_wsl = kernel_release.find("microsoft") != std::string_view::npos;
  return asked.value_or(!is_wsl);
}

Result<void> SettleSegments(bool expandable, const SegmentTrial& trial) {
  trial.set(expandable);
  Result<void> allocated = trial.allocate();
  if (allocated || !expandable || allocated.error().code == Errc::kNoMemory) return allocated;
  trial.set(false);
  AZ_RETURN_IF_ERROR(trial.allocate());
  if (trial.on_plain) trial.on_plain(allocated.error());
  return {};
}

}  // namespace az
