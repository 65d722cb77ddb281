#pragma once
// arena.panel as text: whom the best network meets besides the gate's opponent. What its words mean
// is engine/loop/panel_players.h's; players are read above this folder.

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace az {

// "none", or words with commas between them, in the order of the text; a comma within a word is
// written "\,". kInvalid: an empty word, "none" among others, a word twice; names it.
Result<std::vector<std::string>> PanelWords(std::string_view text);

}  // namespace az
