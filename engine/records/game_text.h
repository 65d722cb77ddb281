#pragma once
// Writes and reads games as text: SGF where the game has it, move lists for all games. Used by
// az_inspect, az_arena and az_play, and to read openings.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "engine/records/noted_game.h"

namespace az {

enum class RecordFormat : std::uint8_t { kSgf, kMoves };

// The format a game is written in by default: SGF for go, hex, gomoku and othello, move lists for
// the rest.
RecordFormat NaturalFormat(const GameInfo& game);
Result<RecordFormat> ParseRecordFormat(std::string_view name);  // "sgf", "moves"
std::string_view FileEnding(RecordFormat format);               // ".sgf", ".txt"

// Writes one game. Concatenated games are a text that ReadGames reads. Fails as WriteSgf and
// WriteMoveList do.
Result<std::string> WriteGame(const NotedGame& game, const GameOps& ops, RecordFormat format);

struct GamesRead {
  std::vector<NotedGame> games;
  std::vector<std::string> notes;  // for a person: what was left out
};
// Reads games from SGF when the text begins with '(', otherwise from move lists. Fails as ReadSgf
// and ReadMoveLists do.
Result<GamesRead> ReadGames(std::string_view text, const GameOps& ops);

}  // namespace az
