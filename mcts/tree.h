#pragma once
// Tree: an arena of nodes with a fixed capacity. Search and the rollout player grow it; it knows
// neither game nor formula.

#include <algorithm>
#include <cstdint>
#include <memory>
#include <span>

#include "base/bytes.h"
#include "mcts/node.h"

namespace az {

// Memory for nodes, not initialised: pages are touched as nodes are added, so unused capacity is
// address space only.
struct NodeArena {
  std::unique_ptr<Node[]> nodes;
  std::unique_ptr<double[]> squares;  // by node, sum of squared values; null where nobody needs it
  std::uint32_t capacity = 0;
};

// The spare arena into which a subtree is copied when the root moves; one serves all trees of a
// thread. Empty until it is first needed. Thread-compatible.
struct TreeScratch {
  NodeArena arena;
};

// Thread-compatible: one writer, no atomics.
class Tree {
 public:
  enum class Squares : std::uint8_t { kNone, kKept };
  // Room for `capacity` nodes, allocated here and never again. REQUIRES: capacity > 0.
  explicit Tree(std::uint32_t capacity, Squares squares = Squares::kNone);

  // A root without children. References to nodes become invalid.
  void Reset(Player root_mover);

  Node& operator[](NodeId id) { return arena_.nodes[Index(id)]; }
  const Node& operator[](NodeId id) const { return arena_.nodes[Index(id)]; }
  Node& root() { return arena_.nodes[0]; }
  const Node& root() const { return arena_.nodes[0]; }
  std::span<Node> Children(const Node& node) {
    return {&arena_.nodes[Index(node.first_child)], node.num_children};
  }
  std::span<const Node> Children(const Node& node) const {
    return {&arena_.nodes[Index(node.first_child)], node.num_children};
  }

  bool HasRoomFor(int count) const {
    return arena_.capacity - size_ >= static_cast<std::uint32_t>(count);
  }
  // Appends `count` nodes as the children of `parent`. The caller sets every member but none of the
  // parent's. REQUIRES: HasRoomFor(count), count > 0, the parent has no children.
  std::span<Node> AddChildren(NodeId parent, int count) {
    Node& node = (*this)[parent];
    node.first_child = NodeId{size_};
    node.num_children = static_cast<std::uint16_t>(count);
    if (arena_.squares) std::fill_n(&arena_.squares[size_], count, 0.0);
    size_ += static_cast<std::uint32_t>(count);
    return Children(node);
  }

  bool has_squares() const { return arena_.squares != nullptr; }
  // Sum of the squares of the values backed up through a node. REQUIRES: made with Squares::kKept.
  double& squares(NodeId id) { return arena_.squares[Index(id)]; }
  double squares(NodeId id) const { return arena_.squares[Index(id)]; }

  // Makes `new_root` the root and forgets the rest: copies its subtree breadth first into the
  // scratch arena and swaps arenas. Siblings stay neighbours; costs the nodes kept. Node ids become
  // invalid.
  void MoveRootTo(NodeId new_root, TreeScratch& scratch);

  // Folds action, visits, value sum, prior and flags of every node, in arena order.
  std::uint64_t Hash() const;

  std::uint32_t size() const { return size_; }
  std::uint32_t capacity() const { return arena_.capacity; }

 private:
  NodeArena arena_;
  std::uint32_t size_ = 0;
};

}  // namespace az
