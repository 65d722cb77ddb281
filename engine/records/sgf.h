#pragma once
// Games as SGF FF[4]: Go (GM[1]), Othello (2), gomoku (4), Hex (11). Black moves first. A move's
// value and visits stand in its comment, "value 0.2500, 200 visits", with the value in the view of
// the player who moved; other comments are not kept. docs/records.md shows an example.

#include <string>
#include <string_view>
#include <vector>

#include "engine/records/noted_game.h"

namespace az {

// Writes one game tree and a newline. Fails with kInvalid for a game that SGF has no form for, and
// with kCorrupt for an illegal move.
Result<std::string> WriteSgf(const NotedGame& game, const GameOps& ops);

struct SgfGames {
  std::vector<NotedGame> games;
  int branches_left_out = 0;  // branches that were dropped, as only main lines are kept
};
// Reads every game of a collection and ignores properties that are not needed. Fails with kInvalid,
// naming the line, as ParseSgfTrees does, and for another game or board size, stones that were set
// up and not played, and moves that are illegal, out of turn, or after the end.
Result<SgfGames> ReadSgf(std::string_view text, const GameOps& ops);

}  // namespace az
