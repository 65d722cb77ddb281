#pragma once
// Text for a person: foreign text in messages, numbers and columns of tables.

#include <cstddef>
#include <string>
#include <string_view>

namespace az {

// Text of others for a message: at most `longest` bytes and then "...", control characters as '?'.
std::string Shown(std::string_view text, std::size_t longest = 64);

// At least `width` bytes wide: with blanks behind the text; before it.
std::string LeftAligned(std::string_view text, std::size_t width);
std::string RightAligned(std::string_view text, std::size_t width);

// With its sign as it is after rounding: "+0.25", "-1", and "+0" for what rounds to nothing.
std::string Signed(double value, int digits);

}  // namespace az
