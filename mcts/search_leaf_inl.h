#pragma once
// Definitions of Search<S>: from a leaf to a row, and from an answer to children. Included by
// mcts/search_inl.h.

#include <algorithm>
#include <cmath>
#include <functional>

#include "base/check.h"
#include "base/hash.h"
#include "mcts/prior_order.h"
#include "mcts/search.h"
#include "mcts/symmetry.h"

namespace az {

// Key and image in which the leaf is looked up and evaluated.
template <GameState S>
void Search<S>::ChooseImage(Leaf& leaf) {
  leaf.symmetry = 0;
  leaf.canonical = false;
  if (resources_.cache == nullptr && options_.symmetry == SymmetryMode::kNone) return;
  leaf.key = leaf.state.Hash();
  if constexpr (S::kNumSymmetries > 1) {
    if (options_.symmetry == SymmetryMode::kNone) {
      constexpr std::uint64_t kPlainKeys = 0x1DE2717;  // apart from answers of drawn images
      leaf.key = HashCombine(kPlainKeys, leaf.key);
      return;
    }
    if (options_.symmetry == SymmetryMode::kCanonical &&
        root_ply_ + leaf.depth < options_.canonical_plies) {
      ChooseCanonicalImage(leaf);
      return;
    }
    leaf.symmetry = HashedSymmetry(leaf.key, symmetry_salt_, S::kNumSymmetries);
  }
}

// The image whose planes are smallest is key and row, so that mirror images share an evaluation.
template <GameState S>
void Search<S>::ChooseCanonicalImage(Leaf& leaf) {
  using Planes = std::array<std::uint64_t, static_cast<std::size_t>(S::kShape.words())>;
  const SymmetryTable<S>& table = SymmetryTable<S>::Get();
  Planes own;
  leaf.state.Encode(own);
  Planes smallest = own;
  for (int symmetry = 1; symmetry < S::kNumSymmetries; ++symmetry) {
    Planes image;
    table.MapPlanes(own, symmetry, image);
    if (image >= smallest) continue;
    smallest = image;
    leaf.symmetry = symmetry;
  }
  constexpr std::uint64_t kCanonicalKeys = 0x5CA1AB1E;  // apart from the hashes of states
  std::uint64_t key = kCanonicalKeys;
  for (const std::uint64_t word : smallest) key = HashCombine(key, word);
  std::uint64_t legal = 0;  // planes need not show all that legality depends on
  leaf.state.LegalActions().ForEach([&](Action a) {
    legal ^= Mix64(static_cast<std::uint64_t>(table.MapAction(Index(a), leaf.symmetry)) + 1);
  });
  leaf.key = HashCombine(key, legal);
  leaf.canonical = true;
}

template <GameState S>
void Search<S>::WriteRow(const Leaf& leaf, EvalRow& row) {
  AZ_DCHECK(row.planes.size() == static_cast<std::size_t>(S::kShape.words()));
  if (leaf.symmetry == 0) {
    leaf.state.Encode(row.planes);
    return;
  }
  std::array<std::uint64_t, static_cast<std::size_t>(S::kShape.words())> planes;
  leaf.state.Encode(planes);
  SymmetryTable<S>::Get().MapPlanes(planes, leaf.symmetry, row.planes);
}

// Fills actions_ with the legal actions: rising, or for a canonical image rising in that image, so
// that the cache holds one order of logits for all mirror images.
template <GameState S>
void Search<S>::ListLegal(const Leaf& leaf) {
  num_legal_ = 0;
  leaf.state.LegalActions().ForEach(
      [&](Action a) { actions_[num_legal_++] = static_cast<std::uint16_t>(Index(a)); });
  if (!leaf.canonical || leaf.symmetry == 0) return;
  const SymmetryTable<S>& table = SymmetryTable<S>::Get();
  const auto image = [&](std::uint16_t a) { return table.MapAction(a, leaf.symmetry); };
  std::sort(actions_.begin(), actions_.begin() + static_cast<std::ptrdiff_t>(num_legal_),
            [&](std::uint16_t a, std::uint16_t b) { return image(a) < image(b); });
}

// Takes the legal actions' logits from a row, rounded as the cache stores them. False: the row is
// not usable.
template <GameState S>
bool Search<S>::ReadRow(const Leaf& leaf, const EvalRow& row, float& value) {
  AZ_DCHECK(row.logits.size() == std::size_t{S::kNumActions});
  constexpr float kSlack = 1e-3f;  // for rounding in the network's last layer
  value = *row.value;
  if (!(std::fabs(value) <= 1.0f + kSlack)) return false;
  value = std::clamp(value, -1.0f, 1.0f);
  if (leaf.symmetry == 0) {
    num_legal_ = 0;
    leaf.state.LegalActions().ForEach([&](Action a) {
      actions_[num_legal_] = static_cast<std::uint16_t>(Index(a));
      priors_[num_legal_++] = row.logits[static_cast<std::size_t>(Index(a))];
    });
  } else {
    ListLegal(leaf);
    const SymmetryTable<S>& table = SymmetryTable<S>::Get();
    for (std::size_t i = 0; i < num_legal_; ++i) {
      const int image = table.MapAction(actions_[i], leaf.symmetry);
      priors_[i] = row.logits[static_cast<std::size_t>(image)];
    }
  }
  return RoundToBfloat16(std::span(priors_.data(), num_legal_));
}

template <GameState S>
bool Search<S>::ExpandFromCache(const Leaf& leaf) {
  ListLegal(leaf);
  float value = 0.0f;
  if (!resources_.cache->Find(cache_model_, leaf.key, std::span(priors_.data(), num_legal_),
                              value)) {
    return false;
  }
  ++cache_hits_;
  Expand(leaf, value);
  return true;
}

// Puts actions_ and priors_ in the order of the children. Where all priors are equal they are in it
// already, unless the actions rise in a canonical image.
template <GameState S>
void Search<S>::OrderChildren(const Leaf& leaf) {
  const std::span<float> priors(priors_.data(), num_legal_);
  if (!leaf.canonical && std::is_sorted(priors.begin(), priors.end(), std::greater<>())) return;
  OrderByPrior<kMaxLegal>(priors, std::span(actions_.data(), num_legal_));
}

// Gives the leaf its children from actions_ and priors_ (still logits) and backs its value up, view
// of its side to move. Without room for the children the evaluation is dropped, so that every
// visited node is expanded or finished.
template <GameState S>
void Search<S>::Expand(const Leaf& leaf, float value) {
  if (!tree_.HasRoomFor(static_cast<int>(num_legal_))) {
    ran_out_of_nodes_ = true;
    return;
  }
  Softmax(std::span(priors_.data(), PaddedToLanes(num_legal_)), num_legal_);
  OrderChildren(leaf);
  const Player chooser = leaf.state.ToMove();
  const Node fresh = Node::Fresh(leaf.node, chooser);
  const std::span<Node> children = tree_.AddChildren(leaf.node, static_cast<int>(num_legal_));
  for (std::size_t i = 0; i < children.size(); ++i) {
    children[i] = fresh;
    children[i].prior = priors_[i];
    children[i].action = static_cast<Action>(actions_[i]);
  }
  EndSimulation(leaf.node, InViewOf(chooser, value));
  if (leaf.node != kRootNode) return;
  root_network_value_ = value;
  PrepareRoot();
}

}  // namespace az
