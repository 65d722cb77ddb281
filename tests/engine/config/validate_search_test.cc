#include "engine/config/validate_search.h"

#include <gtest/gtest.h>

#include <functional>
#include <string>

namespace az {
namespace {

struct Row {
  std::string_view first;   // key to look at first
  std::string_view second;  // the other
  std::function<void(SearchOptions&)> change;
};

TEST(CheckSearch, AcceptsTheDefaults) {
  std::vector<ConfigFault> faults;
  CheckSearch({}, faults);
  EXPECT_TRUE(faults.empty());
}

std::vector<Row> Contradictions() {
  return {
      {"search.fast_visits", "search.visits",
       [](SearchOptions& o) {
         o.full_fraction = 0.25f;
         o.fast_visits = o.visits;
       }},
      {"search.fast_visits", "search.full_fraction", [](SearchOptions& o) { o.fast_visits = 20; }},
      {"search.root", "search.forced_playouts",
       [](SearchOptions& o) {
         o.root = RootRule::kGumbel;
         o.forced_playouts = 2.0f;
       }},
      {"search.root", "search.target_pruning",
       [](SearchOptions& o) {
         o.root = RootRule::kGumbel;
         o.prune_limit = PruneLimit::kNone;
         o.target_pruning = true;
       }},
      {"search.target_pruning", "search.forced_playouts",
       [](SearchOptions& o) { o.target_pruning = true; }},
      {"search.forced_playouts", "search.target_pruning",
       [](SearchOptions& o) { o.forced_playouts = 2.0f; }},
      {"search.gumbel.full", "search.root", [](SearchOptions& o) { o.gumbel.full = true; }},
      {"search.gumbel.full", "search.max_in_flight",
       [](SearchOptions& o) {
         o.root = RootRule::kAuto;
         o.gumbel.full = true;
         o.max_in_flight = 8;
       }},
      {"search.full_fraction", "search.visits", [](SearchOptions& o) { o.full_fraction = 0.0f; }},
      {"search.root", "search.forced_playouts",
       [](SearchOptions& o) {
         o.root = RootRule::kAuto;
         o.visits = 32;
         o.forced_playouts = 2.0f;
         o.target_pruning = true;
       }},
      {"search.root", "search.target_pruning",
       [](SearchOptions& o) {
         o.root = RootRule::kAuto;
         o.visits = 32;
         o.prune_limit = PruneLimit::kNone;
         o.target_pruning = true;
       }},
      {"search.reuse_counts", "search.tree_reuse",
       [](SearchOptions& o) {
         o.tree_reuse = false;
         o.reuse_counts = KeptVisits::kNever;
       }},
      {"search.adjudicate_proven", "search.solver",
       [](SearchOptions& o) {
         o.adjudicate_proven = true;
         o.solver = false;
       }},
      {"search.resign.play_on", "search.resign.threshold",
       [](SearchOptions& o) {
         o.resign.threshold = 0.9f;
         o.resign.play_on = 0.0f;
       }},
  };
}

TEST(CheckSearch, NamesBothKeysOfAContradiction) {
  for (const Row& row : Contradictions()) {
    SearchOptions options;
    row.change(options);
    std::vector<ConfigFault> faults;
    CheckSearch(options, faults);
    bool found = false;
    for (const ConfigFault& fault : faults) {
      ASSERT_EQ(fault.keys.size(), 2u) << fault.text;
      if (fault.keys[0] != row.first || fault.keys[1] != row.second) continue;
      found = true;
      EXPECT_NE(fault.text.find(row.first), std::string::npos) << fault.text;
      EXPECT_NE(fault.text.find(row.second), std::string::npos) << fault.text;
    }
    EXPECT_TRUE(found) << row.first << " and " << row.second;
  }
}

TEST(CheckSearch, AcceptsWhatGoesTogether) {
  SearchOptions options;
  options.full_fraction = 0.25f;
  options.fast_visits = 30;
  options.forced_playouts = 2.0f;
  options.target_pruning = true;
  options.root = RootRule::kAuto;  // forced visits where the search is PUCT's
  options.adjudicate_proven = true;
  options.resign.threshold = 0.95f;
  std::vector<ConfigFault> faults;
  CheckSearch(options, faults);
  EXPECT_TRUE(faults.empty()) << faults.front().text;
}

TEST(SearchOptions, FastVisitsAreASixthOfTheFullOnes) {
  SearchOptions options;
  EXPECT_EQ(options.FastVisits(200), 33);
  EXPECT_EQ(options.FastVisits(3), 1);
  options.fast_visits = 2;
  EXPECT_EQ(options.FastVisits(200), 2);
  EXPECT_EQ(options.FastVisits(1), 1) << "never more than a full search";
}

}  // namespace
}  // namespace az
