#pragma once
// Text for a person: foreign text quoted in messages, numbers and columns of tables.

#include <cstddef>
#include <string>
#include <string_view>

namespace az {

// Foreign text, made fit for a message: at most `longest` bytes and then "...", control characters
// as '?'.
std::string Shown(std::string_view text, std::size_t longest = 64);

// `text` padded with blanks to at least `width` bytes: blanks after the text, blanks before it.
std::string LeftAligned(std::string_view text, std::size_t width);
std::string RightAligned(std::string_view text, std::size_t width);

// `value` with an explicit sign, decided after rounding: "+0.25", "-1", and "+0" for what rounds to
// zero.
std::string Signed(double value, int digits);

}  // namespace az
