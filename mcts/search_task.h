#pragma once
// What a Search is made for and what it is asked for.

#include <cstddef>
#include <cstdint>

#include "games/game.h"
#include "mcts/eval_cache.h"
#include "mcts/search_enums.h"
#include "mcts/tree.h"

namespace az {

// Legal actions that a position can have: S::kMaxLegal where a game has fewer than actions.
template <GameState S>
constexpr std::size_t MaxLegalOf() {
  if constexpr (requires { S::kMaxLegal; }) return std::size_t{S::kMaxLegal};
  return std::size_t{S::kNumActions};
}

// How much one search is to find out.
enum class SearchDepth : std::uint8_t {
  kFull,    // the visits of the task
  kFast,    // options.FastVisits() of them, without exploration at the root
  kPolicy,  // the root's evaluation alone
};
struct RootTask {
  SearchDepth depth = SearchDepth::kFull;
  int ply = 0;     // the root's, in its game
  int visits = 0;  // simulations of a full search, at most those the Search was made for; 0: those
};

// What the searches of one thread share. All outlive the searches.
struct SearchResources {
  EvalCache* cache = nullptr;      // nullable: no cache
  TreeScratch* scratch = nullptr;  // nullable: the search has a spare arena of its own
  std::uint32_t max_nodes = 0;     // in one tree; 0: as many as `visits` simulations can need
};

}  // namespace az
