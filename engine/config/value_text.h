#pragma once
// Reads and prints option values of the types that option structs use. Used through
// option_collector.h.

#include <array>
#include <charconv>
#include <cmath>
#include <concepts>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "base/bytes.h"
#include "base/describe.h"
#include "base/result.h"
#include "base/strings.h"
#include "engine/config/options.h"
#include "engine/config/size_text.h"
#include "scheduler/checkpointing.h"
#include "scheduler/memory_options.h"

namespace az::value_text {

template <class T>
inline constexpr bool kIsAuto = false;
template <class T>
inline constexpr bool kIsAuto<Auto<T>> = true;

// The names of an enum for a message: "fp32 or bf16".
template <class E>
std::string EnumChoices() {
  std::vector<std::string> names;
  for (const auto& [value, name] : EnumNames<E>::value) names.emplace_back(name);
  return Join(names, " or ");
}

// The name of a type for people.
template <class T>
std::string TypeName() {
  if constexpr (kIsAuto<T>) {
    return TypeName<typename T::value_type>();
  } else if constexpr (std::same_as<T, bool>) {
    return "true or false";
  } else if constexpr (std::integral<T>) {
    return "integer";
  } else if constexpr (std::floating_point<T>) {
    return "number";
  } else if constexpr (std::same_as<T, Bytes>) {
    return "size";
  } else if constexpr (std::same_as<T, MemorySize>) {
    return "size or percentage";
  } else if constexpr (std::same_as<T, Checkpointing>) {
    return "off, on or blocks from 1 to 256";
  } else if constexpr (std::is_enum_v<T>) {
    return EnumChoices<T>();
  } else {
    static_assert(std::same_as<T, std::string>);
    return "text";
  }
}

inline std::string Format(const std::string& value) { return value; }
inline std::string Format(bool value) { return value ? "true" : "false"; }
template <std::integral T>
std::string Format(T value) {
  return StrCat(value);
}
// Prints the shortest text that reads back as the same T.
template <std::floating_point T>
std::string Format(T value) {
  std::array<char, 64> text{};
  const auto end = std::to_chars(text.data(), text.data() + text.size(), value).ptr;
  return std::string(text.data(), end);
}
template <class E>
requires std::is_enum_v<E> std::string Format(E value) { return std::string(EnumName(value)); }
template <class T>
std::string Format(const Auto<T>& value) {
  return value.has_value() ? Format(*value) : "auto";
}

inline Result<void> Parse(std::string_view text, std::string& value) {
  if (text.empty()) return Fault("is empty");
  value = text;
  return {};
}
inline Result<void> Parse(std::string_view text, bool& value) {
  if (text != "true" && text != "false") return Fault("is neither true nor false");
  value = text == "true";
  return {};
}
template <std::integral T>
Result<void> Parse(std::string_view text, T& value) {
  if constexpr (std::unsigned_integral<T>) {
    std::uint64_t wide = 0;
    if (!ParseUint(text, wide)) return Fault("is not an integer from 0 up");
    if (!std::in_range<T>(wide)) return Fault("is too large");
    value = static_cast<T>(wide);
  } else {
    std::int64_t wide = 0;
    if (!ParseInt(text, wide)) return Fault("is not an integer");
    if (!std::in_range<T>(wide)) return Fault("is too large");
    value = static_cast<T>(wide);
  }
  return {};
}
template <std::floating_point T>
Result<void> Parse(std::string_view text, T& value) {
  double wide = 0;
  if (!ParseDouble(text, wide)) return Fault("is not a number");
  value = static_cast<T>(wide);
  return {};
}
template <class E>
requires std::is_enum_v<E> Result<void> Parse(std::string_view text, E& value) {
  if constexpr (std::same_as<E, Precision>) {  // also by the numbers of other trainers
    if (text == "32") text = "fp32";
    if (text == "16") text = "bf16";
  }
  const std::optional<E> named = EnumFromName<E>(text);
  if (!named) return Fault(StrCat("is not one of: ", EnumChoices<E>()));
  value = *named;
  return {};
}
template <class T>
Result<void> Parse(std::string_view text, Auto<T>& value) {
  if (text == "auto") {
    value.reset();
    return {};
  }
  T chosen{};
  if (Result<void> parsed = Parse(text, chosen); !parsed) {
    return Fault(StrCat(parsed.error().message, " (or auto)"));
  }
  value = chosen;
  return {};
}

template <class T>
std::string FormatRange(const Range<T>& range) {
  return StrCat("[", Format(range.low), ", ", Format(range.high), "]");
}

template <class T>
Result<void> CheckRange(const T& value, const Range<T>& range) {
  if (value >= range.low && value <= range.high) return {};  // false for NaN
  return Fault(StrCat("is out of range ", FormatRange(range)));
}
template <class T>
Result<void> CheckRange(const Auto<T>& value, const Range<T>& range) {
  return value.has_value() ? CheckRange(*value, range) : Result<void>();
}

}  // namespace az::value_text
