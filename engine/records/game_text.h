#pragma once
// The door to games as text: SGF where the game has it, move lists for all. Used by az_inspect,
// az_arena and az_play; openings are read with it too.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "engine/records/noted_game.h"

namespace az {

enum class RecordFormat : std::uint8_t { kSgf, kMoves };

// SGF for go, hex, gomoku and othello, move lists for the rest.
RecordFormat NaturalFormat(const GameInfo& game);
Result<RecordFormat> ParseRecordFormat(std::string_view name);  // "sgf", "moves"
std::string_view FileEnding(RecordFormat format);               // ".sgf", ".txt"

// Games one after the other are a text that ReadGames reads. Fails as WriteSgf, WriteMoveList.
Result<std::string> WriteGame(const NotedGame& game, const GameOps& ops, RecordFormat format);

struct GamesRead {
  std::vector<NotedGame> games;
  std::vector<std::string> notes;  // for a person: what was left out
};
// SGF when the text begins with '(', otherwise move lists. Fails as ReadSgf, ReadMoveLists.
Result<GamesRead> ReadGames(std::string_view text, const GameOps& ops);

}  // namespace az
