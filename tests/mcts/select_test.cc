#include "mcts/select.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "base/rng.h"
#include "games/hex/hex.h"
#include "tests/mcts/support/drive.h"
#include "tests/mcts/support/make_node.h"

namespace az {
namespace {

// The score by the formulas of the header, in double and straight from the definitions.
double Score(const SearchOptions& o, const Node& parent, std::span<const Node> children,
             const Node& child, double reduction) {
  const double n = parent.visits;
  const double c = o.c_puct + o.c_puct_factor * std::log((n + o.c_puct_base) / o.c_puct_base);
  const double exploration = c * child.prior * std::sqrt(n) / (1.0 + child.visits);
  if (child.visits > 0) return child.value_sum / child.visits + exploration;
  double visited = 0.0;
  for (const Node& other : children) visited += other.visits > 0 ? other.prior : 0.0;
  const double sign = parent.mover() == child.mover() ? 1.0 : -1.0;
  return sign * parent.value_sum / n - reduction * std::sqrt(visited) + exploration;
}

struct Case {
  Node parent;
  std::vector<Node> children;
};

Case RandomCase(Rng& rng) {
  Case made;
  const std::size_t count = 1 + rng.Below(12);
  std::uint32_t visits = 1;
  for (std::size_t i = 0; i < count; ++i) {
    const auto child_visits = static_cast<std::uint32_t>(rng.Below(3) == 0 ? 0 : rng.Below(60));
    made.children.push_back(MakeNode({.prior = static_cast<float>(rng.Uniform() / 4),
                                      .visits = child_visits,
                                      .mean = 2.0 * rng.Uniform() - 1.0}));
    visits += child_visits;
  }
  made.parent = MakeNode({.visits = visits,
                          .mean = 2.0 * rng.Uniform() - 1.0,
                          .mover = static_cast<Player>(rng.Below(2))});
  return made;
}

TEST(SelectChild, TakesTheHighestScoreOfTheFormula) {
  SearchOptions options;
  options.c_puct_base = 50.0f;  // so that the growth shows
  options.c_puct_factor = 2.0f;
  const PuctTable table(options, 1000);
  const PuctTable short_table(options, 1);
  Rng rng(3);
  for (int i = 0; i < 20'000; ++i) {
    const Case c = RandomCase(rng);
    const double reduction = rng.Uniform();
    const int chosen = SelectChild(
        c.parent, c.children, i % 2 == 0 ? table : short_table,
        {.fpu_reduction = static_cast<float>(reduction), .use_bounds = false, .scan_all = true});
    double best = -1e9;
    for (const Node& child : c.children) {
      best = std::max(best, Score(options, c.parent, c.children, child, reduction));
    }
    EXPECT_NEAR(Score(options, c.parent, c.children, c.children[static_cast<std::size_t>(chosen)],
                      reduction),
                best, 1e-5);
  }
}

TEST(SelectChild, KnownValues) {
  // N = 4 (own evaluation and three visits), c = 1.5: c sqrt(N) = 3. Scores 0.2 + 3 * 0.5 / 3 =
  // 0.7, -0.4 + 3 * 0.3 / 2 = 0.05, fpu 0.1 - 0.2 sqrt(0.8) = -0.0789, + 3 * 0.2 = 0.5211.
  SearchOptions options;
  options.c_puct_factor = 0.0f;
  const PuctTable table(options, 10);
  Node parent = MakeNode({.visits = 4, .mean = -0.1, .mover = Player::kSecond});
  std::vector<Node> children = {MakeNode({.prior = 0.5f, .visits = 2, .mean = 0.2}),
                                MakeNode({.prior = 0.3f, .visits = 1, .mean = -0.4}),
                                MakeNode({.prior = 0.2f})};
  EXPECT_EQ(SelectChild(parent, children, table, {.fpu_reduction = 0.2f}), 0);
  children[0] = MakeNode({.prior = 0.5f, .visits = 2, .mean = 0.02});  // 0.52 < 0.5211
  EXPECT_EQ(SelectChild(parent, children, table, {.fpu_reduction = 0.2f}), 2);
  EXPECT_EQ(SelectChild(parent, children, table, {.fpu_reduction = 0.3f}), 0);
}

TEST(SelectChild, TiesGoToTheFirst) {
  const PuctTable table({}, 10);
  const Node parent = MakeNode({.visits = 3, .mean = 0.0, .mover = Player::kSecond});
  const Node twin = MakeNode({.prior = 0.5f, .visits = 1, .mean = 0.1});
  EXPECT_EQ(SelectChild(parent, std::vector{twin, twin}, table, {}), 0);
  const Node untouched = MakeNode({.prior = 0.5f});
  EXPECT_EQ(SelectChild(parent, std::vector{untouched, untouched}, table, {.scan_all = true}), 0);
}

TEST(SelectChild, SkipsProvenLossesAndClipsToBounds) {
  const PuctTable table({}, 10);
  const Node parent = MakeNode({.visits = 6, .mean = 0.0, .mover = Player::kSecond});
  const Node lost = MakeNode({.prior = 0.9f, .visits = 1, .mean = -1.0, .bounds = {-1, -1}});
  const Node at_most_drawn =
      MakeNode({.prior = 0.05f, .visits = 2, .mean = 0.9, .bounds = {-1, 0}});
  const Node open = MakeNode({.prior = 0.05f, .visits = 2, .mean = 0.1});
  const std::vector<Node> children = {lost, at_most_drawn, open};
  EXPECT_EQ(SelectChild(parent, children, table, {.use_bounds = true}), 2);
  EXPECT_EQ(SelectChild(parent, children, table, {.use_bounds = false}), 1);
  EXPECT_EQ(SelectChild(parent, std::vector{lost, lost, open}, table, {.use_bounds = true}), 2);
}

TEST(PuctTable, GivesTheBitsOfTheFormulaInsideAndOutside) {
  const SearchOptions options;
  const PuctTable table(options, 20);
  for (const std::uint32_t n : {0u, 1u, 19u, 22u, 23u, 24u, 10'000u, 5'000'000u}) {
    EXPECT_EQ(table.Exploration(n), PuctExploration(options, n));
  }
  for (std::uint32_t n = 1; n < table.entries().size(); ++n) {
    EXPECT_EQ(table.entries()[n].reciprocal, 1.0f / static_cast<float>(n));
  }
  EXPECT_NEAR(PuctExploration(options, 800) / std::sqrt(800.0f), 1.54f, 0.005f);
  EXPECT_NEAR(PuctExploration(options, 10'000) / std::sqrt(10'000.0f), 1.91f, 0.005f);
}

// In every tree without root noise the touched children come first, and the short scan chooses as
// the full one.
TEST(SelectChild, TouchedChildrenAreAPrefix) {
  SearchOptions options;
  const PuctTable table(options, 500);
  for (std::uint64_t seed = 0; seed < 30; ++seed) {
    options.fpu_reduction = 0.1f * static_cast<float>(seed % 5);
    Search<Hex<4>> search(options, SearchMode::kPlay, 500, seed, {});
    search.SetRoot({}, Rng(seed));
    RunSearch(search, [&](EvalRow& row) {
      AnswerByHash(row);
      row.logits[seed % 16] += 3.0f;
    });
    const Tree& tree = search.tree();
    for (std::uint32_t i = 0; i < tree.size(); ++i) {
      const Node& node = tree[NodeId{i}];
      if (!node.is_expanded()) continue;
      const auto children = tree.Children(node);
      EXPECT_TRUE(std::is_partitioned(children.begin(), children.end(),
                                      [](const Node& child) { return child.visits > 0; }));
      if (node.is_proven()) continue;
      SelectRule rule{.fpu_reduction = options.fpu_reduction, .use_bounds = true};
      const int chosen = SelectChild(node, children, table, rule);
      rule.scan_all = true;
      EXPECT_EQ(chosen, SelectChild(node, children, table, rule));
    }
  }
}

std::vector<Node> RandomChildren(Rng& rng) {
  std::vector<Node> children;
  for (int i = 0; i < 8; ++i) {
    children.push_back(MakeNode({.prior = static_cast<float>(rng.Uniform() / 4.0),
                                 .visits = static_cast<std::uint32_t>(rng.Below(6)),
                                 .mean = 2.0 * rng.Uniform() - 1.0}));
  }
  return children;
}

Node ParentOf(const std::vector<Node>& children) {
  std::uint32_t visits = 1;
  for (const Node& child : children) visits += child.visits;
  return MakeNode({.visits = visits, .mean = 0.1, .mover = Player::kSecond});
}

TEST(SelectInFlight, IsPlainSelectionWhenNothingIsInFlight) {
  const PuctTable table({}, 100);
  const SelectRule rule{.fpu_reduction = 0.2f, .scan_all = true};
  for (std::uint64_t seed = 0; seed < 500; ++seed) {
    Rng rng(seed);
    const std::vector<Node> children = RandomChildren(rng);
    const Node parent = ParentOf(children);
    for (const InFlightRule how : {InFlightRule::kUnobserved, InFlightRule::kVirtualLoss}) {
      EXPECT_EQ(
          SelectInFlight(parent, children, table.Exploration(parent.visits), rule, {.rule = how}),
          SelectChild(parent, children, table, rule));
    }
  }
}

// One row in flight below a child, by the formulas written out.
TEST(SelectInFlight, CountsWaitingRowsAsVisitsOrLosses) {
  const SearchOptions options;
  std::vector<Node> children = {MakeNode({.prior = 0.5f, .visits = 4, .mean = 0.30}),
                                MakeNode({.prior = 0.5f, .visits = 4, .mean = 0.25})};
  Node parent = ParentOf(children);
  EXPECT_EQ(SelectInFlight(parent, children, PuctExploration(options, parent.visits), {}, {}), 0);
  parent.in_flight = children[0].in_flight = 1;
  const float exploration = PuctExploration(options, parent.visits + 1);
  const double c = static_cast<double>(exploration);
  EXPECT_LT(0.30 + c * 0.5 / 6.0, 0.25 + c * 0.5 / 5.0);
  EXPECT_EQ(SelectInFlight(parent, children, exploration, {}, {}), 1);
  // Far ahead: a visit without a value does not change the choice, a lost game does.
  children[0].value_sum = 4 * 0.6;
  EXPECT_GT(0.6 + c * 0.5 / 6.0, 0.25 + c * 0.5 / 5.0);
  EXPECT_LT((2.4 - 1.0) / 5.0 + c * 0.5 / 6.0, 0.25 + c * 0.5 / 5.0);
  EXPECT_EQ(SelectInFlight(parent, children, exploration, {}, {}), 0);
  EXPECT_EQ(SelectInFlight(parent, children, exploration, {}, {.rule = InFlightRule::kVirtualLoss}),
            1);
}

TEST(StdevFactor, FollowsTheSpreadOfTheValues) {
  // q 0.2, N 10, values of mean square 0.09: sigma^2 = ((0.04 + 0.16) 2 + 0.9) / 11 - 0.04.
  const Node parent = MakeNode({.visits = 10, .mean = 0.2});
  const double sigma = std::sqrt(1.3 / 11.0 - 0.04);
  EXPECT_NEAR(StdevFactor(parent, 0.9, 0.85f), 1.0 + 0.85 * (sigma / 0.4 - 1.0), 1e-6);
  EXPECT_EQ(StdevFactor(parent, 0.9, 0.0f), 1.0f);
  EXPECT_NEAR(StdevFactor(parent, 0.0, 1.0f), 0.0, 1e-6) << "no spread at all";
}

}  // namespace
}  // namespace az
