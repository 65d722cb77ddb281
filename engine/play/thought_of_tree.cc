#include "engine/play/thought_of_tree.h"

#include <algorithm>
#include <utility>

#include "base/check.h"
#include "mcts/move_choice.h"
#include "mcts/report.h"

namespace az {
namespace {

constexpr std::size_t kMostOfVariation = 64;

// The action of `node`, and then always that of the best child.
std::vector<Action> VariationFrom(const Tree& tree, const Node* node) {
  std::vector<Action> actions = {node->action};
  while (node->is_expanded() && actions.size() < kMostOfVariation) {
    const auto children = tree.Children(*node);
    const int best = BestChild(children, ProvenForChooser(*node, children));
    const Node& child = children[static_cast<std::size_t>(best)];
    if (child.visits == 0) break;
    actions.push_back(child.action);
    node = &child;
  }
  return actions;
}

MoveInfo InfoOf(const Tree& tree, const Node& child) {
  MoveInfo info{.action = child.action,
                .visits = child.visits,
                .prior = child.prior,
                .value = child.visits > 0 ? child.mean() : 0.0,
                .proven = std::nullopt,
                .variation = VariationFrom(tree, &child)};
  if (child.is_proven()) {
    info.proven = child.bounds().lo;
    info.value = *info.proven;
  }
  return info;
}

}  // namespace

void ReadTree(const Tree& tree, Thought& thought) {
  const auto children = tree.Children(tree.root());
  AZ_CHECK(!children.empty()) << "the root was not evaluated";
  const int proven = ProvenForChooser(tree.root(), children);
  if (proven != kNotProven) thought.proven = proven;
  const Node& root = tree.root();
  thought.value = thought.proven
                      ? *thought.proven
                      : InViewOf(children[0].mover(), InViewOf(root.mover(), root.mean()));
  thought.moves.clear();
  for (const Node& child : children) {
    if (child.visits > 0) thought.moves.push_back(InfoOf(tree, child));
  }
  // Where every visited move turned out to lose, the best move is one without visits.
  if (std::ranges::find(thought.moves, thought.best, &MoveInfo::action) == thought.moves.end()) {
    const auto best = std::ranges::find(children, thought.best, &Node::action);
    AZ_CHECK(best != children.end());
    MoveInfo info = InfoOf(tree, *best);
    if (!info.proven) info.value = thought.value;
    thought.moves.push_back(std::move(info));
  }
  std::ranges::stable_sort(thought.moves, std::greater<>(), &MoveInfo::visits);
}

}  // namespace az
