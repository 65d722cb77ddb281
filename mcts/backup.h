#pragma once
// How the value of a leaf reaches the root.

#include "mcts/tree.h"

namespace az {

// Counts one simulation that ended at `leaf`, in every node from there to the root.
// `first_player_value` is the leaf's value for the FIRST player; each node adds it in the view of
// its own mover, so a player may move twice in a row.
inline void BackUp(Tree& tree, NodeId leaf, double first_player_value) {
  for (NodeId id = leaf; id != kNoNode;) {
    Node& node = tree[id];
    ++node.visits;
    node.value_sum += InViewOf(node.mover(), first_player_value);
    id = node.parent;
  }
}

// What BackUp adds to the sums of squares. Values are squared, so the view does not matter.
inline void BackUpSquare(Tree& tree, NodeId leaf, double value) {
  for (NodeId id = leaf; id != kNoNode; id = tree[id].parent) tree.squares(id) += value * value;
}

// Rows in flight below every node from `leaf` to the root: `change` more, which may be negative.
inline void CountInFlight(Tree& tree, NodeId leaf, int change) {
  for (NodeId id = leaf; id != kNoNode; id = tree[id].parent) {
    tree[id].in_flight = static_cast<std::uint16_t>(tree[id].in_flight + change);
  }
}

}  // namespace az
