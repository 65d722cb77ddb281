#pragma once
// Definitions of Search<S>. Included by mcts/instances_*.cc and by tests with games of their own.

#include <algorithm>
#include <bit>
#include <cmath>

#include "base/check.h"
#include "base/hash.h"
#include "mcts/backup.h"
#include "mcts/bounds.h"
#include "mcts/root_noise.h"
#include "mcts/search.h"
#include "mcts/symmetry.h"

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
      visits_(static_cast<std::uint32_t>(visits)),
      run_seed_(run_seed),
      resources_(resources),
      puct_(options, visits),
      tree_(resources.max_nodes > 0 ? resources.max_nodes : NodesFor(visits)) {
  AZ_CHECK_GT(visits, 0);
  AZ_CHECK_GT(tree_.capacity(), static_cast<std::uint32_t>(kMaxLegal)) << "no room for one move";
}

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

template <GameState S>
NodeId Search<S>::FindBelowRoot(const S& state) const {
  const auto children = RootChildren();
  const auto id_of = [](const Node& parent, std::size_t i) {
    return NodeId{Index(parent.first_child) + static_cast<std::uint32_t>(i)};
  };
  for (std::size_t i = 0; i < children.size(); ++i) {
    if (!children[i].is_expanded()) continue;
    S after = root_state_;
    after.Apply(children[i].action);
    if (after == state) return id_of(tree_.root(), i);
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
      if (after_both == state) return id_of(child, i);
    }
  }
  return kNoNode;
}

template <GameState S>
void Search<S>::SetRoot(const S& state, Rng rng) {
  AZ_CHECK(!state.Result().has_value()) << "the game is over";
  if (!has_model_) SetModel(0, 0);
  Abandon();
  const bool may_keep = has_root_ && options_.tree_reuse && tree_.root().is_expanded();
  const NodeId kept = may_keep ? FindBelowRoot(state) : kNoNode;
  if (kept != kNoNode && (!model_changed_ || tree_[kept].is_proven())) {
    tree_.MoveRootTo(kept, resources_.scratch != nullptr ? *resources_.scratch : own_scratch_);
  } else {
    tree_.Reset(Opponent(state.ToMove()));
  }
  root_state_ = state;
  rng_ = rng;
  has_root_ = true;
  model_changed_ = false;
  failed_ = false;
  ran_out_of_nodes_ = false;
  simulations_ = rows_ = cache_hits_ = 0;
  if (tree_.root().is_expanded()) {
    root_network_value_ = OwnValueOfRoot();
    PrepareRoot();
  }
}

// The root's own evaluation, from W = own + sum of the children's W in the root's view. Lost when
// the root is proven.
template <GameState S>
float Search<S>::OwnValueOfRoot() const {
  const Node& root = tree_.root();
  const int proven = ProvenAtRoot();
  if (proven != kNotProven) return static_cast<float>(proven);
  double own = InViewOf(root_state_.ToMove(), InViewOf(root.mover(), root.value_sum));
  for (const Node& child : RootChildren()) {
    own -= InViewOf(root_state_.ToMove(), InViewOf(child.mover(), child.value_sum));
  }
  return static_cast<float>(std::clamp(own, -1.0, 1.0));
}

// Raw priors become those of a self-play root. The children stay in the order of the raw priors.
template <GameState S>
void Search<S>::PrepareRoot() {
  if (mode_ != SearchMode::kSelfPlay || tree_.root().is_proven()) return;
  const std::span<Node> children = tree_.Children(tree_.root());
  const std::span<float> priors(priors_.data(), children.size());
  for (std::size_t i = 0; i < children.size(); ++i) priors[i] = children[i].prior;
  if (options_.root_temperature != 1.0f) ApplyRootTemperature(priors, options_.root_temperature);
  if (options_.noise_fraction > 0.0f) {
    std::array<double, kMaxLegal> scratch;
    AddRootNoise(priors, {.fraction = options_.noise_fraction, .total = options_.noise_total}, rng_,
                 std::span(scratch.data(), children.size()));
  }
  for (std::size_t i = 0; i < children.size(); ++i) children[i].prior = priors[i];
}

template <GameState S>
bool Search<S>::Done() const {
  AZ_CHECK(has_root_) << "SetRoot comes first";
  if (failed_ || ran_out_of_nodes_) return true;
  const Node& root = tree_.root();
  if (!root.is_expanded()) return false;
  return root.visits > visits_ || root.num_children == 1 || root.is_proven();
}

