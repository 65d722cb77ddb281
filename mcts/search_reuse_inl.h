#pragma once
// Definitions of Search<S>: what is kept from one search to the next. Included by
// mcts/search_inl.h.

#include <algorithm>

#include "base/hash.h"
#include "mcts/search.h"

namespace az {

template <GameState S>
void Search<S>::SetModel(std::uint64_t model_key, std::uint64_t weights_version) {
  if (has_model_ && model_key == model_key_ && weights_version == weights_version_) return;
  model_changed_ = has_root_;
  has_model_ = true;
  model_key_ = model_key;
  weights_version_ = weights_version;
  symmetry_salt_ = HashCombine(run_seed_, weights_version);
  if (resources_.cache != nullptr) {
    cache_model_ = resources_.cache->SetCurrent(model_key, weights_version);
  }
}

template <GameState S>
void Search<S>::Clear() {
  Abandon();
  has_root_ = false;
  model_changed_ = false;
}

// The subtree of the new root where it may be kept, else an empty tree.
template <GameState S>
void Search<S>::BeginTree(const S& state, std::span<const Action> moves) {
  const bool may_keep =
      (options_.tree_reuse || options_.solver) && has_root_ && tree_.root().is_expanded();
  const NodeId kept = !may_keep       ? kNoNode
                      : moves.empty() ? FindBelowRoot(state)
                                      : FollowMoves(state, moves);
  const bool keeps_open_trees = options_.tree_reuse && !model_changed_ && !course_.uses_gumbel;
  if (kept != kNoNode && (keeps_open_trees || tree_[kept].is_proven())) {
    tree_.MoveRootTo(kept, resources_.scratch != nullptr ? *resources_.scratch : own_scratch_);
  } else {
    tree_.Reset(Opponent(state.ToMove()));
  }
}

template <GameState S>
NodeId Search<S>::FindBelowRoot(const S& state) const {
  const auto children = RootChildren();
  for (std::size_t i = 0; i < children.size(); ++i) {
    if (!children[i].is_expanded()) continue;
    S after = root_state_;
    after.Apply(children[i].action);
    if (after == state) return ChildId(tree_.root(), i);
  }
  for (const Node& child : children) {
    if (!child.is_expanded()) continue;
    S after = root_state_;
    after.Apply(child.action);
    const auto grandchildren = tree_.Children(child);
    for (std::size_t i = 0; i < grandchildren.size(); ++i) {
      if (!grandchildren[i].is_expanded()) continue;
      S after_both = after;
      after_both.Apply(grandchildren[i].action);
      if (after_both == state) return ChildId(child, i);
    }
  }
  return kNoNode;
}

template <GameState S>
NodeId Search<S>::FollowMoves(const S& state, std::span<const Action> moves) const {
  NodeId id = kRootNode;
  S after = root_state_;
  for (const Action move : moves) {
    const auto children = tree_.Children(tree_[id]);
    const auto played = std::ranges::find(children, move, &Node::action);
    if (played == children.end() || !played->is_expanded()) return kNoNode;
    after.Apply(move);
    id = ChildId(tree_[id], static_cast<std::size_t>(played - children.begin()));
  }
  return after == state ? id : kNoNode;
}

}  // namespace az
