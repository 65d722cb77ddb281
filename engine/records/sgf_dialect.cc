#include "engine/records/sgf_dialect.h"

#include <cctype>

#include "base/check.h"
#include "base/strings.h"

namespace az {

std::string SgfDialect::ToSgf(std::string_view move) const {
  if (move == "pass") return "";
  if (is_hex) return move == "swap" ? "swap-pieces" : std::string(move);
  std::uint64_t number = 0;
  AZ_CHECK(move.size() >= 2 && ParseUint(move.substr(1), number)) << move;
  char column = move[0];
  if (letters == ColumnLetters::kSkipI && column > 'i') --column;
  const int row = static_cast<int>(number) - 1;
  const int from_top = row_one == RowOne::kOnTop ? row : board_size - 1 - row;
  return {column, static_cast<char>('a' + from_top)};
}

std::optional<std::string> SgfDialect::FromSgf(std::string_view point) const {
  if (is_hex) {
    std::string move;
    for (const char c : point) {
      move += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    }
    return move == "swap-pieces" ? "swap" : move;
  }
  if (has_pass && (point.empty() || point == "tt")) return "pass";
  if (point.size() != 2) return std::nullopt;
  const BoardCell cell{.row = point[1] - 'a', .col = point[0] - 'a'};
  for (const int index : {cell.row, cell.col}) {
    if (index < 0 || index >= board_size) return std::nullopt;
  }
  const int row = row_one == RowOne::kOnTop ? cell.row : board_size - 1 - cell.row;
  const BoardCell ours{.row = row, .col = cell.col};
  return letters == ColumnLetters::kAll ? CellText(ours) : GtpCellText(ours);
}

std::optional<SgfDialect> SgfDialectOf(const GameInfo& game) {
  const int size = game.board_size;
  if (game.family == "go") {
    return SgfDialect{.game_number = 1,
                      .board_size = size,
                      .has_pass = true,
                      .letters = ColumnLetters::kSkipI,
                      .row_one = RowOne::kAtTheBottom};
  }
  if (game.family == "othello") {
    return SgfDialect{.game_number = 2, .board_size = size, .has_pass = true};
  }
  if (game.family == "gomoku") {
    return SgfDialect{.game_number = 4,
                      .board_size = size,
                      .letters = ColumnLetters::kSkipI,
                      .row_one = RowOne::kAtTheBottom};
  }
  if (game.family == "hex" || game.family == "hex_swap") {
    return SgfDialect{.game_number = 11, .board_size = size, .is_hex = true};
  }
  return std::nullopt;
}

}  // namespace az
