#pragma once
// arena.panel as text: whom the best network meets besides the gate's opponent. What its words mean
// is engine/loop/panel_players.h's; players are read above this folder.

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace az {

// What a panel may have, for messages.
inline constexpr std::string_view kPanelForms =
    " (a panel has first, earlier, best?KEY=VALUE, or players: a run or checkpoint, random, "
    "mcts:sims=1000, solver, gtp:COMMAND; none alone: no panel)";

// "none", or words with commas between them, in the order of the text; a comma within a word is
// written "\,". kInvalid: an empty word, "none" among others, a word twice; names it, with
// kPanelForms.
Result<std::vector<std::string>> PanelWords(std::string_view text);

}  // namespace az
