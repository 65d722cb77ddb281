#pragma once
// Fills a Thought from a search tree.

#include "engine/play/thinker.h"
#include "mcts/tree.h"

namespace az {

// Fills value, proven and moves from the root's children; the caller has set `best` and sets the
// rest. Values are means over the simulations, exact where proven. REQUIRES: the root is expanded.
void ReadTree(const Tree& tree, Thought& thought);

}  // namespace az
