// What a Search is asked for in SetRoot: visits of a task below those that the search was made for.

#include "mcts/search_task.h"

#include <gtest/gtest.h>

#include "games/registry.h"
#include "mcts/search.h"
#include "tests/mcts/support/drive.h"

namespace az {
namespace {

constexpr std::uint64_t kSeed = 37;
constexpr int kMost = 200;

using Game = Hex<5>;

SearchOptions With(RootRule root) {
  SearchOptions options;
  options.root = root;
  return options;
}

void Play(Search<Game>& search, const RootTask& task) {
  search.Clear();
  search.SetRoot({}, Rng(kSeed), task);
  RunSearch(search, AnswerByHash);
  ExpectConsistent(search.tree());
}

// The tree of a search that was made for so many: room for more changes nothing.
TEST(RootTask, ASearchHasTheVisitsOfItsTask) {
  for (const RootRule root : {RootRule::kPuct, RootRule::kGumbel}) {
    Search<Game> search(With(root), SearchMode::kSelfPlay, kMost, kSeed, {});
    for (const int visits : {2, 33, 200, 17}) {
      Play(search, {.visits = visits});
      EXPECT_EQ(search.Report().simulations, static_cast<std::uint32_t>(visits));
      EXPECT_EQ(search.HasGumbelRoot(), root == RootRule::kGumbel);
      Search<Game> own(With(root), SearchMode::kSelfPlay, visits, kSeed, {});
      Play(own, {});
      EXPECT_EQ(search.TreeHash(), own.TreeHash()) << visits;
    }
    Play(search, {});
    EXPECT_EQ(search.Report().simulations, 200u) << "of a task without visits";
  }
}

TEST(RootTask, FastSearchesFollowTheVisits) {
  SearchOptions options;
  const auto fast = [&](int visits) {
    Search<Game> search(options, SearchMode::kSelfPlay, kMost, kSeed, {});
    Play(search, {.depth = SearchDepth::kFast, .visits = visits});
    return search.Report().simulations;
  };
  EXPECT_EQ(fast(0), 33u);
  EXPECT_EQ(fast(60), 10u);
  EXPECT_EQ(fast(5), 1u);
  options.fast_visits = 30;
  EXPECT_EQ(fast(60), 30u);
  EXPECT_EQ(fast(12), 12u) << "never longer than a full one";
}

// One run has one root rule, whatever the length of its searches.
TEST(RootTask, AutoChoosesTheRootByWhatTheSearchWasMadeFor) {
  Search<Game> long_search(With(RootRule::kAuto), SearchMode::kSelfPlay, kMost, kSeed, {});
  Play(long_search, {.visits = 8});
  EXPECT_FALSE(long_search.HasGumbelRoot());
  Search<Game> short_search(With(RootRule::kAuto), SearchMode::kSelfPlay, 32, kSeed, {});
  Play(short_search, {.visits = 8});
  EXPECT_TRUE(short_search.HasGumbelRoot());
}

// The visits of a kept subtree come on top, or count among them.
TEST(RootTask, AKeptTreeGetsTheVisitsOfTheTask) {
  for (const KeptVisits counts : {KeptVisits::kNever, KeptVisits::kSelfPlay}) {
    SearchOptions options;
    options.reuse_counts = counts;
    options.solver = false;
    Search<Game> search(options, SearchMode::kSelfPlay, kMost, kSeed, {});
    Play(search, {.visits = 60});
    Rng rng(kSeed);
    const Action move = search.ChooseMove(0.0f, rng);
    const Node* child = nullptr;
    for (const Node& node : search.tree().Children(search.tree().root())) {
      if (node.action == move) child = &node;
    }
    ASSERT_NE(child, nullptr);
    const std::uint32_t kept = child->visits - 1;  // its own evaluation is none of the new search
    ASSERT_GT(kept, 1u);
    Game next;
    next.Apply(move);
    search.SetRoot(next, Rng(kSeed + 1), {.ply = 1, .visits = 60});
    RunSearch(search, AnswerByHash);
    const bool is_new = counts == KeptVisits::kNever;
    EXPECT_EQ(search.Report().simulations, is_new ? 60u : 60u - kept);
  }
}

TEST(RootTaskDeathTest, MoreVisitsThanTheTreeHasRoomForAreABug) {
  Search<Game> search({}, SearchMode::kSelfPlay, 16, kSeed, {});
  EXPECT_DEATH(search.SetRoot({}, Rng(kSeed), {.visits = 17}), "no room");
}

}  // namespace
}  // namespace az
