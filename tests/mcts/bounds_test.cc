#include "mcts/bounds.h"

#include <gtest/gtest.h>

#include <numeric>

#include "games/registry.h"
#include "mcts/search_inl.h"
#include "tests/mcts/support/drive.h"
#include "tests/mcts/support/make_node.h"
#include "tests/mcts/support/random_tree_game.h"

namespace az {
namespace {

TEST(BoundsFromChildren, FollowTheBestChild) {
  struct Row {
    std::vector<Bounds> children;
    Bounds view_of_chooser;
  };
  const std::vector<Row> rows = {
      {{{-1, 1}}, {-1, 1}},           {{{-1, 1}, {-1, -1}}, {-1, 1}},
      {{{-1, 1}, {1, 1}}, {1, 1}},    {{{-1, -1}, {-1, -1}}, {-1, -1}},
      {{{0, 0}, {-1, -1}}, {0, 0}},   {{{0, 0}, {-1, 1}}, {0, 1}},
      {{{-1, 0}, {-1, -1}}, {-1, 0}}, {{{-1, 0}, {0, 0}}, {0, 0}},
      {{{0, 1}, {-1, 0}}, {0, 1}},
  };
  for (const Row& row : rows) {
    std::vector<Node> children;
    for (const Bounds bounds : row.children) children.push_back(MakeNode({.bounds = bounds}));
    const Bounds same = row.view_of_chooser;
    EXPECT_EQ(BoundsFromChildren(children, Player::kFirst), same);
    const Bounds turned{static_cast<std::int8_t>(-same.hi), static_cast<std::int8_t>(-same.lo)};
    EXPECT_EQ(BoundsFromChildren(children, Player::kSecond), turned);
  }
}

TEST(SetBounds, MakesSumsExactUpTheTree) {
  Tree tree(10);
  tree.Reset(Player::kSecond);
  tree.root().visits = 6;
  tree.root().value_sum = -0.3;
  const auto children = tree.AddChildren(kRootNode, 2);
  children[0] = MakeNode({.visits = 3, .mean = 0.2});
  children[1] = MakeNode({.visits = 2, .mean = -0.1});
  for (Node& child : children) child.parent = kRootNode;
  SetBounds(tree, NodeId{2}, {-1, -1});
  EXPECT_DOUBLE_EQ(tree[NodeId{2}].value_sum, -2.0);
  EXPECT_DOUBLE_EQ(tree.root().value_sum, -0.3 + 1.8);
  EXPECT_EQ(tree.root().bounds(), (Bounds{-1, 1}));
  SetBounds(tree, NodeId{1}, {1, 1});  // settles the root
  EXPECT_DOUBLE_EQ(tree[NodeId{1}].value_sum, 3.0);
  EXPECT_EQ(tree.root().bounds(), (Bounds{-1, -1}));
  EXPECT_DOUBLE_EQ(tree.root().value_sum, -6.0);
}

TEST(SetBounds, MakesSquaresExactUpTheTree) {
  Tree tree(10, Tree::Squares::kKept);
  tree.Reset(Player::kSecond);
  tree.root().visits = 6;
  tree.root().value_sum = -0.3;
  tree.squares(kRootNode) = 0.5;
  const auto children = tree.AddChildren(kRootNode, 2);
  children[0] = MakeNode({.visits = 3, .mean = 0.2});
  children[1] = MakeNode({.visits = 2, .mean = -0.1});
  for (Node& child : children) child.parent = kRootNode;
  tree.squares(NodeId{1}) = 0.2;
  tree.squares(NodeId{2}) = 0.1;
  SetBounds(tree, NodeId{2}, {-1, -1});
  EXPECT_DOUBLE_EQ(tree.squares(NodeId{2}), 2.0);
  EXPECT_DOUBLE_EQ(tree.squares(kRootNode), 0.5 + 1.9);
  SetBounds(tree, NodeId{1}, {0, 0});
  EXPECT_DOUBLE_EQ(tree.squares(NodeId{1}), 0.0);
  EXPECT_DOUBLE_EQ(tree.squares(kRootNode), 0.0) << "drawn by its best move";
}

// Walks tree and game together; every bound must hold the exact value. Returns it, first player's
// view.
template <GameState S>
int ExpectTrueBounds(const Tree& tree, const Node& node, const S& state) {
  int value = Minimax(state);
  if (node.is_expanded()) {
    for (const Node& child : tree.Children(node)) {
      S next = state;
      next.Apply(child.action);
      if (child.visits > 0) ExpectTrueBounds(tree, child, next);
    }
  }
  const int view = node.mover() == Player::kFirst ? value : -value;
  EXPECT_LE(node.bounds().lo, view);
  EXPECT_GE(node.bounds().hi, view);
  return value;
}

// Every way to search, in turn.
SearchOptions SomeOptions(std::uint64_t number) {
  SearchOptions options;
  switch (number % 7) {
    case 1:
      options.root = RootRule::kGumbel;
      break;
    case 2:
      options.root = RootRule::kGumbel;
      options.max_in_flight = 4;
      break;
    case 3:
      options.max_in_flight = 4;
      break;
    case 4:
      options.max_in_flight = 4;
      options.in_flight_rule = InFlightRule::kVirtualLoss;
      break;
    case 5:
      options.root = RootRule::kGumbel;
      options.gumbel.full = true;
      break;
    case 6:
      options.forced_playouts = 2.0f;
      options.target_pruning = true;
      options.c_puct_stdev_scale = 0.85f;
      break;
    default:
      break;
  }
  return options;
}

TEST(Solver, IsNeverWrongOnRandomTrees) {
  int proven = 0;
  for (std::uint64_t seed = 0; seed < 10'000; ++seed) {
    const RandomTree root(seed);
    const int visits = static_cast<int>(5 + seed % 150);
    const SearchMode mode = seed % 2 == 0 ? SearchMode::kPlay : SearchMode::kSelfPlay;
    Search<RandomTree> search(SomeOptions(seed), mode, visits, seed, {});
    search.SetRoot(root, Rng(seed));
    RunSearchWithRows(search, 4, AnswerByHash);
    const int value = ExpectTrueBounds(search.tree(), search.tree().root(), root);
    ExpectConsistent(search.tree());
    const SearchReport report = search.Report();
    if (report.proven != kNotProven) {
      ++proven;
      EXPECT_EQ(report.proven, root.ToMove() == Player::kFirst ? value : -value);
    }
    ASSERT_FALSE(testing::Test::HasFailure()) << "seed " << seed;
  }
  EXPECT_GT(proven, 4'000);
}

// Random play until few plies are left, then the search against brute force.
template <GameState S>
void ExpectSolvesEndings(int plies_before, int visits) {
  int proven = 0;
  int games = 0;
  for (std::uint64_t seed = 0; games < 40; ++seed) {
    Rng rng(seed);
    S state;
    for (int ply = 0; ply < plies_before && !state.Result().has_value(); ++ply) {
      const auto legal = state.LegalActions();
      state.Apply(
          legal.Nth(static_cast<int>(rng.Below(static_cast<std::uint64_t>(legal.Count())))));
    }
    if (state.Result().has_value()) continue;
    ++games;
    Search<S> search({}, SearchMode::kPlay, visits, seed, {});
    search.SetRoot(state, rng);
    RunSearch(search, AnswerByHash);
    const SearchReport report = search.Report();
    if (state.LegalActions().Count() == 1 || report.proven == kNotProven) continue;
    ++proven;
    const int value = Minimax(state);
    EXPECT_EQ(report.proven, state.ToMove() == Player::kFirst ? value : -value) << state.ToString();
    S after = state;
    after.Apply(search.ChooseMove(0.0f, rng));
    EXPECT_EQ(Minimax(after), value) << "a proven root plays a move that keeps its value";
  }
  EXPECT_GE(proven, 25);
}

TEST(Solver, AgreesWithBruteForceOnEndings) {
  ExpectSolvesEndings<TicTacToe>(2, 50'000);
  ExpectSolvesEndings<ConnectFour>(32, 20'000);
  ExpectSolvesEndings<Hex<4>>(6, 20'000);
}

TEST(Solver, OffLeavesPositionsOpen) {
  SearchOptions options;
  options.solver = false;
  Search<TicTacToe> search(options, SearchMode::kPlay, 300, 1, {});
  search.SetRoot(After<TicTacToe>({0, 3, 1, 4}), Rng(1));
  RunSearch(search, AnswerUniform);
  EXPECT_EQ(search.Report().proven, kNotProven);
  EXPECT_EQ(search.tree().root().visits, 301u);
}

}  // namespace

template class Search<RandomTree>;

}  // namespace az
