#pragma once
// Pure Monte-Carlo tree search, without a network: UCT (Kocsis and Szepesvari 2006) with one random
// game from every new leaf. The baseline that a trained player is measured against; not part of
// training.

#include <cmath>
#include <cstdint>
#include <limits>
#include <span>

#include "base/check.h"
#include "base/rng.h"
#include "games/game.h"
#include "mcts/backup.h"
#include "mcts/move_choice.h"
#include "mcts/tree.h"

namespace az {

inline constexpr double kUctConstant = 1.4142135623730951;  // sqrt 2, for values in [-1, +1]

// The child with the highest q + kUctConstant sqrt(ln N / n); one without visits comes first.
inline int SelectUct(const Node& parent, std::span<const Node> children) {
  const double log_visits = std::log(static_cast<double>(parent.visits));
  double best_score = -std::numeric_limits<double>::infinity();
  int best = 0;
  for (std::size_t i = 0; i < children.size(); ++i) {
    if (children[i].visits == 0) return static_cast<int>(i);
    const double n = children[i].visits;
    const double score = children[i].mean() + kUctConstant * std::sqrt(log_visits / n);
    if (score > best_score) {
      best_score = score;
      best = static_cast<int>(i);
    }
  }
  return best;
}

// Plays random moves to the end; the outcome's value for the first player.
template <GameState S>
double RandomPlayout(S state, Rng& rng) {
  while (!state.Result().has_value()) {
    const auto legal = state.LegalActions();
    const auto count = static_cast<std::uint64_t>(legal.Count());
    state.Apply(legal.Nth(static_cast<int>(rng.Below(count))));
  }
  return static_cast<double>(static_cast<int>(*state.Result()));
}

// Adds the position's moves as children, in random order, so that the first ones tried are no
// habit.
template <GameState S>
void AddShuffledChildren(Tree& tree, NodeId leaf, const S& state, Rng& rng) {
  const auto legal = state.LegalActions();
  const std::span<Node> children = tree.AddChildren(leaf, legal.Count());
  std::size_t count = 0;
  legal.ForEach([&](Action a) {
    const std::size_t place = rng.Below(count + 1);
    if (place != count) children[count] = children[place];
    children[place] = Node::Fresh(leaf, state.ToMove());
    children[place].action = a;
    ++count;
  });
}

// Nodes that `visits` simulations can need. A node gets its children at its second visit, so visits
// and the root bound the expansions.
template <GameState S>
std::uint32_t RolloutNodes(int visits) {
  const auto expansions = static_cast<std::uint32_t>(visits);
  return 1 + (expansions + 1) * static_cast<std::uint32_t>(S::kNumActions);
}

// A fresh tree of the position. REQUIRES: the game is not over.
template <GameState S>
void StartRollouts(Tree& tree, const S& root, Rng& rng) {
  AZ_CHECK(!root.Result().has_value()) << "the game is over";
  tree.Reset(Opponent(root.ToMove()));
  AddShuffledChildren(tree, kRootNode, root, rng);
}

// One more simulation. REQUIRES: a tree that StartRollouts made, with room.
template <GameState S>
void Rollout(Tree& tree, const S& root, Rng& rng) {
  S state = root;
  NodeId id = kRootNode;
  while (tree[id].is_expanded()) {
    const Node& node = tree[id];
    id = ChildId(node, static_cast<std::size_t>(SelectUct(node, tree.Children(node))));
    state.Apply(tree[id].action);
    if (tree[id].visits > 0 && !tree[id].is_expanded() && !state.Result().has_value()) {
      AddShuffledChildren(tree, id, state, rng);
    }
  }
  BackUp(tree, id, RandomPlayout(state, rng));
}

// REQUIRES: a tree that StartRollouts made and Rollout has grown.
inline Action MostVisitedMove(const Tree& tree) {
  const auto children = tree.Children(tree.root());
  return children[static_cast<std::size_t>(BestChild(children, kNotProven))].action;
}

// The most visited move after `visits` simulations from a fresh tree; same arguments, same move.
// Allocates the tree and nothing else. REQUIRES: the game is not over, visits > 0.
template <GameState S>
Action RolloutMove(const S& root, int visits, Rng rng) {
  AZ_CHECK_GT(visits, 0);
  Tree tree(RolloutNodes<S>(visits));
  StartRollouts(tree, root, rng);
  for (int i = 0; i < visits; ++i) Rollout(tree, root, rng);
  return MostVisitedMove(tree);
}

}  // namespace az
