#pragma once
// How SGF writes the moves of one game: its number and its points. Used by sgf.h.

#include <optional>
#include <string>
#include <string_view>

#include "games/board_text.h"
#include "games/game_ops.h"

namespace az {

struct SgfDialect {
  int game_number = 0;  // GM
  int board_size = 0;   // SZ
  // Hex writes "a1" as we do; the others two letters, column and row from the top: "aa".
  bool is_hex = false;
  bool has_pass = false;
  ColumnLetters letters = ColumnLetters::kAll;
  RowOne row_one = RowOne::kOnTop;

  // From our move text to SGF's and back. nullopt: not a point of this board. Whether the move is
  // legal is the position's to say.
  std::string ToSgf(std::string_view move) const;
  std::optional<std::string> FromSgf(std::string_view point) const;
};

// nullopt for games that SGF has no number for, or none that programs agree on.
std::optional<SgfDialect> SgfDialectOf(const GameInfo& game);

}  // namespace az
