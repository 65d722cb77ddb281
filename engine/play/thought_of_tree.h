#pragma once
// A Thought from a search tree.

#include "engine/play/thinker.h"
#include "mcts/tree.h"

namespace az {

// Fills value, proven and moves from the root's children; the caller has set `best` and sets the
// rest. Values are means of the simulations, exact where proven. REQUIRES: an expanded root.
void ReadTree(const Tree& tree, Thought& thought);

}  // namespace az
