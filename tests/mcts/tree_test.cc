#include "mcts/tree.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "tests/mcts/support/make_node.h"

namespace az {
namespace {

// A root with children 0-2; child 1 has children 3-4; child 2 has child 5, which has child 6.
void Grow(Tree& tree) {
  tree.Reset(Player::kSecond);
  int action = 0;
  const auto add = [&](int parent, int count) {
    for (Node& child : tree.AddChildren(NodeId{static_cast<std::uint32_t>(parent)}, count)) {
      child = MakeNode(
          {.prior = 0.5f, .visits = 1u + static_cast<std::uint32_t>(action), .mean = 0.25});
      child.action = static_cast<Action>(action++);
      child.parent = NodeId{static_cast<std::uint32_t>(parent)};
    }
  };
  add(0, 3);
  add(2, 2);
  add(3, 1);
  add(6, 1);
}

TEST(Tree, StartsAsARootWithoutChildren) {
  Tree tree(10);
  tree.Reset(Player::kFirst);
  EXPECT_EQ(tree.size(), 1u);
  EXPECT_EQ(tree.capacity(), 10u);
  EXPECT_EQ(tree.root().mover(), Player::kFirst);
  EXPECT_EQ(tree.root().parent, kNoNode);
  EXPECT_FALSE(tree.root().is_expanded());
  EXPECT_EQ(tree.root().bounds(), (Bounds{-1, +1}));
}

TEST(Tree, CountsItsRoom) {
  Tree tree(4);
  EXPECT_TRUE(tree.HasRoomFor(3));
  EXPECT_FALSE(tree.HasRoomFor(4));
  tree.AddChildren(kRootNode, 2);
  EXPECT_TRUE(tree.HasRoomFor(1));
  EXPECT_FALSE(tree.HasRoomFor(2));
}

TEST(Tree, MovesItsRootAndKeepsSiblingsTogether) {
  Tree tree(20);
  TreeScratch scratch;
  Grow(tree);
  tree.MoveRootTo(NodeId{3}, scratch);
  ASSERT_EQ(tree.size(), 3u);
  EXPECT_EQ(tree.root().action, Action{2});
  EXPECT_EQ(tree.root().parent, kNoNode);
  EXPECT_EQ(tree.root().visits, 3u);
  const Node& child = tree.Children(tree.root())[0];
  EXPECT_EQ(child.action, Action{5});
  EXPECT_EQ(child.parent, kRootNode);
  EXPECT_EQ(tree.Children(child)[0].action, Action{6});
  EXPECT_EQ(tree.Children(child)[0].parent, NodeId{1});
}

TEST(Tree, KeepsAWholeTreeWhenTheRootMovesToItself) {
  Tree tree(20);
  TreeScratch scratch;
  Grow(tree);
  const std::uint64_t hash = tree.Hash();
  tree.MoveRootTo(kRootNode, scratch);
  EXPECT_EQ(tree.Hash(), hash);  // it was grown breadth first
  EXPECT_EQ(tree.size(), 8u);
}

TEST(Tree, ScratchServesTreesOfDifferentSizes) {
  TreeScratch scratch;
  Tree small(8);
  Tree large(50);
  for (Tree* tree : {&small, &large, &small, &large}) {
    const std::uint32_t before = tree->capacity();
    Grow(*tree);
    tree->MoveRootTo(NodeId{2}, scratch);
    EXPECT_EQ(tree->size(), 3u);
    EXPECT_GE(tree->capacity(), before);
  }
}

TEST(Tree, HashSeesEveryMember) {
  const auto hash_with = [](auto change) {
    Tree tree(20);
    Grow(tree);
    change(tree[NodeId{4}]);
    return tree.Hash();
  };
  const std::array<std::uint64_t, 6> hashes = {hash_with([](Node&) {}),
                                               hash_with([](Node& n) { n.visits += 1; }),
                                               hash_with([](Node& n) { n.value_sum += 1e-12; }),
                                               hash_with([](Node& n) { n.prior = 0.25f; }),
                                               hash_with([](Node& n) { n.action = Action{9}; }),
                                               hash_with([](Node& n) {
                                                 n.set_bounds({0, 1});
                                               })};
  for (std::size_t i = 1; i < hashes.size(); ++i) EXPECT_NE(hashes[i], hashes[0]) << i;
}

TEST(Node, KeepsMoverBoundsAndEndApart) {
  for (const Player mover : {Player::kFirst, Player::kSecond}) {
    for (const Bounds bounds : {Bounds{-1, -1}, {-1, 0}, {-1, 1}, {0, 0}, {0, 1}, {1, 1}}) {
      Node node = MakeNode({.mover = mover});
      node.set_finished();
      node.set_bounds(bounds);
      EXPECT_EQ(node.mover(), mover);
      EXPECT_EQ(node.bounds(), bounds);
      EXPECT_EQ(node.is_proven(), bounds.lo == bounds.hi);
      EXPECT_EQ(node.has_open_bounds(), (bounds == Bounds{-1, 1}));
      EXPECT_TRUE(node.is_finished());
    }
  }
}

}  // namespace
}  // namespace az
