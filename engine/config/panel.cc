#include "engine/config/panel.h"

#include <algorithm>
#include <utility>

#include "base/strings.h"

namespace az {
namespace {

constexpr std::string_view kNone = "none";

std::vector<std::string> SplitWords(std::string_view text) {
  std::vector<std::string> words(1);
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (text.substr(at, 2) == "\\,") {
      words.back() += text[++at];
    } else if (text[at] == ',') {
      words.emplace_back();
    } else {
      words.back() += text[at];
    }
  }
  for (std::string& word : words) word = std::string(Trim(word));
  return words;
}

}  // namespace

Result<std::vector<std::string>> PanelWords(std::string_view text) {
  std::vector<std::string> words = SplitWords(text);
  if (words == std::vector<std::string>{std::string(kNone)}) return std::vector<std::string>();
  const auto bad = [text](std::string_view fault) {
    return Error{Errc::kInvalid, StrCat("arena.panel = ", text, ": ", fault, kPanelForms)};
  };
  for (auto word = words.begin(); word != words.end(); ++word) {
    if (word->empty()) return bad("an empty word");
    if (*word == kNone) return bad("'none' stands alone, or not at all");
    if (std::find(words.begin(), word, *word) != word) {
      return bad(StrCat("'", *word, "' comes twice"));
    }
  }
  return words;
}

}  // namespace az