// Walks from the root to a node without children or with a proven value; leaf_state_ becomes its
// position.
template <GameState S>
NodeId Search<S>::Descend() {
  leaf_state_ = root_state_;
  SelectRule rule{.fpu_reduction = options_.fpu_reduction, .use_bounds = options_.solver};
  SelectRule root_rule = rule;
  if (mode_ == SearchMode::kSelfPlay) {
    root_rule.scan_all = true;  // noise and temperature changed the priors, not the order
    if (options_.noise_fraction > 0.0f) root_rule.fpu_reduction = 0.0f;
  }
  NodeId id = kRootNode;
  const Node* node = &tree_.root();
  while (node->is_expanded() && !node->is_proven()) {
    const auto children = tree_.Children(*node);
    const int best = SelectChild(*node, children, puct_, id == kRootNode ? root_rule : rule);
    id = NodeId{Index(node->first_child) + static_cast<std::uint32_t>(best)};
    node = &children[static_cast<std::size_t>(best)];
    leaf_state_.Apply(node->action);
  }
  return id;
}

// Ends the simulation without a row when the leaf's value is known.
template <GameState S>
bool Search<S>::FinishIfOver(NodeId leaf) {
  Node& node = tree_[leaf];
  if (node.is_proven()) {
    BackUp(tree_, leaf, InViewOf(node.mover(), node.bounds().lo));
    return true;
  }
  const auto outcome = leaf_state_.Result();
  if (!outcome.has_value()) return false;
  const auto value = static_cast<std::int8_t>(ValueFor(*outcome, node.mover()));
  node.set_finished();
  BackUp(tree_, leaf, static_cast<double>(static_cast<int>(*outcome)));
  if (options_.solver) {
    SetBounds(tree_, leaf, {value, value});
  } else {
    node.set_bounds({value, value});
  }
  return true;
}

template <GameState S>
int Search<S>::Gather(std::span<EvalRow> rows) {
  if (rows.empty() || row_is_out_) return 0;
  for (int free = 0; free < kMaxFreeSimulations && !Done(); ++free) {
    leaf_ = Descend();
    if (FinishIfOver(leaf_)) {
      ++simulations_;
      continue;
    }
    if (resources_.cache != nullptr || options_.symmetry != SymmetryMode::kNone) leaf_hash_ = leaf_state_.Hash();
    if (resources_.cache != nullptr && ExpandFromCache(leaf_)) continue;
    WriteRow(rows[0]);
    row_is_out_ = true;
    return 1;
  }
  return 0;
}

template <GameState S>
void Search<S>::WriteRow(EvalRow& row) {
  AZ_DCHECK(row.planes.size() == static_cast<std::size_t>(S::kShape.words()));
  leaf_symmetry_ = 0;
  if constexpr (S::kNumSymmetries > 1) {
    if (options_.symmetry != SymmetryMode::kNone) {
      leaf_symmetry_ = HashedSymmetry(leaf_hash_, symmetry_salt_, S::kNumSymmetries);
    }
  }
  if (leaf_symmetry_ == 0) {
    leaf_state_.Encode(row.planes);
    return;
  }
  std::array<std::uint64_t, static_cast<std::size_t>(S::kShape.words())> planes;
  leaf_state_.Encode(planes);
  SymmetryTable<S>::Get().MapPlanes(planes, leaf_symmetry_, row.planes);
}

// Takes the legal actions' logits from a row, rounded as the cache stores them. False: the row is
// not usable.
template <GameState S>
bool Search<S>::ReadRow(const EvalRow& row, float& value) {
  AZ_DCHECK(row.logits.size() == kMaxLegal);
  constexpr float kSlack = 1e-3f;  // of rounding in the network's last layer
  value = *row.value;
  if (!(std::fabs(value) <= 1.0f + kSlack)) return false;
  value = std::clamp(value, -1.0f, 1.0f);
  num_legal_ = 0;
  const auto take = [&](Action a, float logit) {
    actions_[num_legal_] = static_cast<std::uint16_t>(Index(a));
    priors_[num_legal_++] = logit;
  };
  if (leaf_symmetry_ == 0) {
    leaf_state_.LegalActions().ForEach(
        [&](Action a) { take(a, row.logits[static_cast<std::size_t>(Index(a))]); });
  } else {
    const SymmetryTable<S>& table = SymmetryTable<S>::Get();
    leaf_state_.LegalActions().ForEach([&](Action a) {
      const int image = table.MapAction(Index(a), leaf_symmetry_);
      take(a, row.logits[static_cast<std::size_t>(image)]);
    });
  }
  return RoundToBfloat16(std::span(priors_.data(), num_legal_));
}

template <GameState S>
void Search<S>::Absorb(std::span<const EvalRow> rows) {
  AZ_CHECK_EQ(rows.size(), row_is_out_ ? 1u : 0u);
  if (rows.empty()) return;
  row_is_out_ = false;
  float value = 0.0f;
  if (!ReadRow(rows[0], value)) {
    failed_ = true;
    return;
  }
  ++rows_;
  if (resources_.cache != nullptr) {
    resources_.cache->Store(cache_model_, leaf_hash_, std::span(priors_.data(), num_legal_), value);
  }
  Expand(leaf_, value);
}

