#include "base/readable.h"

#include <algorithm>

#include "base/strings.h"

namespace az {

std::string Shown(std::string_view text, std::size_t longest) {
  std::string shown(text.substr(0, longest));
  for (char& c : shown) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < ' ' || byte == 0x7f) c = '?';
  }
  return text.size() > longest ? shown + "..." : shown;
}

std::string LeftAligned(std::string_view text, std::size_t width) {
  return StrCat(text, std::string(width - std::min(width, text.size()), ' '));
}

std::string RightAligned(std::string_view text, std::size_t width) {
  return StrCat(std::string(width - std::min(width, text.size()), ' '), text);
}

std::string Signed(double value, int digits) {
  std::string text = Fixed(value, digits);
  if (text.starts_with('-') && text.find_first_not_of("-0.") == std::string::npos) text.erase(0, 1);
  return text.starts_with('-') ? text : "+" + text;
}

}  // namespace az
