#pragma once
// Reads and prints sizes and the segments of gradient checkpointing. Part of value_text.h.

#include <array>
#include <cmath>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "base/bytes.h"
#include "base/result.h"
#include "base/strings.h"
#include "scheduler/checkpointing.h"
#include "scheduler/memory_options.h"

namespace az::value_text {

inline Error Fault(std::string text) { return Error{Errc::kInvalid, std::move(text)}; }

// Prints the exact value, in the largest binary unit that divides it, so that it reads back as the
// same number of bytes.
inline std::string Format(Bytes value) {
  struct Unit {
    std::int64_t bytes;
    std::string_view name;
  };
  constexpr std::array<Unit, 3> kUnits = {{{1 << 30, "GiB"}, {1 << 20, "MiB"}, {1 << 10, "KiB"}}};
  for (const Unit& unit : kUnits) {
    if (value.count() != 0 && value.count() % unit.bytes == 0) {
      return StrCat(value.count() / unit.bytes, unit.name);
    }
  }
  return StrCat(value.count(), "B");
}

inline std::string Format(const MemorySize& value) {
  if (value.share_permille == 0) return Format(value.bytes);
  return StrCat(static_cast<double>(value.share_permille) / 10, "%");
}
inline std::string Format(const Checkpointing& value) {
  if (value == Checkpointing::Off()) return "off";
  return value == Checkpointing::On() ? "on" : StrCat(value.blocks);
}

inline Result<void> Parse(std::string_view text, Bytes& value) {
  Result<Bytes> bytes = ParseBytes(text);
  if (!bytes) return Fault(StrCat("is not a size: ", bytes.error().message));
  value = *bytes;
  return {};
}
inline Result<void> Parse(std::string_view text, MemorySize& value) {
  if (text.ends_with('%')) {
    double percent = 0;
    if (!ParseDouble(Trim(text.substr(0, text.size() - 1)), percent)) {
      return Fault("is not a percentage");
    }
    if (!(percent >= 1 && percent <= 100)) return Fault("is out of range [1%, 100%]");
    value = {Bytes(), static_cast<int>(std::lround(percent * 10))};
    return {};
  }
  Bytes bytes;
  AZ_RETURN_IF_ERROR(Parse(text, bytes));
  if (bytes == Bytes()) return Fault("is no memory at all (write a size above 0B, or auto)");
  value = {bytes, 0};
  return {};
}
inline Result<void> Parse(std::string_view text, Checkpointing& value) {
  std::int64_t blocks = 0;
  if (text == "off" || text == "false") {
    value = Checkpointing::Off();
  } else if (text == "on" || text == "true") {
    value = Checkpointing::On();
  } else if (ParseInt(text, blocks) && blocks >= 1 && blocks <= 256) {
    value = {static_cast<int>(blocks)};
  } else {
    return Fault("is not off, on, or a number of blocks from 1 to 256");
  }
  return {};
}

}  // namespace az::value_text
