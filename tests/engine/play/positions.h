#pragma once
// Positions of random games, and thoughts side by side.

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "base/rng.h"
#include "engine/play/thinker.h"
#include "games/game_ops.h"

namespace az::testing {

// Moves of a random game that is cut at a random ply before its end.
inline std::vector<Action> RandomMoves(const GameOps& game, Rng rng) {
  std::vector<Action> moves;
  const auto position = game.Start();
  while (!position->FinalOutcome()) {
    const std::vector<Action> legal = position->LegalActions();
    moves.push_back(legal[rng.Below(legal.size())]);
    EXPECT_TRUE(position->Apply(moves.back()));
  }
  moves.resize(rng.Below(moves.size()));
  return moves;
}

// All but the time it took.
inline void ExpectSame(const Thought& a, const Thought& b, const std::string& where) {
  EXPECT_EQ(a.best, b.best) << where;
  EXPECT_EQ(a.value, b.value) << where;
  EXPECT_EQ(a.proven, b.proven) << where;
  EXPECT_EQ(a.raw_value, b.raw_value) << where;
  EXPECT_EQ(a.raw_policy, b.raw_policy) << where;
  EXPECT_EQ(a.simulations, b.simulations) << where;
  ASSERT_EQ(a.moves.size(), b.moves.size()) << where;
  for (std::size_t i = 0; i < a.moves.size(); ++i) {
    EXPECT_EQ(a.moves[i].action, b.moves[i].action) << where;
    EXPECT_EQ(a.moves[i].visits, b.moves[i].visits) << where;
    EXPECT_EQ(a.moves[i].value, b.moves[i].value) << where;
    EXPECT_EQ(a.moves[i].variation, b.moves[i].variation) << where;
  }
}

}  // namespace az::testing
