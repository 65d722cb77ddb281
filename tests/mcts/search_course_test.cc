// What a search does, by options, mode and task.

#include "mcts/search_course.h"

#include <gtest/gtest.h>

#include <functional>
#include <string_view>
#include <vector>

namespace az {
namespace {

constexpr int kMost = 200;
constexpr auto kSelfPlay = SearchMode::kSelfPlay;
constexpr auto kPlay = SearchMode::kPlay;

SearchCourse Course(SearchMode mode, RootTask task = {}, const SearchOptions& options = {}) {
  return CourseOf(options, mode, kMost, task);
}

TEST(SearchCourse, HasTheVisitsOfItsDepth) {
  EXPECT_EQ(Course(kSelfPlay).target_visits, 200u) << "a task without visits has the most";
  EXPECT_EQ(Course(kSelfPlay, {.visits = 60}).target_visits, 60u);
  EXPECT_EQ(Course(kSelfPlay, {.depth = SearchDepth::kFast, .visits = 60}).target_visits, 10u);
  EXPECT_EQ(Course(kSelfPlay, {.depth = SearchDepth::kPolicy, .visits = 60}).target_visits, 0u);
}

TEST(SearchCourse, ExploresInFullSearchesOfSelfPlayAlone) {
  EXPECT_TRUE(Course(kSelfPlay).explores);
  EXPECT_FALSE(Course(kPlay).explores);
  EXPECT_FALSE(Course(kSelfPlay, {.depth = SearchDepth::kFast}).explores);
  EXPECT_FALSE(Course(kSelfPlay, {.depth = SearchDepth::kPolicy}).explores);
}

TEST(SearchCourse, AnExploringRootIsScannedWholeAndWithoutReduction) {
  SearchOptions options;
  const SearchCourse plays = Course(kPlay, {}, options);
  EXPECT_FALSE(plays.root_rule.scan_all);
  EXPECT_EQ(plays.root_rule.fpu_reduction, options.fpu_reduction);
  const SearchCourse explores = Course(kSelfPlay, {}, options);
  EXPECT_TRUE(explores.root_rule.scan_all);
  EXPECT_EQ(explores.root_rule.fpu_reduction, 0.0f);
  EXPECT_FALSE(explores.rule.scan_all);
  EXPECT_EQ(explores.rule.fpu_reduction, options.fpu_reduction);
  options.noise_fraction = 0.0f;
  EXPECT_EQ(Course(kSelfPlay, {}, options).root_rule.fpu_reduction, options.fpu_reduction);
  options.max_in_flight = 2;
  EXPECT_TRUE(Course(kPlay, {}, options).rule.scan_all);
  EXPECT_TRUE(Course(kPlay, {}, options).root_rule.scan_all);
}

// Kept visits of a root with so many: they count, or come under twice the visits.
TEST(SearchCourse, TargetsAboveKeptVisits) {
  struct Case {
    KeptVisits counts;
    SearchMode mode;
    RootTask task;
    std::uint32_t kept;
    std::uint32_t target;
  };
  constexpr RootTask kFast{.depth = SearchDepth::kFast, .visits = 60};
  constexpr RootTask kPolicy{.depth = SearchDepth::kPolicy, .visits = 60};
  for (const Case& c : std::vector<Case>{
           {KeptVisits::kNever, kSelfPlay, {.visits = 60}, 0, 60},
           {KeptVisits::kNever, kSelfPlay, {.visits = 60}, 40, 100},
           {KeptVisits::kNever, kSelfPlay, {.visits = 60}, 60, 120},
           {KeptVisits::kNever, kSelfPlay, {.visits = 60}, 90, 120},
           {KeptVisits::kNever, kSelfPlay, kFast, 90, 100},
           {KeptVisits::kNever, kSelfPlay, kPolicy, 90, 90},
           {KeptVisits::kSelfPlay, kSelfPlay, {.visits = 60}, 40, 60},
           {KeptVisits::kSelfPlay, kPlay, {.visits = 60}, 40, 100},
           {KeptVisits::kSelfPlay, kPlay, {}, 390, 400},
           {KeptVisits::kAlways, kPlay, {.visits = 60}, 90, 60},
       }) {
    SearchOptions options;
    options.reuse_counts = c.counts;
    EXPECT_EQ(Course(c.mode, c.task, options).TargetAbove(c.kept), c.target)
        << EnumName(c.counts) << ", " << c.task.visits << " visits, " << c.kept << " kept";
  }
}

TEST(SearchCourse, AutoMakesGumbelRootsOfFullSearchesMadeForFewVisits) {
  SearchOptions options;
  const auto uses = [&](RootRule root, int most, RootTask task) {
    options.root = root;
    return CourseOf(options, kSelfPlay, most, task).uses_gumbel;
  };
  constexpr RootTask kFast{.depth = SearchDepth::kFast};
  constexpr RootTask kPolicy{.depth = SearchDepth::kPolicy};
  EXPECT_FALSE(uses(RootRule::kPuct, 16, {}));
  EXPECT_TRUE(uses(RootRule::kAuto, 32, {}));
  EXPECT_FALSE(uses(RootRule::kAuto, 33, {.visits = 8}));
  EXPECT_FALSE(uses(RootRule::kAuto, 32, kFast));
  EXPECT_TRUE(uses(RootRule::kGumbel, 200, {}));
  EXPECT_TRUE(uses(RootRule::kGumbel, 200, kFast));
  EXPECT_FALSE(uses(RootRule::kGumbel, 200, kPolicy)) << "there is nothing to halve";
  EXPECT_FALSE(CourseOf(options, kSelfPlay, 16, {}).root_rule.scan_all)
      << "its noise is not in the priors";
}

TEST(SearchCourse, IsPlainUnlessAnOptionNeedsASpecialRule) {
  struct Case {
    std::string_view what;
    std::function<void(SearchOptions&)> change;
    bool self_play_is_plain;
    bool play_is_plain;
  };
  for (const Case& c : std::vector<Case>{
           {"defaults", [](SearchOptions&) {}, true, true},
           {"forced", [](SearchOptions& o) { o.forced_playouts = 2.0f; }, false, true},
           {"gumbel", [](SearchOptions& o) { o.root = RootRule::kGumbel; }, false, false},
           {"in flight", [](SearchOptions& o) { o.max_in_flight = 2; }, false, false},
           {"decided", [](SearchOptions& o) { o.stop_when_decided = true; }, true, false},
           {"stdev", [](SearchOptions& o) { o.c_puct_stdev_scale = 0.5f; }, false, false},
           {"canonical", [](SearchOptions& o) { o.symmetry = SymmetryMode::kCanonical; }, false,
            false},
       }) {
    SearchOptions options;
    c.change(options);
    EXPECT_EQ(Course(kSelfPlay, {}, options).is_plain, c.self_play_is_plain) << c.what;
    EXPECT_EQ(Course(kPlay, {}, options).is_plain, c.play_is_plain) << c.what;
    EXPECT_EQ(Course(kPlay, {}, options).may_stop, options.stop_when_decided) << c.what;
  }
}

}  // namespace
}  // namespace az
