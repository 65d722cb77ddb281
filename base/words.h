#pragma once
// Text that people type and programs answer, word by word.

#include <string>
#include <string_view>
#include <vector>

namespace az {

// The parts between white space, none of them empty.
std::vector<std::string_view> Words(std::string_view text);

// Letters a-z for A-Z, the rest as it is.
std::string LowerCase(std::string_view text);

}  // namespace az
