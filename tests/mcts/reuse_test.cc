// Tree reuse of Search<S>: what is kept, what is dropped, and that a kept tree is the old one.

#include <gtest/gtest.h>

#include <vector>

#include "games/registry.h"
#include "mcts/search.h"
#include "tests/mcts/support/drive.h"

namespace az {
namespace {

constexpr std::uint64_t kSeed = 23;

struct Kept {
  Action action;
  std::uint32_t visits;
  double value_sum;
  float prior;
  std::uint8_t flags;
  friend bool operator==(const Kept&, const Kept&) = default;
};

// A subtree in depth-first order, without the ids.
void Append(const Tree& tree, const Node& node, std::vector<Kept>& out) {
  out.push_back({node.action, node.visits, node.value_sum, node.prior, node.flags});
  if (!node.is_expanded()) return;
  for (const Node& child : tree.Children(node)) Append(tree, child, out);
}

std::vector<Kept> Snapshot(const Tree& tree, const Node& node) {
  std::vector<Kept> out;
  Append(tree, node, out);
  return out;
}

const Node& MostVisited(const Tree& tree, const Node& parent) {
  const auto children = tree.Children(parent);
  return children[static_cast<std::size_t>(BestChild(children, kNotProven))];
}

template <GameState S>
void Start(Search<S>& search, const S& state) {
  search.SetRoot(state, Rng(kSeed));
  RunSearch(search, AnswerByHash);
}

SearchOptions Counting(KeptVisits kept) {
  SearchOptions options;
  options.reuse_counts = kept;
  return options;
}

class Reuse : public testing::Test {
 protected:
  Search<ConnectFour> search_{Counting(KeptVisits::kAlways), SearchMode::kPlay, 200, kSeed, {}};
};

TEST_F(Reuse, KeepsTheSubtreeOfTheMovePlayed) {
  Start(search_, ConnectFour{});
  const Node& played = MostVisited(search_.tree(), search_.tree().root());
  const auto before = Snapshot(search_.tree(), played);
  ConnectFour next;
  next.Apply(played.action);
  search_.SetRoot(next, Rng(kSeed));
  EXPECT_EQ(Snapshot(search_.tree(), search_.tree().root()), before);
  EXPECT_EQ(search_.tree().size(), before.size());
  const std::uint32_t kept = search_.tree().root().visits;
  EXPECT_GT(kept, 10u);
  RunSearch(search_, AnswerByHash);
  EXPECT_EQ(search_.tree().root().visits, 201u) << "kept visits count";
  EXPECT_EQ(search_.Report().simulations, 201u - kept);
  ExpectConsistent(search_.tree());
}

TEST_F(Reuse, KeepsTheSubtreeTwoPliesDown) {
  Start(search_, ConnectFour{});
  const Node& mine = MostVisited(search_.tree(), search_.tree().root());
  const Node& theirs = MostVisited(search_.tree(), mine);
  const auto before = Snapshot(search_.tree(), theirs);
  ConnectFour next;
  next.Apply(mine.action);
  next.Apply(theirs.action);
  search_.SetRoot(next, Rng(kSeed));
  EXPECT_EQ(Snapshot(search_.tree(), search_.tree().root()), before);
}

TEST_F(Reuse, FollowsTheMovesThatWerePlayed) {
  Start(search_, ConnectFour{});
  ConnectFour next;
  std::vector<Action> moves;
  const Node* node = &search_.tree().root();
  for (int ply = 0; ply < 4; ++ply) {
    node = &MostVisited(search_.tree(), *node);
    moves.push_back(node->action);
    next.Apply(node->action);
  }
  ASSERT_TRUE(node->is_expanded());
  const auto before = Snapshot(search_.tree(), *node);
  search_.SetRoot(next, Rng(kSeed), {}, moves);
  EXPECT_EQ(Snapshot(search_.tree(), search_.tree().root()), before);
}

TEST_F(Reuse, DropsTheTreeWhenTheMovesLeadElsewhere) {
  Start(search_, ConnectFour{});
  const std::vector<Action> moves = {Action{3}};
  search_.SetRoot(After<ConnectFour>({2}), Rng(kSeed), {}, moves);
  EXPECT_EQ(search_.tree().size(), 1u);
}

TEST_F(Reuse, KeptVisitsThatDoNotCountComeOnTop) {
  SearchOptions options;  // as shipped: in play they do not count
  Search<ConnectFour> search(options, SearchMode::kPlay, 200, kSeed, {});
  EXPECT_EQ(search.memory(), Bytes(32) * Search<ConnectFour>::NodesFor(400));
  ConnectFour state;
  bool at_most = false;  // kept and new ones together are never more than twice the simulations
  for (int ply = 0; ply < 6; ++ply) {
    search.SetRoot(state, Rng(kSeed));
    const std::uint32_t kept = std::max(search.tree().root().visits, 1u) - 1;
    EXPECT_EQ(kept > 0, ply > 0);
    RunSearch(search, AnswerByHash);
    const SearchReport report = search.Report();
    if (report.proven != kNotProven) break;
    EXPECT_EQ(report.simulations, std::min(200u, 400u - kept));
    EXPECT_FALSE(report.ran_out_of_nodes);
    at_most = at_most || kept > 100;
    state.Apply(MostVisited(search.tree(), search.tree().root()).action);
  }
  EXPECT_TRUE(at_most);
}

// The simulations of a search whose root was kept, and what was kept.
struct SecondSearch {
  std::uint32_t kept = 0;
  std::uint32_t simulations = 0;
};
SecondSearch SearchTwice(KeptVisits counts, SearchMode mode) {
  Search<ConnectFour> search(Counting(counts), mode, 200, kSeed, {});
  Start(search, ConnectFour{});
  ConnectFour next;
  next.Apply(MostVisited(search.tree(), search.tree().root()).action);
  search.SetRoot(next, Rng(kSeed));
  const std::uint32_t kept = search.tree().root().visits - 1;
  RunSearch(search, AnswerByHash);
  return {.kept = kept, .simulations = search.Report().simulations};
}

TEST(ReuseCounts, SaysInWhichSearchesKeptVisitsAreSimulations) {
  for (const SearchMode mode : {SearchMode::kSelfPlay, SearchMode::kPlay}) {
    const SecondSearch always = SearchTwice(KeptVisits::kAlways, mode);
    EXPECT_GT(always.kept, 0u);
    EXPECT_EQ(always.simulations, 200u - always.kept);
    EXPECT_EQ(SearchTwice(KeptVisits::kNever, mode).simulations, 200u);
  }
  const SecondSearch self_play = SearchTwice(KeptVisits::kSelfPlay, SearchMode::kSelfPlay);
  EXPECT_EQ(self_play.simulations, 200u - self_play.kept);
  EXPECT_EQ(SearchTwice(KeptVisits::kSelfPlay, SearchMode::kPlay).simulations, 200u);
}

TEST_F(Reuse, DropsTheTreeOfAnotherGame) {
  Start(search_, ConnectFour{});
  search_.SetRoot(After<ConnectFour>({0, 1, 2, 3, 4}), Rng(kSeed));
  EXPECT_EQ(search_.tree().size(), 1u);
  search_.SetRoot(ConnectFour{}, Rng(kSeed));
  EXPECT_EQ(search_.tree().size(), 1u);
}

TEST_F(Reuse, DropsAnUnprovenTreeOfOldWeights) {
  search_.SetModel(0, 1);
  Start(search_, ConnectFour{});
  search_.SetModel(0, 2);
  search_.SetRoot(After<ConnectFour>({3}), Rng(kSeed));
  EXPECT_EQ(search_.tree().size(), 1u);
  RunSearch(search_, AnswerByHash);
  search_.SetModel(0, 2);  // no change
  ConnectFour next = After<ConnectFour>({3});
  next.Apply(MostVisited(search_.tree(), search_.tree().root()).action);
  search_.SetRoot(next, Rng(kSeed));
  EXPECT_GT(search_.tree().size(), 1u);
}

TEST_F(Reuse, ClearDropsTheTree) {
  Start(search_, ConnectFour{});
  search_.Clear();
  search_.SetRoot(After<ConnectFour>({3}), Rng(kSeed));
  EXPECT_EQ(search_.tree().size(), 1u);
}

TEST_F(Reuse, OffDropsEveryTree) {
  SearchOptions options;
  options.tree_reuse = false;
  Search<ConnectFour> search(options, SearchMode::kPlay, 200, kSeed, {});
  Start(search, ConnectFour{});
  search.SetRoot(After<ConnectFour>({3}), Rng(kSeed));
  EXPECT_EQ(search.tree().size(), 1u);
}

TEST_F(Reuse, KeepsTheNetworksValueOfTheNewRoot) {
  Start(search_, ConnectFour{});
  ConnectFour next;
  next.Apply(MostVisited(search_.tree(), search_.tree().root()).action);
  search_.SetRoot(next, Rng(kSeed));
  RunSearch(search_, AnswerByHash);
  const float kept = search_.Report().network_value.value();
  Search<ConnectFour> fresh({}, SearchMode::kPlay, 200, kSeed, {});
  Start(fresh, next);
  EXPECT_NEAR(kept, fresh.Report().network_value.value(), 1e-6f);
}

// X threatens on two sides: proven at the first search, then played out under other weights.
TEST(ReuseOfProofs, PlaysAProofOut) {
  Search<TicTacToe> search({}, SearchMode::kPlay, 2000, kSeed, {});
  TicTacToe state = After<TicTacToe>({0, 1, 4});
  Rng rng(1);
  for (std::uint64_t version = 1; !state.Result().has_value(); ++version) {
    search.SetModel(0, version);
    search.SetRoot(state, rng);
    const bool kept = search.tree().size() > 1;
    EXPECT_EQ(kept, version > 1);
    RunSearch(search, AnswerByHash);
    EXPECT_EQ(search.Report().proven, state.ToMove() == Player::kFirst ? 1 : -1);
    EXPECT_EQ(search.Report().network_value.has_value(), !kept) << "a proof is not the network's";
    state.Apply(search.ChooseMove(0.0f, rng));
  }
  EXPECT_EQ(state.Result(), Outcome::kFirstWins);
}

TEST(ReuseOfProofs, KeepsAProofWithoutTreeReuse) {
  SearchOptions options;
  options.tree_reuse = false;
  Search<TicTacToe> search(options, SearchMode::kPlay, 2000, kSeed, {});
  TicTacToe state = After<TicTacToe>({0, 1, 4});
  Rng rng(1);
  Start(search, state);
  ASSERT_EQ(search.Report().proven, -1);
  state.Apply(search.ChooseMove(0.0f, rng));
  search.SetRoot(state, rng);
  EXPECT_GT(search.tree().size(), 1u);
  EXPECT_TRUE(search.Done());
}

TEST(ReuseInSelfPlay, AddsNoiseToRawPriors) {
  Search<Hex<4>> search({}, SearchMode::kSelfPlay, 200, kSeed, {});
  Start(search, Hex<4>{});
  const Node& played = MostVisited(search.tree(), search.tree().root());
  std::vector<float> raw;
  for (const Node& child : search.tree().Children(played)) raw.push_back(child.prior);
  Hex<4> next;
  next.Apply(played.action);
  search.SetRoot(next, Rng(kSeed));
  const auto children = search.tree().Children(search.tree().root());
  ASSERT_EQ(children.size(), raw.size());
  double sum = 0.0;
  int changed = 0;
  for (std::size_t i = 0; i < raw.size(); ++i) {
    sum += static_cast<double>(children[i].prior);
    EXPECT_GE(children[i].prior, 0.75f * raw[i] - 1e-6f);
    changed += children[i].prior != raw[i] ? 1 : 0;
  }
  EXPECT_NEAR(sum, 1.0, 1e-5);
  EXPECT_GT(changed, 10);
}

}  // namespace
}  // namespace az