template <GameState S>
bool Search<S>::ExpandFromCache(NodeId leaf) {
  num_legal_ = 0;
  leaf_state_.LegalActions().ForEach(
      [&](Action a) { actions_[num_legal_++] = static_cast<std::uint16_t>(Index(a)); });
  float value = 0.0f;
  if (!resources_.cache->Find(cache_model_, leaf_hash_, std::span(priors_.data(), num_legal_),
                              value)) {
    return false;
  }
  ++cache_hits_;
  Expand(leaf, value);
  return true;
}

// Gives the leaf its children from actions_ and priors_ (still logits) and backs its value up, view
// of its side to move. Without room for the children the evaluation is dropped, so that every
// visited node is expanded or finished.
template <GameState S>
void Search<S>::Expand(NodeId leaf, float value) {
  if (!tree_.HasRoomFor(static_cast<int>(num_legal_))) {
    ran_out_of_nodes_ = true;
    return;
  }
  Softmax(std::span(priors_.data(), PaddedToLanes(num_legal_)), num_legal_);
  OrderByPrior();
  const Player chooser = leaf_state_.ToMove();
  const Node blank{.value_sum = 0.0,
                   .prior = 0.0f,
                   .visits = 0,
                   .first_child = kNoNode,
                   .parent = leaf,
                   .num_children = 0,
                   .reserved = 0,
                   .action = Action{0},
                   .flags = Node::OpenFlags(chooser),
                   .unused = 0};
  const std::span<Node> children = tree_.AddChildren(leaf, static_cast<int>(num_legal_));
  for (std::size_t i = 0; i < children.size(); ++i) {
    children[i] = blank;
    children[i].prior = priors_[i];
    children[i].action = static_cast<Action>(actions_[i]);
  }
  BackUp(tree_, leaf, InViewOf(chooser, value));
  if (leaf != kRootNode) {
    ++simulations_;
    return;
  }
  root_network_value_ = value;  // the root's own evaluation comes on top of the visits asked for
  PrepareRoot();
}

// Sorts actions_ and priors_ by falling prior, ties by rising action.
template <GameState S>
void Search<S>::OrderByPrior() {
  const std::span<float> priors(priors_.data(), num_legal_);
  if (std::is_sorted(priors.begin(), priors.end(), std::greater<>())) return;
  std::array<std::uint64_t, kMaxLegal>
      keys;  // priors are not negative: their bits are ordered as they are
  for (std::size_t i = 0; i < num_legal_; ++i) {
    keys[i] = static_cast<std::uint64_t>(std::bit_cast<std::uint32_t>(priors[i])) << 16 |
              static_cast<std::uint16_t>(~actions_[i]);
  }
  std::sort(keys.begin(), keys.begin() + static_cast<std::ptrdiff_t>(num_legal_), std::greater<>());
  for (std::size_t i = 0; i < num_legal_; ++i) {
    priors[i] = std::bit_cast<float>(static_cast<std::uint32_t>(keys[i] >> 16));
    actions_[i] = static_cast<std::uint16_t>(~keys[i]);
  }
}

template <GameState S>
float Search<S>::RootValue(int proven) const {
  if (proven != kNotProven) return static_cast<float>(proven);
  const Node& root = tree_.root();
  return static_cast<float>(InViewOf(root_state_.ToMove(), InViewOf(root.mover(), root.mean())));
}

template <GameState S>
SearchReport Search<S>::Report() const {
  AZ_CHECK(has_root_ && tree_.root().is_expanded()) << "the root was not evaluated";
  const int proven = ProvenAtRoot();
  SearchReport report;
  for (const Node& child : RootChildren()) {
    if (child.visits > 0) report.visits.emplace_back(child.action, child.visits);
  }
  std::sort(report.visits.begin(), report.visits.end());
  report.target = MakePolicyTarget(RootChildren(), proven);
  report.root_value = RootValue(proven);
  report.network_value = root_network_value_;
  report.proven = proven;
  for (const Node* node = &tree_.root(); node->is_expanded();) {
    const auto children = tree_.Children(*node);
    node =
        &children[static_cast<std::size_t>(BestChild(children, ProvenForChooser(*node, children)))];
    if (node->visits == 0) break;
    report.principal_variation.push_back(node->action);
  }
  report.simulations = simulations_;
  report.rows = rows_;
  report.cache_hits = cache_hits_;
  report.ran_out_of_nodes = ran_out_of_nodes_;
  return report;
}

template <GameState S>
Action Search<S>::ChooseMove(float temperature, Rng& rng) const {
  AZ_CHECK(has_root_ && tree_.root().is_expanded()) << "the root was not evaluated";
  const auto children = RootChildren();
  const int drawn = DrawChild(children, ProvenAtRoot(), temperature, rng);
  return children[static_cast<std::size_t>(drawn)].action;
}

}  // namespace az
