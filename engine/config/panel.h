#pragma once
// The words of arena.panel: whom the best network meets besides the gate's opponent.

#include <cstdint>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace az {

enum class PanelMember : std::uint8_t {
  kFirst,    // the run's first network
  kEarlier,  // kept checkpoints between the first and the best
  kRandom,   // random moves
  kMcts,     // pure MCTS with arena.final_mcts_visits simulations
};

// "none", or words with commas between them; each at most once, in the order of the text. kInvalid
// names the word and lists what there is.
Result<std::vector<PanelMember>> ParsePanel(std::string_view text);

}  // namespace az
