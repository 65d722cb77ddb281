#pragma once
// The text of arena.panel: whom the best network plays besides the gate's opponent.
// engine/loop/panel_players.h gives its words a meaning, as players are read above this folder.

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace az {

// The words that a panel may have, for messages.
inline constexpr std::string_view kPanelForms =
    " (a panel has first, earlier, best?KEY=VALUE, or players: a run or checkpoint, random, "
    "mcts:sims=1000, solver, gtp:COMMAND; none alone: no panel)";

// Splits "none", or words with commas between them, in the order of the text; a comma within a word
// is written "\,". Fails with kInvalid for an empty word, "none" among others, or a word that comes
// twice; the message has the word and kPanelForms.
Result<std::vector<std::string>> PanelWords(std::string_view text);

}  // namespace az
