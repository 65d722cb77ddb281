#include "engine/ipc/block.h"

#include "base/check.h"

namespace az {

void StoreState(BlockLine& line, BlockState to, Role role, std::uint32_t device_epoch) {
  // Relaxed: the owner reads what it stored or acquired itself.
  const BlockState from = StateOf(line.state.load(std::memory_order_relaxed));
  AZ_CHECK(IsLegal(from, to, role)) << BlockStateName(from) << " to " << BlockStateName(to)
                                    << " by role " << static_cast<int>(role);
  line.state.store(StateWord(to, device_epoch), std::memory_order_release);
}

std::string_view BlockStateName(BlockState state) {
  switch (state) {
    case BlockState::kFree:
      return "free";
    case BlockState::kSubmitted:
      return "submitted";
    case BlockState::kTaken:
      return "taken";
    case BlockState::kDone:
      return "done";
    case BlockState::kFailed:
      return "failed";
  }
  return "unknown";
}

std::string_view BlockStatusName(BlockStatus status) {
  switch (status) {
    case BlockStatus::kOk:
      return "ok";
    case BlockStatus::kBadRequest:
      return "bad_request";
    case BlockStatus::kNoModel:
      return "no_model";
    case BlockStatus::kNotFinite:
      return "not_finite";
    case BlockStatus::kNoMemory:
      return "no_memory";
    case BlockStatus::kPoisoned:
      return "poisoned";
  }
  return "unknown";
}

}  // namespace az
