#include "mcts/backup.h"

#include <gtest/gtest.h>

#include "tests/mcts/support/make_node.h"

namespace az {
namespace {

// A chain below the root; movers[i] moved into node i.
Tree Chain(std::initializer_list<Player> movers) {
  Tree tree(10);
  tree.Reset(*movers.begin());
  NodeId parent = kRootNode;
  for (const Player* mover = movers.begin() + 1; mover != movers.end(); ++mover) {
    Node& child = tree.AddChildren(parent, 1)[0];
    child = MakeNode({.mover = *mover});
    child.parent = parent;
    parent = NodeId{Index(parent) + 1};
  }
  return tree;
}

TEST(BackUp, TurnsTheSignWithTheMover) {
  Tree tree = Chain({Player::kSecond, Player::kFirst, Player::kSecond});
  BackUp(tree, NodeId{2}, 0.25);
  BackUp(tree, NodeId{1}, -1.0);
  EXPECT_EQ(tree[NodeId{2}].value_sum, -0.25);
  EXPECT_EQ(tree[NodeId{1}].value_sum, 0.25 - 1.0);
  EXPECT_EQ(tree[NodeId{0}].value_sum, -0.25 + 1.0);
  EXPECT_EQ(tree[NodeId{2}].visits, 1u);
  EXPECT_EQ(tree[NodeId{1}].visits, 2u);
  EXPECT_EQ(tree[NodeId{0}].visits, 2u);
}

TEST(BackUp, KeepsTheSignWhenAPlayerMovesTwice) {
  Tree tree = Chain({Player::kSecond, Player::kFirst, Player::kFirst, Player::kSecond});
  BackUp(tree, NodeId{3}, 0.5);
  EXPECT_EQ(tree[NodeId{3}].value_sum, -0.5);
  EXPECT_EQ(tree[NodeId{2}].value_sum, 0.5);
  EXPECT_EQ(tree[NodeId{1}].value_sum, 0.5);
  EXPECT_EQ(tree[NodeId{0}].value_sum, -0.5);
}

}  // namespace
}  // namespace az
