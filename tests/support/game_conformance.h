#pragma once
// The conformance kit: what games/game.h promises, checked on random games.
// tests/games/conformance_test.cc runs it on every entry of the registry; a new game gets it for
// being there. Not the rules themselves: those are perft, hand tests and statistics.

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "base/rng.h"
#include "games/game.h"
#include "games/game_ops.h"
#include "tests/support/random_play.h"

namespace az::testing {

// What the kit cannot read off the state type.
struct GameFacts {
  bool may_draw = false;
  bool one_stone_a_ply = false;  // every action adds a stone of the mover and takes none away
};

template <GameState S>
using Planes = std::array<std::uint64_t, static_cast<std::size_t>(S::kShape.words())>;

template <GameState S>
Planes<S> EncodeInto(const S& state, std::uint64_t filler) {
  Planes<S> planes;
  planes.fill(filler);
  state.Encode(planes);
  return planes;
}

template <GameState S>
std::vector<Action> LegalList(const S& state) {
  std::vector<Action> actions;
  state.LegalActions().ForEach([&](Action a) { actions.push_back(a); });
  return actions;
}

template <GameState S>
class GameConformance {
 public:
  GameConformance(const GameOps& ops, GameFacts facts) : ops_(ops), facts_(facts) {}

  void CheckConstants() const;
  void CheckPlay() const;      // ends in time, a result exactly when nothing is legal
  void CheckValue() const;     // copies are independent, equal states have equal successors
  void CheckHash() const;      // equal hash, equal planes and legal set
  void CheckEncode() const;    // every word written, spare bits zero, stones disjoint and counted
  void CheckSymmetry() const;  // a group of bijections; the image of a game is a game
  void CheckText() const;      // MoveText and ParseMove are inverse; junk is refused
  void CheckOps() const;       // the erased view tells the same story and refuses bad records

 private:
  static constexpr std::uint64_t kSeed = 20260101;
  static constexpr std::size_t kPlaneWords = static_cast<std::size_t>(S::kShape.words_per_plane());

  static Planes<S> MapPlanes(const Planes<S>& planes, int symmetry);
  static int StoneCount(const Planes<S>& planes);
  static void ExpectSameBijectionGroup();
  void ExpectSameStory(const S& state, const Position& position) const;

  const GameOps& ops_;
  GameFacts facts_;
};

}  // namespace az::testing

#include "tests/support/game_conformance_inl.h"
