#include "engine/config/validate_search.h"

#include <string>
#include <utility>

#include "base/strings.h"
#include "mcts/gumbel_root.h"

namespace az {
namespace {

void CheckPlayoutCap(const SearchOptions& search, std::vector<ConfigFault>& faults) {
  if (search.full_fraction == 0.0f) {
    faults.push_back({{"search.full_fraction", "search.visits"},
                      "search.full_fraction = 0 searches no ply in full, so the policy would learn "
                      "nothing (for short searches lower search.visits)"});
  }
  if (!search.fast_visits) return;
  if (*search.fast_visits >= search.visits) {
    faults.push_back(
        {{"search.fast_visits", "search.visits"},
         StrCat("search.fast_visits = ", *search.fast_visits,
                " must be below search.visits = ", search.visits, ", or a fast search is none")});
  }
  if (search.full_fraction == 1.0f) {
    faults.push_back({{"search.fast_visits", "search.full_fraction"},
                      StrCat("search.fast_visits = ", *search.fast_visits,
                             " needs search.full_fraction below 1: no search would be fast")});
  }
}

void CheckRoot(const SearchOptions& search, std::vector<ConfigFault>& faults) {
  const bool gumbel = UsesGumbelRoot(search, search.visits);
  const std::string root = search.root == RootRule::kGumbel
                               ? std::string("search.root = gumbel")
                               : StrCat("search.root = auto with search.visits = ", search.visits);
  if (gumbel && search.forced_playouts > 0.0f) {
    faults.push_back({{"search.root", "search.forced_playouts"},
                      StrCat(root,
                             " has no forced visits, but "
                             "search.forced_playouts = ",
                             search.forced_playouts, " (set it to 0, or search.root to puct)")});
  }
  if (gumbel && search.target_pruning) {
    faults.push_back({{"search.root", "search.target_pruning"},
                      StrCat(root,
                             " has a target of its own, but search.target_pruning = true (set "
                             "it to false, or search.root to puct)")});
  }
  if (search.target_pruning && search.prune_limit == PruneLimit::kForced &&
      search.forced_playouts == 0.0f) {
    faults.push_back({{"search.target_pruning", "search.forced_playouts"},
                      "search.target_pruning = true prunes nothing with search.forced_playouts = 0 "
                      "and search.prune_limit = forced (set one of the two)"});
  }
  if (search.forced_playouts > 0.0f && !search.target_pruning) {
    faults.push_back({{"search.forced_playouts", "search.target_pruning"},
                      StrCat("search.forced_playouts = ", search.forced_playouts,
                             " without search.target_pruning teaches the forced visits (set it to "
                             "true)")});
  }
  if (search.root == RootRule::kPuct && search.gumbel.full) {
    faults.push_back({{"search.gumbel.full", "search.root"},
                      "search.gumbel.full = true needs search.root = gumbel or auto"});
  }
  if (search.gumbel.full && search.max_in_flight > 1) {
    faults.push_back({{"search.gumbel.full", "search.max_in_flight"},
                      StrCat("search.gumbel.full = true chooses without a look at what is in "
                             "flight; search.max_in_flight = ",
                             search.max_in_flight, " must be 1")});
  }
}

void CheckReuse(const SearchOptions& search, std::vector<ConfigFault>& faults) {
  if (search.tree_reuse || search.reuse_counts != KeptVisits::kNever) return;
  faults.push_back(
      {{"search.reuse_counts", "search.tree_reuse"},
       "search.reuse_counts = never needs search.tree_reuse = true: no visits would be "
       "kept"});
}

void CheckEnds(const SearchOptions& search, std::vector<ConfigFault>& faults) {
  if (search.adjudicate_proven && !search.solver) {
    faults.push_back({{"search.adjudicate_proven", "search.solver"},
                      "search.adjudicate_proven = true needs search.solver = true: nothing would "
                      "be proven"});
  }
  if (search.resign.threshold > 0.0f && search.resign.play_on == 0.0f) {
    faults.push_back({{"search.resign.play_on", "search.resign.threshold"},
                      StrCat("search.resign.threshold = ", search.resign.threshold,
                             " needs search.resign.play_on above 0: resignation without an audit "
                             "teaches its own errors")});
  }
}

}  // namespace

void CheckSearch(const SearchOptions& search, std::vector<ConfigFault>& faults) {
  CheckPlayoutCap(search, faults);
  CheckRoot(search, faults);
  CheckReuse(search, faults);
  CheckEnds(search, faults);
}

}  // namespace az
