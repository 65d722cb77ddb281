#include "base/strings.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <numeric>

namespace az {
namespace strings_internal {

void Append(std::string& out, std::string_view piece) { out.append(piece); }

namespace {
template <class T>
void AppendChars(std::string& out, T piece) {
  std::array<char, 64> text{};
  const auto [end, code] = std::to_chars(text.data(), text.data() + text.size(), piece);
  if (code == std::errc()) out.append(text.data(), end);
}
}  // namespace

void Append(std::string& out, double piece) { AppendChars(out, piece); }
void AppendInt(std::string& out, std::int64_t piece) { AppendChars(out, piece); }
void AppendUint(std::string& out, std::uint64_t piece) { AppendChars(out, piece); }

}  // namespace strings_internal

namespace {

template <class T>
bool ParseWhole(std::string_view text, T& value) {
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value);
  return code == std::errc() && end == text.data() + text.size() && !text.empty();
}

std::size_t EditDistance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i + 1;
    for (std::size_t j = 0; j < b.size(); ++j) {
      const std::size_t changed = diagonal + (a[i] == b[j] ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({changed, row[j] + 1, row[j + 1] + 1});
    }
  }
  return row.back();
}

}  // namespace

std::string_view Trim(std::string_view text) {
  constexpr std::string_view kBlank = " \t\r\n";
  const auto first = text.find_first_not_of(kBlank);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kBlank) - first + 1);
}

std::vector<std::string_view> Split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  while (true) {
    const auto at = text.find(separator);
    parts.push_back(text.substr(0, at));
    if (at == std::string_view::npos) return parts;
    text.remove_prefix(at + 1);
  }
}

std::string Join(const std::vector<std::string>& parts, std::string_view separator) {
  std::string out;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (i > 0) out.append(separator);
    out.append(parts[i]);
  }
  return out;
}

std::string Fixed(double value, int digits) {
  std::array<char, 400> text{};
  const int length = std::snprintf(text.data(), text.size(), "%.*f", digits, value);
  return std::string(text.data(), static_cast<std::size_t>(std::max(length, 0)));
}

std::string FormatCount(double count) {
  constexpr std::array<std::string_view, 5> kSuffix = {"", " k", " M", " G", " T"};
  std::size_t suffix = 0;
  while (std::fabs(count) >= 999.5 && suffix + 1 < kSuffix.size()) {
    count /= 1000.0;
    ++suffix;
  }
  const double magnitude = std::fabs(count);
  const bool whole = suffix == 0 && count == std::floor(count);
  const int digits = whole || magnitude >= 99.95 ? 0 : magnitude >= 9.995 ? 1 : 2;
  return Fixed(count, digits) + std::string(kSuffix[suffix]);
}

bool ParseInt(std::string_view text, std::int64_t& value) { return ParseWhole(text, value); }
bool ParseUint(std::string_view text, std::uint64_t& value) { return ParseWhole(text, value); }
bool ParseDouble(std::string_view text, double& value) { return ParseWhole(text, value); }

std::string Nearest(std::string_view text, const std::vector<std::string>& candidates) {
  const std::size_t limit = std::max<std::size_t>(2, text.size() / 3);
  std::string best;
  std::size_t best_distance = limit + 1;
  for (const std::string& candidate : candidates) {
    const std::size_t distance = EditDistance(text, candidate);
    if (distance < best_distance) {
      best_distance = distance;
      best = candidate;
    }
  }
  return best;
}

}  // namespace az
