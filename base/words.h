#pragma once
// Text that people type and programs answer, taken apart word by word.

#include <string>
#include <string_view>
#include <vector>

namespace az {

// The parts between white space, none of them empty.
std::vector<std::string_view> Words(std::string_view text);

// `text` with A-Z replaced by a-z; everything else stays as it is.
std::string LowerCase(std::string_view text);

}  // namespace az
