#include "engine/config/panel.h"

#include <algorithm>
#include <array>
#include <utility>

#include "base/strings.h"

namespace az {
namespace {

constexpr std::array<std::pair<std::string_view, PanelMember>, 4> kWords = {
    {{"first", PanelMember::kFirst},
     {"earlier", PanelMember::kEarlier},
     {"random", PanelMember::kRandom},
     {"mcts", PanelMember::kMcts}}};

}  // namespace

Result<std::vector<PanelMember>> ParsePanel(std::string_view text) {
  std::vector<PanelMember> panel;
  if (Trim(text) == "none") return panel;
  for (const std::string_view part : Split(text, ',')) {
    const std::string_view word = Trim(part);
    const auto* known =
        std::ranges::find(kWords, word, &std::pair<std::string_view, PanelMember>::first);
    if (known == kWords.end()) {
      return Error{Errc::kInvalid,
                   StrCat("arena.panel = ", text, ": '", word,
                          "' is not one of: first, earlier, random, mcts (or none alone)")};
    }
    if (std::ranges::find(panel, known->second) != panel.end()) {
      return Error{Errc::kInvalid, StrCat("arena.panel = ", text, ": '", word, "' comes twice")};
    }
    panel.push_back(known->second);
  }
  return panel;
}

}  // namespace az
