#include "engine/play/thought_of_tree.h"

#include <gtest/gtest.h>

#include <optional>
#include <vector>

#include "mcts/tree.h"

namespace az {
namespace {

// Visits are over as soon as one move is left that does not lose, even when nobody visited it.
TEST(ReadTree, TellsOfABestMoveWithoutVisits) {
  Tree tree(3);
  tree.Reset(Player::kSecond);
  tree.root().visits = 8;
  tree.root().value_sum = 6.0;  // of the second player
  const auto children = tree.AddChildren(kRootNode, 2);
  for (std::size_t i = 0; i < 2; ++i) {
    children[i] = Node{.value_sum = 0.0,
                       .prior = i == 0 ? 0.9f : 0.1f,
                       .visits = 0,
                       .first_child = kNoNode,
                       .parent = kRootNode,
                       .num_children = 0,
                       .in_flight = 0,
                       .action = static_cast<Action>(i),
                       .flags = Node::OpenFlags(Player::kFirst),
                       .unused = 0};
  }
  children[0].visits = 7;
  children[0].value_sum = -7.0;
  children[0].set_bounds({-1, -1});
  Thought thought;
  thought.best = Action{1};
  ReadTree(tree, thought);
  ASSERT_EQ(thought.moves.size(), 2u);
  EXPECT_EQ(thought.moves[0].action, Action{0});
  EXPECT_EQ(thought.moves[0].proven, -1);
  EXPECT_EQ(thought.moves[1].action, thought.best);
  EXPECT_EQ(thought.moves[1].visits, 0u);
  EXPECT_EQ(thought.moves[1].proven, std::nullopt);
  EXPECT_EQ(thought.moves[1].value, thought.value);
  EXPECT_EQ(thought.value, -0.75);
  EXPECT_EQ(thought.moves[1].variation, std::vector<Action>{Action{1}});
}

}  // namespace
}  // namespace az
