#include "mcts/bounds.h"

#include <algorithm>

namespace az {
namespace {

// As if all that was backed up through `id` had been its value.
void MakeSquaresExact(Tree& tree, NodeId id) {
  const Node& proven = tree[id];
  const double value = proven.bounds().lo;
  const double change = static_cast<double>(proven.visits) * value * value - tree.squares(id);
  for (NodeId at = id; at != kNoNode; at = tree[at].parent) tree.squares(at) += change;
}

void MakeValueExact(Tree& tree, NodeId id) {
  const Node& proven = tree[id];
  const double exact = static_cast<double>(proven.visits) * proven.bounds().lo;
  const double change = InViewOf(proven.mover(), exact - proven.value_sum);
  tree[id].value_sum = exact;
  for (NodeId at = proven.parent; at != kNoNode; at = tree[at].parent) {
    tree[at].value_sum += InViewOf(tree[at].mover(), change);
  }
}

}  // namespace

Bounds BoundsFromChildren(std::span<const Node> children, Player parent_mover) {
  Bounds best{-1, -1};  // view of the chooser
  for (const Node& child : children) {
    const Bounds bounds = child.bounds();
    best.lo = std::max(best.lo, bounds.lo);
    best.hi = std::max(best.hi, bounds.hi);
  }
  if (children.front().mover() == parent_mover) return best;
  return {static_cast<std::int8_t>(-best.hi), static_cast<std::int8_t>(-best.lo)};
}

void SetBounds(Tree& tree, NodeId id, Bounds bounds) {
  while (bounds != tree[id].bounds()) {
    Node& node = tree[id];
    node.set_bounds(bounds);
    if (bounds.proven()) {
      MakeValueExact(tree, id);
      if (tree.has_squares()) MakeSquaresExact(tree, id);
    }
    if (node.parent == kNoNode) return;
    id = node.parent;
    bounds = BoundsFromChildren(tree.Children(tree[id]), tree[id].mover());
  }
}

}  // namespace az
