#pragma once
// Proven values: MCTS-Solver (Winands, Bjornsson, Saito 2008) with lower and upper bounds, so that
// draws are proven too.

#include <span>

#include "mcts/tree.h"

namespace az {

// What the children prove about their parent, in the view of the parent's mover: with LO and HI the
// largest lo and hi among the children, the chooser gets a value in [LO, HI]; the mover sees it
// negated unless he is the chooser. REQUIRES: at least one child.
Bounds BoundsFromChildren(std::span<const Node> children, Player parent_mover);

// Sets the bounds of `id` and draws the consequences upward while a bound changes. A node that gets
// proven has its value sum made exact, N times the value, and every ancestor takes the difference,
// so that sums stay consistent; the same with the sum of squares where the tree keeps one.
void SetBounds(Tree& tree, NodeId id, Bounds bounds);

}  // namespace az
