#pragma once
// RunId: 16 random bytes that tell one start of the supervisor from every other. Checked where
// processes meet.

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"

namespace az {

struct RunId {
  std::array<std::uint8_t, 16> bytes{};
  friend constexpr bool operator==(const RunId&, const RunId&) = default;
};

Result<RunId> NewRunId();                         // kUnavailable: the system gives no random bytes
std::string ToHex(const RunId& id);               // 32 lower-case digits
Result<RunId> ParseRunId(std::string_view text);  // kInvalid: not 32 hexadecimal digits

}  // namespace az
