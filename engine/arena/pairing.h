#pragma once
// Pairing: which games a match of two players has, who moves first in each, and from which opening.
// Games 2k and 2k + 1 are pair k: one opening, colours swapped. Pure functions of the index, so
// that a match can go on after any restart.

#include <cstdint>
#include <vector>

#include "base/result.h"
#include "games/game_ops.h"

namespace az {

constexpr std::uint32_t PairOf(std::uint32_t game_index) { return game_index / 2; }

// The match's player (0 or 1) that has the first move: player 0 in even games.
constexpr int FirstToMove(std::uint32_t game_index) { return static_cast<int>(game_index % 2); }

// The outcome for the match's player 0: +1 won, 0 drawn, -1 lost.
constexpr int ValueForPlayer0(std::uint32_t game_index, Outcome outcome) {
  return ValueFor(outcome, FirstToMove(game_index) == 0 ? Player::kFirst : Player::kSecond);
}

// `games` rounded up to whole pairs.
constexpr std::uint32_t GamesOfMatch(std::uint32_t games) { return games + games % 2; }

// Deals openings of a few random plies that do not end the game. They are dealt like cards: before
// an action comes up a second time in a position, every other one has come up once. So with one
// ply, and games / 2 a multiple of the legal first moves, each first move is played equally often.
// Once all openings of so many plies have been dealt, the following ones are one ply longer, so
// that no opening repeats before the game has no more. Thread-safe.
class OpeningDealer {
 public:
  // `game` outlives the dealer. REQUIRES: plies >= 0.
  OpeningDealer(const GameOps& game, int plies, std::uint64_t seed)
      : game_(game), plies_(plies), seed_(seed) {}

  // The opening of a pair: `plies` actions; more where earlier pairs have used up all of those;
  // fewer where every action would end the game. With 0 plies all openings are empty.
  std::vector<Action> Opening(std::uint32_t pair) const;

 private:
  const GameOps& game_;
  int plies_;
  std::uint64_t seed_;
};

}  // namespace az
