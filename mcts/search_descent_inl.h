#pragma once
// Definitions of Search<S>: the way of a simulation from the root to a leaf. Included by
// mcts/search_inl.h.

#include "mcts/gumbel_root.h"
#include "mcts/policy_target.h"
#include "mcts/search.h"
#include "mcts/select.h"

namespace az {

// Walks from the root to a node without children or with a proven value.
template <GameState S>
void Search<S>::Descend(Leaf& leaf) {
  leaf.state = root_state_;
  NodeId id = kRootNode;
  const Node* node = &tree_.root();
  while (node->is_expanded() && !node->is_proven()) {
    const auto children = tree_.Children(*node);
    const SelectRule rule = id == kRootNode ? course_.root_rule : course_.rule;
    const auto best = static_cast<std::size_t>(SelectChild(*node, children, puct_, rule));
    id = ChildId(*node, best);
    node = &children[best];
    leaf.state.Apply(node->action);
  }
  leaf.node = id;
}

// The same with everything that PUCT alone does not have. False: the leaf waits for a row already.
template <GameState S>
bool Search<S>::DescendBySpecialRules(Leaf& leaf) {
  leaf.state = root_state_;
  leaf.depth = 0;
  NodeId id = kRootNode;
  const Node* node = &tree_.root();
  const auto is_gumbel_root = [&] { return course_.uses_gumbel && id == kRootNode; };
  // A round of a Gumbel root goes on to its end after a proof.
  while (node->is_expanded() && (!node->is_proven() || is_gumbel_root())) {
    const auto children = tree_.Children(*node);
    std::size_t best = 0;
    if (is_gumbel_root()) {
      best = leaf.candidate = gumbel_.Next();
    } else {
      best = static_cast<std::size_t>(SelectSpecially(id, children));
    }
    id = ChildId(*node, best);
    node = &children[best];
    leaf.state.Apply(node->action);
    ++leaf.depth;
  }
  leaf.node = id;
  return node->in_flight == 0 || node->is_proven();
}

template <GameState S>
int Search<S>::SelectSpecially(NodeId id, std::span<const Node> children) {
  const Node& parent = tree_[id];
  const SelectRule rule = id == kRootNode ? course_.root_rule : course_.rule;
  if (course_.uses_gumbel && options_.gumbel.full) {
    return SelectImproved(parent, children, options_.gumbel, {improved_priors_, improved_policy_});
  }
  if (id == kRootNode && course_.explores && options_.forced_playouts > 0.0f) {
    const int forced = ForcedChild(children, options_.forced_playouts);
    if (forced >= 0) return forced;
  }
  if (parent.in_flight > 0) {
    return SelectInFlight(parent, children, Exploration(id), rule,
                          {options_.in_flight_rule, options_.virtual_loss});
  }
  return SelectChildWith(parent, children, puct_, Exploration(id), rule);
}

// c(x) sqrt(N(x)) of a node, as every option together makes it. Rows in flight count as visits.
template <GameState S>
float Search<S>::Exploration(NodeId id) const {
  const Node& node = tree_[id];
  const float exploration = puct_.Exploration(node.visits + node.in_flight);
  if (options_.c_puct_stdev_scale <= 0.0f) return exploration;
  return exploration * StdevFactor(node, tree_.squares(id), options_.c_puct_stdev_scale);
}

}  // namespace az
