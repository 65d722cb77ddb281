#pragma once
// What a node of a search tree takes, with what the tree keeps beside it: one figure for the size
// of trees, the search's counters and the memory plan.

#include <cstdint>

#include "mcts/node.h"
#include "mcts/search_options.h"
#include "mcts/tree.h"

namespace az {

constexpr std::int64_t NodeBytes(Tree::Squares squares) {
  return static_cast<std::int64_t>(sizeof(Node)) +
         (squares == Tree::Squares::kKept ? static_cast<std::int64_t>(sizeof(double)) : 0);
}

// What the tree of a search with these options keeps.
inline Tree::Squares SquaresOf(const SearchOptions& options) {
  return options.c_puct_stdev_scale > 0.0f ? Tree::Squares::kKept : Tree::Squares::kNone;
}
inline std::int64_t NodeBytes(const SearchOptions& options) {
  return NodeBytes(SquaresOf(options));
}

}  // namespace az
