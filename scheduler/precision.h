#pragma once
// The two number formats that networks are run and trained in.

#include <array>
#include <cstdint>
#include <string_view>
#include <utility>

#include "base/describe.h"

namespace az {

enum class Precision : std::uint8_t { kFp32, kBf16 };
template <>
struct EnumNames<Precision> {
  static constexpr std::array<std::pair<Precision, std::string_view>, 2> value = {
      {{Precision::kFp32, "fp32"}, {Precision::kBf16, "bf16"}}};
};

constexpr int BytesPerElement(Precision precision) { return precision == Precision::kFp32 ? 4 : 2; }

}  // namespace az
