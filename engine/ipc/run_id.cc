#include "engine/ipc/run_id.h"

#include <sys/random.h>

#include "base/strings.h"

namespace az {
namespace {

int DigitValue(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

}  // namespace

Result<RunId> NewRunId() {
  RunId id;
  // Up to 256 bytes come whole or not at all.
  if (::getrandom(id.bytes.data(), id.bytes.size(), 0) != static_cast<ssize_t>(id.bytes.size())) {
    return Error{Errc::kUnavailable, "draw a run id: the system gave no random bytes"};
  }
  return id;
}

std::string ToHex(const RunId& id) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string text;
  for (const std::uint8_t byte : id.bytes) {
    text.push_back(kDigits[byte >> 4]);
    text.push_back(kDigits[byte & 15]);
  }
  return text;
}

Result<RunId> ParseRunId(std::string_view text) {
  const Error bad{Errc::kInvalid, StrCat("run id '", text, "' is not 32 hexadecimal digits")};
  RunId id;
  if (text.size() != 2 * id.bytes.size()) return bad;
  for (std::size_t i = 0; i < id.bytes.size(); ++i) {
    const int high = DigitValue(text[2 * i]);
    const int low = DigitValue(text[2 * i + 1]);
    if (high < 0 || low < 0) return bad;
    id.bytes[i] = static_cast<std::uint8_t>(high << 4 | low);
  }
  return id;
}

}  // namespace az
