#pragma once
// Games as SGF FF[4]: Go (GM[1]), Othello (2), gomoku (4), Hex (11). Black moves first. A move's
// value and visits stand in its comment, "value 0.2500, 200 visits", the value in the view of who
// moved; other comments are not kept. docs/records.md shows one.

#include <string>
#include <string_view>
#include <vector>

#include "engine/records/noted_game.h"

namespace az {

// One game tree with a line end. kInvalid: a game that SGF has no form for; kCorrupt: a move that
// is not legal.
Result<std::string> WriteSgf(const NotedGame& game, const GameOps& ops);

struct SgfGames {
  std::vector<NotedGame> games;
  int branches_left_out = 0;  // only main lines are kept
};
// Every game of a collection. kInvalid, with its line: as ParseSgfTrees; another game or board
// size, stones that were set up and not played, a move that is not legal, out of turn, or after the
// end. Properties that are not needed are left out.
Result<SgfGames> ReadSgf(std::string_view text, const GameOps& ops);

}  // namespace az
