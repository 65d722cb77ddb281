#pragma once
// SgfDialect: how SGF writes one game: the game's number and its points. Used by sgf.h.

#include <optional>
#include <string>
#include <string_view>

#include "games/board_text.h"
#include "games/game_ops.h"

namespace az {

struct SgfDialect {
  int game_number = 0;  // GM
  int board_size = 0;   // SZ
  // Hex writes "a1", as we do; the other games write two letters, the column and the row from the
  // top: "aa".
  bool is_hex = false;
  bool has_pass = false;
  ColumnLetters letters = ColumnLetters::kAll;
  RowOne row_one = RowOne::kOnTop;

  // Converts our move text to SGF's, and SGF's to ours. nullopt: not a point of this board. Whether
  // the move is legal is for the position to decide.
  std::string ToSgf(std::string_view move) const;
  std::optional<std::string> FromSgf(std::string_view point) const;
};

// The dialect of a game; nullopt for games that SGF has no number for, or none that programs agree
// on.
std::optional<SgfDialect> SgfDialectOf(const GameInfo& game);

}  // namespace az
