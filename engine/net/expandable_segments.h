#pragma once
// Whether a GPU's allocator lets its segments grow (expandable segments). Some drivers under WSL
// say that they can and refuse the first mapping. Knows neither CUDA nor LibTorch.

#include <functional>
#include <string_view>

#include "base/describe.h"
#include "base/result.h"

namespace az {

// What to begin with. `kernel_release`: as uname tells it; under WSL auto is off.
bool WantsExpandableSegments(Auto<bool> asked, std::string_view kernel_release);

// How the allocator is told, and an allocation that shows whether it can do so.
struct SegmentTrial {
  std::function<void(bool expandable)> set;
  std::function<Result<void>()> allocate;
  std::function<void(const Error&)> on_plain;  // why segments cannot grow; may be empty
};

// Sets what is wanted, or plain segments where those that grow cannot be allocated. Fails as
// `allocate` with plain segments does, and at once where memory was short (kNoMemory), which says
// nothing about segments.
Result<void> SettleSegments(bool expandable, const SegmentTrial& trial);

}  // namespace az
