#pragma once
// SearchCourse: what one search does, as far as options, mode and task alone decide it. Search<S>
// follows it; nothing in it depends on the game or the tree.

#include <algorithm>
#include <cstdint>

#include "mcts/search_enums.h"
#include "mcts/search_options.h"
#include "mcts/search_task.h"
#include "mcts/select.h"

namespace az {

struct SearchCourse {
  std::uint32_t target_visits = 0;  // simulations below the root
  std::uint32_t most_visits = 0;    // at a root whose kept visits do not count, those included
  bool counts_kept = false;         // kept visits are among the target's
  bool explores = false;            // at the root: noise, temperature, forced visits
  bool uses_gumbel = false;         // Gumbel root
  bool may_stop = false;            // when no other move can catch up
  bool is_plain = true;             // PUCT and nothing else: no branch of a special rule is needed
  SelectRule rule;
  SelectRule root_rule;

  // The root's visits, its own evaluation left out, at which the search ends. `kept`: those that it
  // begins with.
  std::uint32_t TargetAbove(std::uint32_t kept) const {
    return counts_kept ? target_visits : std::min(most_visits, target_visits + kept);
  }
};

// `most`: the visits that the search was made for, which root = auto goes by and which a task
// without visits has. REQUIRES: task.visits <= most.
SearchCourse CourseOf(const SearchOptions& options, SearchMode mode, int most, RootTask task);

}  // namespace az
