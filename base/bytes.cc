#include "base/bytes.h"

#include <array>
#include <charconv>
#include <cmath>
#include <cstdio>

#include "base/strings.h"

namespace az {
namespace {

struct Unit {
  std::string_view name;
  double factor;
};
constexpr std::array<Unit, 9> kUnits = {{{"B", 1.0},
                                         {"KiB", 1024.0},
                                         {"MiB", 1048576.0},
                                         {"GiB", 1073741824.0},
                                         {"TiB", 1099511627776.0},
                                         {"KB", 1e3},
                                         {"MB", 1e6},
                                         {"GB", 1e9},
                                         {"TB", 1e12}}};

}  // namespace

std::string FormatBytes(Bytes bytes) {
  const double count = static_cast<double>(bytes.count());
  const double magnitude = std::fabs(count);
  int unit = 0;
  double scaled = count;
  for (double limit = 1024.0; unit < 4 && magnitude >= limit; limit *= 1024.0) {
    scaled /= 1024.0;
    ++unit;
  }
  std::array<char, 48> text{};
  const bool whole = scaled == std::floor(scaled);
  const int digits = whole ? 0 : std::fabs(scaled) < 10 ? 2 : std::fabs(scaled) < 100 ? 1 : 0;
  std::snprintf(text.data(), text.size(), "%.*f %s", unit == 3 && !whole ? 2 : digits, scaled,
                std::string(kUnits[static_cast<std::size_t>(unit)].name).c_str());
  return text.data();
}

Result<Bytes> ParseBytes(std::string_view text) {
  const std::string_view trimmed = Trim(text);
  double number = 0;
  const auto [end, code] = std::from_chars(trimmed.data(), trimmed.data() + trimmed.size(), number);
  if (code != std::errc() || !std::isfinite(number)) {
    return Error{Errc::kInvalid,
                 StrCat("'", text, "' is not a size (write for example 512MiB, 4GiB or 12GB)")};
  }
  if (number < 0) {
    return Error{Errc::kInvalid, StrCat("'", text, "' is negative (a size is at least 0B)")};
  }
  const std::string_view name =
      Trim(trimmed.substr(static_cast<std::size_t>(end - trimmed.data())));
  if (name.empty()) {
    return Error{Errc::kInvalid, StrCat("'", text, "' has no unit (write for example ", text,
                                        "MiB or ", text, "GiB)")};
  }
  for (const Unit& unit : kUnits) {
    if (unit.name != name) continue;
    const double count = number * unit.factor;
    if (count > 9e18) return Error{Errc::kInvalid, StrCat("'", text, "' is too large for a size")};
    return Bytes(static_cast<std::int64_t>(count));
  }
  return Error{
      Errc::kInvalid,
      StrCat("'", name, "' is not a unit of size (B, KiB, MiB, GiB, TiB, KB, MB, GB, TB)")};
}

}  // namespace az
