#pragma once
// What a Search is made for and what it is asked for.

#include <cstdint>

#include "mcts/eval_cache.h"
#include "mcts/tree.h"

namespace az {

enum class SearchMode : std::uint8_t {
  kSelfPlay,  // full searches explore at the root: temperature, noise, forced visits
  kPlay,      // none does
};

// How much one search is to find out.
enum class SearchDepth : std::uint8_t {
  kFull,    // the visits the search was made for
  kFast,    // options.FastVisits(), without exploration at the root
  kPolicy,  // the root's evaluation alone
};
struct RootTask {
  SearchDepth depth = SearchDepth::kFull;
  int ply = 0;  // of the root in its game
};

// What the searches of one thread share. All outlive the searches.
struct SearchResources {
  EvalCache* cache = nullptr;      // nullable: no cache
  TreeScratch* scratch = nullptr;  // nullable: the search has a spare arena of its own
  std::uint32_t max_nodes = 0;     // of a tree; 0: as many as `visits` simulations can need
};

}  // namespace az
