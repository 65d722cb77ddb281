#include "mcts/policy_target.h"

#include <gtest/gtest.h>

#include <span>
#include <vector>

#include "mcts/move_choice.h"
#include "mcts/select.h"
#include "tests/mcts/support/make_node.h"

namespace az {
namespace {

std::vector<double> Pruned(std::span<const Node> children, const Pruning& pruning) {
  std::vector<double> visits(children.size());
  PrunedVisits(children, pruning, visits);
  return visits;
}

// P' (.5, .3, .2), N (70, 20, 10), q (.3, .1, -.2), c 1.5, N(root) 101: S = 0.406161, want 13.771
// and 3.974.
class WorkedPruning : public testing::Test {
 protected:
  std::vector<Node> children_ = {
      MakeNode({.prior = 0.5f, .visits = 70, .mean = 0.3, .action = 0}),
      MakeNode({.prior = 0.3f, .visits = 20, .mean = 0.1, .action = 1}),
      MakeNode({.prior = 0.2f, .visits = 10, .mean = -0.2, .action = 2})};
  const float exploration_ = PuctExploration({.c_puct = 1.5f, .c_puct_factor = 0.0f}, 101);
};

TEST_F(WorkedPruning, TakesBackWhatTheScoreDoesNotWant) {
  EXPECT_EQ(Pruned(children_, {.exploration = exploration_, .forced_playouts = 2.0f}),
            (std::vector<double>{70, 14, 4}));
}

TEST_F(WorkedPruning, TakesBackNoMoreThanWasForced) {
  // forced(1) = sqrt(0.1 * 0.3 * 100) = 1.73, forced(2) = 1.41: at most one visit each.
  EXPECT_EQ(Pruned(children_, {.exploration = exploration_, .forced_playouts = 0.1f}),
            (std::vector<double>{70, 19, 9}));
  EXPECT_EQ(
      Pruned(children_,
             {.exploration = exploration_, .forced_playouts = 0.1f, .limit = PruneLimit::kNone}),
      (std::vector<double>{70, 14, 4}));
}

TEST_F(WorkedPruning, DropsMovesThatAreLeftWithOneVisit) {
  children_[2] = MakeNode({.prior = 0.01f, .visits = 1, .mean = -0.9});
  EXPECT_EQ(Pruned(children_, {.exploration = exploration_, .forced_playouts = 2.0f})[2], 0.0);
}

TEST_F(WorkedPruning, KeepsAMoveThatIsBetterThanTheScore) {
  children_[2] = MakeNode({.prior = 0.2f, .visits = 10, .mean = 0.9});
  EXPECT_EQ(Pruned(children_, {.exploration = exploration_, .forced_playouts = 2.0f})[2], 10.0);
}

TEST_F(WorkedPruning, IsNotLedByARefutedFavourite) {
  for (const PruneLimit limit : {PruneLimit::kNone, PruneLimit::kForced}) {
    const Pruning pruning{.exploration = exploration_, .forced_playouts = 0.0f, .limit = limit};
    std::vector<double> expected = Pruned(children_, pruning);
    expected.push_back(0.0);
    std::vector<Node> children = children_;
    children.push_back(
        MakeNode({.prior = 0.4f, .visits = 90, .mean = -1.0, .bounds = {-1, -1}, .action = 3}));
    EXPECT_EQ(Pruned(children, pruning), expected);
  }
}

TEST(PrunedVisits, AreNoneWhereOnlyRefutedMovesWereVisited) {
  const std::vector<Node> children = {
      MakeNode({.prior = 0.9f, .visits = 5, .mean = -1.0, .bounds = {-1, -1}}),
      MakeNode({.prior = 0.1f})};
  EXPECT_EQ(Pruned(children, {.exploration = 10.0f, .forced_playouts = 2.0f}),
            (std::vector<double>{0, 0}));
}

TEST(ForcedChild, IsTheFirstTriedMoveBelowItsShare) {
  // 50 visits: forced = sqrt(2 * P * 50) = 10 sqrt(P): 8.4, 5.0, 2.0.
  std::vector<Node> children = {
      MakeNode({.prior = 0.7f, .visits = 43}), MakeNode({.prior = 0.25f, .visits = 5}),
      MakeNode({.prior = 0.04f, .visits = 2}), MakeNode({.prior = 0.01f})};
  EXPECT_EQ(ForcedChild(children, 2.0f), -1);
  children[2] = MakeNode({.prior = 0.04f, .visits = 1});
  children[0].visits = 44;
  EXPECT_EQ(ForcedChild(children, 2.0f), 2);
  children[2].set_bounds({-1, -1});
  EXPECT_EQ(ForcedChild(children, 2.0f), -1) << "a proven loss is not forced";
  EXPECT_EQ(ForcedChild(children, 0.0f), -1);
}

TEST(IsDecided, WhenTheSecondCannotCatchUp) {
  const std::vector<Node> children = {MakeNode({.visits = 10}), MakeNode({.visits = 25}),
                                      MakeNode({.visits = 15})};
  EXPECT_FALSE(IsDecided(children, kNotProven, 10));
  EXPECT_TRUE(IsDecided(children, kNotProven, 9));
}

TEST(IsDecided, ARefutedFavouriteDecidesNothing) {
  std::vector<Node> children = {MakeNode({.visits = 150, .mean = -1.0, .bounds = {-1, -1}}),
                                MakeNode({.visits = 6}), MakeNode({.visits = 4})};
  EXPECT_FALSE(IsDecided(children, kNotProven, 40));
  children[1].visits = 60;
  EXPECT_TRUE(IsDecided(children, kNotProven, 40)) << "of those that may be played";
}

}  // namespace
}  // namespace az
