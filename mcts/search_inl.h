#pragma once
// Definitions of Search<S>: from the root to the end of a search. Included by mcts/instances_*.cc
// and by tests with games of their own.

#include <algorithm>

#include "base/check.h"
#include "mcts/backup.h"
#include "mcts/bounds.h"
#include "mcts/node_bytes.h"
#include "mcts/search.h"
#include "mcts/search_descent_inl.h"
#include "mcts/search_leaf_inl.h"
#include "mcts/search_reuse_inl.h"
#include "mcts/search_root_inl.h"

namespace az {

template <GameState S>
std::uint32_t Search<S>::NodesFor(int visits) {
  constexpr std::uint64_t kMost = Index(kNoNode) - 1;
  const std::uint64_t expansions = static_cast<std::uint64_t>(visits) + 1;
  return static_cast<std::uint32_t>(std::min(kMost, 1 + expansions * kMaxLegal));
}

template <GameState S>
Search<S>::Search(const SearchOptions& options, SearchMode mode, int visits, std::uint64_t run_seed,
                  Resources resources)
    : options_(options),
      mode_(mode),
      visits_(visits),
      run_seed_(run_seed),
      resources_(resources),
      puct_(options, options.MostVisits(visits, mode)),
      tree_(resources.max_nodes > 0 ? resources.max_nodes
                                    : NodesFor(options.MostVisits(visits, mode)),
            SquaresOf(options)),
      node_bytes_(NodeBytes(options)),
      gumbel_(options.gumbel, UsesGumbelRoot(options, visits) ? S::kNumActions : 0) {
  AZ_CHECK_GT(visits, 0);
  AZ_CHECK_GT(options.max_in_flight, 0);
  AZ_CHECK_GT(tree_.capacity(), static_cast<std::uint32_t>(kMaxLegal)) << "no room for one move";
  leaves_.resize(static_cast<std::size_t>(options.max_in_flight));
  if (options.gumbel.full) {
    improved_priors_.resize(kMaxLegal);
    improved_policy_.resize(kMaxLegal);
  }
}

template <GameState S>
void Search<S>::SetRoot(const S& state, Rng rng, RootTask task, std::span<const Action> moves) {
  AZ_CHECK(!state.Result().has_value()) << "the game is over";
  AZ_CHECK_LE(task.visits, visits_) << "the tree has no room for so many";
  if (!has_model_) SetModel(0, 0);
  Abandon();
  course_ = CourseOf(options_, mode_, visits_, task);
  BeginTree(state, moves);
  root_state_ = state;
  root_ply_ = task.ply;
  rng_ = rng;
  has_root_ = true;
  model_changed_ = false;
  failed_ = false;
  ran_out_of_nodes_ = false;
  simulations_ = rows_ = cache_hits_ = 0;
  if (!tree_.root().is_expanded()) return;
  course_.uses_gumbel = false;  // a proof is all it keeps, and a proof is played out
  course_.target_visits = course_.TargetAbove(tree_.root().visits - 1);
  root_network_value_ = OwnValueOfRoot();
  PrepareRoot();
}

template <GameState S>
bool Search<S>::Done() const {
  AZ_CHECK(has_root_) << "SetRoot comes first";
  if (!course_.is_plain) [[unlikely]] {
    return num_out_ == 0 && !MayStart();
  }
  return !MayStart();
}

// Whether the search wants another simulation.
template <GameState S>
bool Search<S>::MayStart() const {
  if (failed_ || ran_out_of_nodes_) return false;
  const Node& root = tree_.root();
  if (!root.is_expanded()) return true;
  if (root.num_children == 1) return false;
  if (!course_.is_plain) [[unlikely]] {
    // A round is begun as a whole: a proof ends the search only between rounds.
    if (course_.uses_gumbel) return gumbel_.RoundIsOpen();
    if (root.is_proven()) return false;
    const std::uint32_t visits = root.visits + static_cast<std::uint32_t>(num_out_);
    if (visits > course_.target_visits) return false;
    return !course_.may_stop ||
           !IsDecided(RootChildren(), ProvenAtRoot(), course_.target_visits + 1 - visits);
  }
  return root.visits <= course_.target_visits && !root.is_proven();
}

// Ends the simulation without a row when the leaf's value is known.
template <GameState S>
bool Search<S>::FinishIfOver(const Leaf& leaf) {
  Node& node = tree_[leaf.node];
  if (node.is_proven()) {
    EndSimulation(leaf.node, InViewOf(node.mover(), node.bounds().lo));
    return true;
  }
  const auto outcome = leaf.state.Result();
  if (!outcome.has_value()) return false;
  const auto value = static_cast<std::int8_t>(ValueFor(*outcome, node.mover()));
  node.set_finished();
  EndSimulation(leaf.node, static_cast<double>(static_cast<int>(*outcome)));
  if (options_.solver) {
    SetBounds(tree_, leaf.node, {value, value});
  } else {
    node.set_bounds({value, value});
  }
  return true;
}

// Counts a simulation and its value, first player's view.
template <GameState S>
void Search<S>::EndSimulation(NodeId leaf, double value) {
  BackUp(tree_, leaf, value);
  if (leaf != kRootNode) ++simulations_;  // the root's own evaluation comes on top
  if (!course_.is_plain && options_.c_puct_stdev_scale > 0.0f) [[unlikely]] {
    BackUpSquare(tree_, leaf, value);
  }
}

// Ends the round of a Gumbel root when all of it is backed up.
template <GameState S>
void Search<S>::EndRound() {
  Node& root = tree_.root();
  if (!root.is_expanded()) return;
  if (root.is_proven()) {  // simulations of the round may have come after the proof
    root.value_sum = static_cast<double>(root.visits) * root.bounds().lo;
  }
  if (gumbel_.RoundIsOpen() || gumbel_.Done() || num_out_ > 0) return;
  if (root.is_proven()) {
    gumbel_.Stop();
  } else {
    gumbel_.EndRound(RootChildren());
  }
}

template <GameState S>
int Search<S>::Gather(std::span<EvalRow> rows) {
  if (num_out_ > 0) return 0;
  const std::size_t most = std::min(rows.size(), leaves_.size());
  for (int free = 0; free < kMaxFreeSimulations && num_out_ < most && MayStart(); ++free) {
    Leaf& leaf = leaves_[num_out_];
    if (course_.is_plain) {
      Descend(leaf);
    } else if (!DescendBySpecialRules(leaf)) {
      break;
    }
    bool ended = FinishIfOver(leaf);
    if (!ended) {
      ChooseImage(leaf);
      ended = resources_.cache != nullptr && ExpandFromCache(leaf);
    }
    if (!ended) {
      WriteRow(leaf, rows[num_out_]);
      ++num_out_;
      if (leaves_.size() > 1) CountInFlight(tree_, leaf.node, +1);
    } else if (course_.uses_gumbel) {
      EndRound();
    }
  }
  return static_cast<int>(num_out_);
}

template <GameState S>
void Search<S>::Absorb(std::span<const EvalRow> rows) {
  AZ_CHECK_EQ(rows.size(), num_out_);
  if (rows.empty()) return;
  for (std::size_t i = 0; i < rows.size() && leaves_.size() > 1; ++i) {
    CountInFlight(tree_, leaves_[i].node, -1);
  }
  num_out_ = 0;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const Leaf& leaf = leaves_[i];
    float value = 0.0f;
    if (!ReadRow(leaf, rows[i], value)) {
      failed_ = true;
      return;
    }
    ++rows_;
    if (resources_.cache != nullptr) {
      resources_.cache->Store(cache_model_, leaf.key, std::span(priors_.data(), num_legal_), value);
    }
    // Nothing came between row and answer.
    const bool alone = leaves_.size() == 1 || course_.uses_gumbel;
    if (alone || !BackUpIfProven(leaf.node)) Expand(leaf, value);
  }
  if (course_.uses_gumbel) EndRound();
}

// A node above the leaf was proven while the row was out: its value counts instead.
template <GameState S>
bool Search<S>::BackUpIfProven(NodeId leaf) {
  NodeId proven = kNoNode;
  for (NodeId id = leaf; id != kNoNode; id = tree_[id].parent) {
    if (tree_[id].is_proven()) proven = id;
  }
  if (proven == kNoNode) return false;
  EndSimulation(proven, InViewOf(tree_[proven].mover(), tree_[proven].bounds().lo));
  return true;
}

template <GameState S>
void Search<S>::Abandon() {
  for (std::size_t i = 0; i < num_out_; ++i) {
    if (leaves_.size() > 1) CountInFlight(tree_, leaves_[i].node, -1);
    if (course_.uses_gumbel && leaves_[i].node != kRootNode) gumbel_.TakeBack(leaves_[i].candidate);
  }
  num_out_ = 0;
}

}  // namespace az
