#include "mcts/search.h"

#include <gtest/gtest.h>

#include <limits>
#include <numeric>

#include "games/registry.h"
#include "tests/mcts/support/drive.h"

namespace az {
namespace {

constexpr std::uint64_t kSeed = 17;

SearchOptions PlainOptions() {
  SearchOptions options;
  options.tree_reuse = false;
  options.symmetry = SymmetryMode::kNone;
  options.solver = false;
  return options;
}

template <GameState S>
Action BestMove(const S& state, int visits) {
  Search<S> search({}, SearchMode::kPlay, visits, kSeed, {});
  search.SetRoot(state, Rng(kSeed));
  RunSearch(search, AnswerUniform);
  Rng rng(kSeed);
  return search.ChooseMove(0.0f, rng);
}

TEST(Search, SpendsTheVisitsOnTheChildrenOfTheRoot) {
  Search<ConnectFour> search(PlainOptions(), SearchMode::kPlay, 100, kSeed, {});
  search.SetRoot({}, Rng(1));
  RunSearch(search, AnswerByHash);
  const SearchReport report = search.Report();
  const auto add = [](std::uint32_t sum, const auto& entry) { return sum + entry.second; };
  EXPECT_EQ(std::accumulate(report.visits.begin(), report.visits.end(), 0u, add), 100u);
  EXPECT_EQ(report.simulations, 100u);
  EXPECT_LE(report.rows, 101u);
  float weights = 0.0f;
  for (const PolicyTarget& target : report.target) weights += target.weight;
  EXPECT_NEAR(weights, 1.0f, 1e-5f);
  EXPECT_FALSE(report.principal_variation.empty());
  EXPECT_FALSE(report.ran_out_of_nodes);
  ExpectConsistent(search.tree());
}

TEST(Search, GivesValuesInTheViewOfTheSideToMove) {
  Search<TicTacToe> search(PlainOptions(), SearchMode::kPlay, 1, kSeed, {});
  // First row: the root, good for its mover; second row: a child, bad for the opponent.
  int row_number = 0;
  search.SetRoot({}, Rng(1));
  RunSearch(search, [&](EvalRow& row) {
    FillUniform(std::span(&row, 1));
    *row.value = row_number++ == 0 ? 0.5f : -0.25f;
  });
  EXPECT_FLOAT_EQ(search.Report().network_value.value(), 0.5f);
  EXPECT_FLOAT_EQ(search.Report().root_value, (0.5f + 0.25f) / 2);
}

// Greedy on values: c = 0, no reduction; logits fall with the action. Worked out by hand, rows in
// the view of their side to move:
//   root 0.1; move 0: -0.4; moves 0, 1: 0.2; moves 0, 1, 2: 0.6; then move 0 is worth 0, less than
//   the root's 0.025, so move 1 is tried: -0.3.
TEST(Search, FollowsHandMadeRows) {
  SearchOptions options = PlainOptions();
  options.c_puct = options.c_puct_factor = options.fpu_reduction = 0.0f;
  Search<TicTacToe> search(options, SearchMode::kPlay, 4, kSeed, {});
  search.SetRoot({}, Rng(1));
  constexpr std::array kValues = {0.1f, -0.4f, 0.2f, 0.6f, -0.3f};
  std::size_t next = 0;
  RunSearch(search, [&](EvalRow& row) {
    for (std::size_t a = 0; a < 9; ++a) row.logits[a] = -0.5f * static_cast<float>(a);
    *row.value = kValues.at(next++);
  });
  ASSERT_EQ(next, kValues.size());
  const Tree& tree = search.tree();
  const auto expect = [](const Node& node, int action, std::uint32_t visits, double value_sum) {
    EXPECT_EQ(node.action, static_cast<Action>(action));
    EXPECT_EQ(node.visits, visits);
    EXPECT_NEAR(node.value_sum, value_sum, 1e-6);
  };
  const auto depth_1 = tree.Children(tree.root());
  const auto depth_2 = tree.Children(depth_1[0]);
  const auto depth_3 = tree.Children(depth_2[0]);
  expect(tree.root(), 0, 5, -0.1 - 0.4 - 0.2 + 0.6 - 0.3);
  expect(depth_1[0], 0, 3, 0.4 + 0.2 - 0.6);
  expect(depth_1[1], 1, 1, 0.3);
  expect(depth_2[0], 1, 2, -0.2 + 0.6);
  expect(depth_3[0], 2, 1, -0.6);
  EXPECT_EQ(search.Report().principal_variation, (std::vector{Action{0}, Action{1}, Action{2}}));
}

TEST(Search, FindsWinsInOneAndBlocks) {
  EXPECT_EQ(BestMove(After<TicTacToe>({0, 3, 1, 4}), 100), Action{2});
  EXPECT_EQ(BestMove(After<TicTacToe>({0, 4, 1}), 400), Action{2});
  EXPECT_EQ(BestMove(After<ConnectFour>({0, 6, 1, 6, 2, 6}), 100), Action{3});
  EXPECT_EQ(BestMove(After<ConnectFour>({0, 6, 0, 6, 0}), 400), Action{0});
  EXPECT_EQ(BestMove(After<Hex<3>>({0, 8, 3, 5}), 100), Action{6});
}

TEST(Search, ProvesTicTacToeDrawn) {
  Search<TicTacToe> search({}, SearchMode::kPlay, 1'000'000, kSeed, {});
  search.SetRoot({}, Rng(1));
  RunSearch(search, AnswerUniform);
  const SearchReport report = search.Report();
  EXPECT_EQ(report.proven, 0);
  EXPECT_EQ(report.root_value, 0.0f);
  ExpectConsistent(search.tree());
}

TEST(Search, TargetsOnlyWinningMovesAtAWonRoot) {
  Search<TicTacToe> search({}, SearchMode::kSelfPlay, 400, kSeed, {});
  search.SetRoot(After<TicTacToe>({0, 3, 1, 4}), Rng(1));
  RunSearch(search, AnswerByHash);
  const SearchReport report = search.Report();
  EXPECT_EQ(report.proven, 1);
  EXPECT_EQ(report.root_value, 1.0f);
  ASSERT_EQ(report.target.size(), 1u);
  EXPECT_EQ(report.target[0].action, Action{2});
  EXPECT_LT(report.simulations, 400u);
}

TEST(Search, PlaysTheOnlyLegalActionUnsearched) {
  Search<TicTacToe> search({}, SearchMode::kPlay, 400, kSeed, {});
  search.SetRoot(After<TicTacToe>({0, 1, 2, 4, 3, 5, 7, 6}), Rng(1));
  RunSearch(search, AnswerByHash);
  const SearchReport report = search.Report();
  EXPECT_EQ(report.simulations, 0u);
  EXPECT_EQ(report.rows, 1u);
  ASSERT_EQ(report.target.size(), 1u);
  EXPECT_EQ(report.target[0].action, Action{8});
  EXPECT_EQ(report.target[0].weight, 1.0f);
}

TEST(Search, FailsOnARowThatIsNotFinite) {
  constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  for (const float bad : {kNan, kInfinity, -kInfinity}) {
    for (const bool in_value : {false, true}) {
      Search<ConnectFour> search({}, SearchMode::kPlay, 50, kSeed, {});
      search.SetRoot({}, Rng(1));
      int row_number = 0;
      RunSearch(search, [&](EvalRow& row) {
        AnswerByHash(row);
        if (++row_number == 10) (in_value ? *row.value : row.logits[3]) = bad;
      });
      EXPECT_TRUE(search.Failed());
      EXPECT_EQ(row_number, 10);
      EXPECT_EQ(search.tree().root().visits, 9u);
      ExpectConsistent(search.tree());
      search.SetRoot({}, Rng(1));
      EXPECT_FALSE(search.Failed());
    }
  }
}

TEST(Search, ReadsNoLogitOfAnIllegalAction) {
  Search<TicTacToe> search({}, SearchMode::kPlay, 50, kSeed, {});
  search.SetRoot(After<TicTacToe>({4}), Rng(1));
  RunSearch(search, [](EvalRow& row) {
    AnswerByHash(row);
    for (int cell = 0; cell < 9; ++cell) {
      const bool taken = ((row.planes[0] | row.planes[1]) >> cell & 1) != 0;
      if (taken) row.logits[static_cast<std::size_t>(cell)] = std::nanf("");
    }
  });
  EXPECT_FALSE(search.Failed());
}

TEST(Search, EndsEarlyWhenItsTreeIsFull) {
  Search<Hex<5>> search({}, SearchMode::kPlay, 1000, kSeed, {.max_nodes = 200});
  search.SetRoot({}, Rng(1));
  RunSearch(search, AnswerByHash);
  EXPECT_FALSE(search.Failed());
  const SearchReport report = search.Report();
  EXPECT_TRUE(report.ran_out_of_nodes);
  EXPECT_LT(report.simulations, 20u);
  EXPECT_FALSE(report.target.empty());
  ExpectConsistent(search.tree());
}

TEST(Search, NeverNeedsMoreNodesThanItSays) {
  SearchOptions options;
  Search<Hex<3>> search(options, SearchMode::kSelfPlay, 60, kSeed, {});
  Hex<3> state;
  Rng rng(5);
  for (int ply = 0; !state.Result().has_value(); ++ply) {
    search.SetRoot(state, rng.Fork(static_cast<std::uint64_t>(ply)));
    RunSearch(search, AnswerByHash);
    EXPECT_FALSE(search.Report().ran_out_of_nodes);
    ExpectConsistent(search.tree());
    state.Apply(search.ChooseMove(1.0f, rng));
  }
  EXPECT_EQ(search.memory(), Bytes(32) * Search<Hex<3>>::NodesFor(60));
}

TEST(Search, AbandonedRowsCountNothing) {
  OneRow<ConnectFour> memory;
  std::array<EvalRow, 1> rows = {memory.row()};
  Search<ConnectFour> plain({}, SearchMode::kSelfPlay, 60, kSeed, {});
  Search<ConnectFour> hindered({}, SearchMode::kSelfPlay, 60, kSeed, {});
  plain.SetRoot({}, Rng(1));
  hindered.SetRoot({}, Rng(1));
  RunSearch(plain, AnswerByHash);
  for (int i = 0; !hindered.Done(); ++i) {
    const int gathered = hindered.Gather(rows);
    EXPECT_EQ(hindered.Gather(rows), 0) << "a row is still out";
    if (i % 3 == 0) {
      hindered.Abandon();
      continue;
    }
    if (gathered == 1) AnswerByHash(rows[0]);
    hindered.Absorb(std::span<const EvalRow>(rows).first(static_cast<std::size_t>(gathered)));
  }
  EXPECT_EQ(plain.TreeHash(), hindered.TreeHash());
  hindered.Abandon();  // with nothing out
  hindered.SetRoot({}, Rng(1));
  EXPECT_EQ(hindered.Gather(rows), 1);
  hindered.SetRoot({}, Rng(1));  // with a row out
  EXPECT_EQ(hindered.Gather(rows), 1);
}

TEST(Search, SelfPlayNoiseComesFromTheGivenStream) {
  const auto hash = [](SearchMode mode, std::uint64_t stream) {
    Search<Hex<5>> search({}, mode, 100, kSeed, {});
    search.SetRoot({}, Rng(stream));
    RunSearch(search, AnswerByHash);
    return search.TreeHash();
  };
  EXPECT_EQ(hash(SearchMode::kSelfPlay, 1), hash(SearchMode::kSelfPlay, 1));
  EXPECT_NE(hash(SearchMode::kSelfPlay, 1), hash(SearchMode::kSelfPlay, 2));
  EXPECT_EQ(hash(SearchMode::kPlay, 1), hash(SearchMode::kPlay, 2));
}

}  // namespace
}  // namespace az
