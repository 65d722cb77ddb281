#include "base/words.h"

namespace az {

std::vector<std::string_view> Words(std::string_view text) {
  constexpr std::string_view kSpace = " \t\r\n\v\f";
  std::vector<std::string_view> words;
  std::size_t begin = text.find_first_not_of(kSpace);
  while (begin != std::string_view::npos) {
    const std::size_t end = text.find_first_of(kSpace, begin);
    words.push_back(text.substr(begin, end - begin));
    begin = text.find_first_not_of(kSpace, end);
  }
  return words;
}

std::string LowerCase(std::string_view text) {
  std::string lower(text);
  for (char& letter : lower) {
    if (letter >= 'A' && letter <= 'Z') letter = static_cast<char>(letter - 'A' + 'a');
  }
  return lower;
}

}  // namespace az
