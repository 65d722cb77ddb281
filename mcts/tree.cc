#include "mcts/tree.h"

#include <bit>
#include <utility>

#include "base/check.h"
#include "base/hash.h"

namespace az {
namespace {

NodeArena MakeArena(std::uint32_t capacity, Tree::Squares squares) {
  return {std::make_unique_for_overwrite<Node[]>(capacity),
          squares == Tree::Squares::kKept ? std::make_unique_for_overwrite<double[]>(capacity)
                                          : nullptr,
          capacity};
}

}  // namespace

Tree::Tree(std::uint32_t capacity, Squares squares) : arena_(MakeArena(capacity, squares)) {
  Reset(Player::kSecond);
}

void Tree::Reset(Player root_mover) {
  AZ_CHECK_GT(arena_.capacity, 0u);
  arena_.nodes[0] = Node::Fresh(kNoNode, root_mover);
  arena_.nodes[0].prior = 1.0f;
  if (arena_.squares) arena_.squares[0] = 0.0;
  size_ = 1;
}

void Tree::MoveRootTo(NodeId new_root, TreeScratch& scratch) {
  AZ_CHECK_LT(Index(new_root), size_);
  const bool squares = arena_.squares != nullptr;
  if (scratch.arena.capacity < arena_.capacity || (squares && !scratch.arena.squares)) {
    scratch.arena = MakeArena(arena_.capacity, squares ? Squares::kKept : Squares::kNone);
  }
  Node* const kept = scratch.arena.nodes.get();
  double* const kept_squares = scratch.arena.squares.get();
  kept[0] = (*this)[new_root];
  if (squares) kept_squares[0] = arena_.squares[Index(new_root)];
  kept[0].parent = kNoNode;
  std::uint32_t size = 1;
  for (std::uint32_t i = 0; i < size; ++i) {
    if (!kept[i].is_expanded()) continue;
    const std::uint32_t first_child = size;
    const std::uint32_t old_first = Index(kept[i].first_child);
    for (const Node& child : Children(kept[i])) {
      if (squares) kept_squares[size] = arena_.squares[old_first + (size - first_child)];
      kept[size] = child;
      kept[size++].parent = NodeId{i};
    }
    kept[i].first_child = NodeId{first_child};
  }
  std::swap(arena_, scratch.arena);
  size_ = size;
}

std::uint64_t Tree::Hash() const {
  std::uint64_t hash = size_;
  for (const Node& node : std::span(arena_.nodes.get(), size_)) {
    const auto edge = static_cast<std::uint64_t>(Index(node.action)) << 40 |
                      static_cast<std::uint64_t>(node.flags) << 32 | node.visits;
    hash = HashCombine(hash, edge);
    hash = HashCombine(hash, std::bit_cast<std::uint64_t>(node.value_sum));
    hash = HashCombine(hash, std::bit_cast<std::uint32_t>(node.prior));
  }
  return hash;
}

}  // namespace az
