#pragma once
// Games as plain text, for games that SGF does not know and for scripts. A line is a word and its
// value; an empty line ends a game; '#' begins a comment line.
//
//   game connect_four
//   name gate/3/17
//   first best
//   second candidate
//   result 1-0 resigned
//   moves 4 4 3 5
//   values 0.2500/200 - 0.3100/200 -0.2000/200       value/visits of each move, '-' for none

#include <string>
#include <string_view>
#include <vector>

#include "engine/records/noted_game.h"

namespace az {

// Writes a game, including the empty line at its end. Fails with kCorrupt when a move is illegal.
Result<std::string> WriteMoveList(const NotedGame& game, const GameOps& ops);

inline constexpr std::size_t kMaxMoveListBytes = std::size_t{64} << 20;

// Reads every game of the text, at least one. Only `moves` is required. Fails with kInvalid, naming
// the line, for a word that is unknown or comes twice, another game, an illegal move, and values
// that do not fit the moves.
Result<std::vector<NotedGame>> ReadMoveLists(std::string_view text, const GameOps& ops);

}  // namespace az
