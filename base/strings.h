#pragma once
// Text without std::format and iostreams.

#include <concepts>
#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace az {

namespace strings_internal {
void Append(std::string& out, std::string_view piece);
void Append(std::string& out, double piece);  // shortest text that reads back as the same number
void AppendInt(std::string& out, std::int64_t piece);
void AppendUint(std::string& out, std::uint64_t piece);
template <class T>
void AppendAny(std::string& out, const T& piece) {
  if constexpr (std::same_as<T, bool>) {
    Append(out, std::string_view(piece ? "true" : "false"));
  } else if constexpr (std::same_as<T, char>) {
    out.push_back(piece);
  } else if constexpr (std::floating_point<T>) {
    Append(out, static_cast<double>(piece));
  } else if constexpr (std::signed_integral<T>) {
    AppendInt(out, static_cast<std::int64_t>(piece));
  } else if constexpr (std::unsigned_integral<T>) {
    AppendUint(out, static_cast<std::uint64_t>(piece));
  } else {
    Append(out, std::string_view(piece));
  }
}
}  // namespace strings_internal

// Concatenates the pieces: text, characters, booleans, numbers.
template <class... Pieces>
std::string StrCat(const Pieces&... pieces) {
  std::string out;
  (strings_internal::AppendAny(out, pieces), ...);
  return out;
}

std::string_view Trim(std::string_view text);
std::vector<std::string_view> Split(std::string_view text,
                                    char separator);  // "a,,b" has three parts
std::string Join(const std::vector<std::string>& parts, std::string_view separator);

// `value` with a fixed number of digits after the point: Fixed(3.14159, 2) is "3.14".
std::string Fixed(double value, int digits);

// A count for a person, in three digits: "1.2 k", "3.4 M".
std::string FormatCount(double count);

// Parses the whole text or nothing: "12x", "" and numbers outside the type's range are refused.
bool ParseInt(std::string_view text, std::int64_t& value);
bool ParseUint(std::string_view text, std::uint64_t& value);
bool ParseDouble(std::string_view text, double& value);

// The candidate with the smallest edit distance, or "" when none is close enough to be a likely
// typing error.
std::string Nearest(std::string_view text, const std::vector<std::string>& candidates);

}  // namespace az
