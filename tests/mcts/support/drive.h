#pragma once
// Runs a search against an evaluator that is a function, and checks the sums of a tree. For tests
// of mcts.

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <span>
#include <vector>

#include "base/hash.h"
#include "base/rng.h"
#include "mcts/search.h"
#include "mcts/uniform_rows.h"

namespace az {

// Memory for one row of a game.
template <GameState S>
struct OneRow {
  std::array<std::uint64_t, static_cast<std::size_t>(S::kShape.words())> planes{};
  std::array<float, S::kNumActions> logits{};
  float value = 0.0f;
  EvalRow row() { return {.planes = planes, .logits = logits, .value = &value}; }
};

// Calls answer(row) for every row until the search is done.
template <GameState S, class Answer>
void RunSearch(Search<S>& search, Answer&& answer) {
  OneRow<S> memory;
  std::array<EvalRow, 1> rows = {memory.row()};
  while (!search.Done()) {
    const int gathered = search.Gather(rows);
    ASSERT_LE(gathered, 1);
    if (gathered == 1) answer(rows[0]);
    search.Absorb(std::span<const EvalRow>(rows).first(static_cast<std::size_t>(gathered)));
  }
}

// The same with up to `count` rows a Gather; returns the most that waited at a time.
template <GameState S, class Answer>
int RunSearchWithRows(Search<S>& search, int count, Answer&& answer) {
  std::vector<OneRow<S>> memory(static_cast<std::size_t>(count));
  std::vector<EvalRow> rows;
  for (OneRow<S>& one : memory) rows.push_back(one.row());
  int most = 0;
  while (!search.Done()) {
    const int gathered = search.Gather(rows);
    most = std::max(most, gathered);
    for (int i = 0; i < gathered; ++i) answer(rows[static_cast<std::size_t>(i)]);
    search.Absorb(std::span<const EvalRow>(rows).first(static_cast<std::size_t>(gathered)));
  }
  return most;
}

inline void AnswerUniform(EvalRow& row) { FillUniform(std::span(&row, 1)); }

// Logits and value that look like noise but depend on the planes alone, as a network's do.
inline void AnswerByHash(EvalRow& row) {
  std::uint64_t hash = 0;
  for (const std::uint64_t word : row.planes) hash = HashCombine(hash, word);
  Rng rng(hash);
  for (float& logit : row.logits) logit = static_cast<float>(2.0 * rng.Uniform() - 1.0);
  *row.value = static_cast<float>(1.6 * rng.Uniform() - 0.8);
}

// What must hold between an expanded node and its children: N = 1 + sum N(children), priors sum to
// 1, W = own + signed sum of W(children) with |own| <= 1. A proven node has W = N z instead, and
// visits of its own. Everywhere |W| <= N.
inline void ExpectConsistent(const Tree& tree) {
  for (std::uint32_t i = 0; i < tree.size(); ++i) {
    const Node& node = tree[NodeId{i}];
    EXPECT_LE(std::fabs(node.value_sum), node.visits + 1e-6);
    if (tree.has_squares() && node.visits > 0) {
      EXPECT_GE(tree.squares(NodeId{i}), node.value_sum * node.value_sum / node.visits - 1e-6);
      EXPECT_LE(tree.squares(NodeId{i}), node.visits + 1e-6);
    }
    EXPECT_EQ(node.in_flight, 0) << "of an idle search";
    if (node.is_proven()) {
      EXPECT_NEAR(node.value_sum, static_cast<double>(node.visits) * node.bounds().lo, 1e-9);
    }
    if (node.visits == 0) {
      EXPECT_FALSE(node.is_expanded());
    }
    if (!node.is_expanded()) continue;
    std::uint32_t visits = 1;
    double sum = 0.0;
    double priors = 0.0;
    for (const Node& child : tree.Children(node)) {
      visits += child.visits;
      sum += child.mover() == node.mover() ? child.value_sum : -child.value_sum;
      priors += static_cast<double>(child.prior);
      ASSERT_EQ(Index(child.parent), i);
    }
    if (node.is_proven()) {
      EXPECT_GE(node.visits, visits);  // later simulations ended here
      continue;
    }
    EXPECT_EQ(node.visits, visits);
    EXPECT_NEAR(priors, 1.0, 1e-5);
    EXPECT_LE(std::fabs(node.value_sum - sum), 1.0 + 1e-6);
  }
}

template <GameState S>
S After(std::initializer_list<int> actions) {
  S state;
  for (const int a : actions) state.Apply(static_cast<Action>(a));
  return state;
}

}  // namespace az
