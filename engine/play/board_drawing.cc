#include "engine/play/board_drawing.h"

#include <algorithm>
#include <cstdlib>

#include "base/check.h"
#include "base/strings.h"
#include "base/words.h"
#include "engine/play/game_session.h"
#include "games/board_text.h"

namespace az {
namespace {

constexpr std::string_view kFirstColor = "\033[31m";   // red
constexpr std::string_view kSecondColor = "\033[34m";  // blue
constexpr std::string_view kFaint = "\033[2m";
constexpr std::string_view kMarked = "\033[7m";
constexpr std::string_view kPlain = "\033[0m";

bool IsCell(std::string_view word) {
  return word.size() == 1 && std::string_view{"xo."}.find(word[0]) != std::string_view::npos;
}

// Reads a line of cells, with or without a number in front; returns false for every other line.
bool ReadRow(const std::vector<std::string_view>& words, BoardPicture::Row& row) {
  std::uint64_t number = 0;
  const bool has_label = !words.empty() && ParseUint(words.front(), number);
  const auto first = words.begin() + (has_label ? 1 : 0);
  if (first == words.end() || !std::all_of(first, words.end(), IsCell)) return false;
  if (has_label) row.label = words.front();
  for (auto word = first; word != words.end(); ++word) row.cells += *word;
  return true;
}

bool IsMarked(const BoardPicture& now, const BoardPicture* before, std::size_t row,
              std::size_t col) {
  if (before == nullptr) return false;
  return now.rows[row].cells[col] != before->rows[row].cells[col];
}

std::string_view Sign(char cell, const DrawingStyle& style) {
  if (!style.unicode) return cell == kFirstStone ? "x" : cell == kSecondStone ? "o" : ".";
  return cell == kFirstStone ? "●" : cell == kSecondStone ? "○" : "·";
}

std::string Painted(std::string_view sign, char cell, bool is_marked, const DrawingStyle& style) {
  if (!style.color) return std::string(sign);
  const std::string_view color = cell == kFirstStone    ? kFirstColor
                                 : cell == kSecondStone ? kSecondColor
                                                        : kFaint;
  return StrCat(color, is_marked ? kMarked : "", sign, kPlain);
}

std::string DrawColumns(const BoardPicture& picture, const DrawingStyle& style) {
  std::string line(picture.columns_indent, ' ');
  line += Join(picture.columns, " ");
  return style.color ? StrCat(kFaint, line, kPlain, "\n") : line + '\n';
}

std::string DrawRow(const BoardPicture& now, const BoardPicture* before, std::size_t row,
                    const DrawingStyle& style) {
  const BoardPicture::Row& drawn = now.rows[row];
  std::string line(drawn.indent, ' ');
  if (!drawn.label.empty()) {
    line += style.color ? StrCat(kFaint, drawn.label, kPlain) : drawn.label;
  }
  bool bracket_is_open = false;
  for (std::size_t col = 0; col < drawn.cells.size(); ++col) {
    const bool is_marked = IsMarked(now, before, row, col);
    const bool brackets = is_marked && !style.color;
    const bool needs_gap = col > 0 || !drawn.label.empty();
    if (needs_gap || brackets) line += brackets ? '[' : bracket_is_open ? ']' : ' ';
    line += Painted(Sign(drawn.cells[col], style), drawn.cells[col], is_marked, style);
    bracket_is_open = brackets;
  }
  if (bracket_is_open) line += ']';
  return line + '\n';
}

}  // namespace

std::string BoardPicture::CellName(std::size_t row, std::size_t col) const {
  AZ_CHECK(row < rows.size() && col < columns.size());
  return columns[col] + rows[row].label;
}

BoardPicture ReadBoard(const Position& position) {
  BoardPicture picture;
  const std::string text = position.ToString();
  for (const std::string_view line : Split(text, '\n')) {
    const std::vector<std::string_view> words = Words(line);
    if (words.empty()) continue;
    BoardPicture::Row row{.indent = line.find_first_not_of(' ')};
    const bool are_short =
        std::ranges::all_of(words, [](std::string_view word) { return word.size() <= 2; });
    if (ReadRow(words, row)) {
      picture.rows.push_back(std::move(row));
    } else if (are_short && picture.columns.empty() && words.size() > 1) {
      picture.columns.assign(words.begin(), words.end());
      picture.columns_indent = line.find_first_not_of(' ');
      picture.columns_on_top = picture.rows.empty();
    } else {
      picture.status = line;
    }
  }
  return picture;
}

DrawingStyle StyleOfEnvironment(bool is_terminal) {
  const auto value = [](const char* name) {
    const char* text = std::getenv(name);
    return std::string(text == nullptr ? "" : text);
  };
  DrawingStyle style;
  style.color = is_terminal && value("NO_COLOR").empty() && value("TERM") != "dumb";
  // As in the C library, the first of these that is set decides.
  for (const char* name : {"LC_ALL", "LC_CTYPE", "LANG"}) {
    const std::string locale = LowerCase(value(name));
    if (locale.empty()) continue;
    style.unicode = is_terminal && (locale.find("utf-8") != std::string::npos ||
                                    locale.find("utf8") != std::string::npos);
    break;
  }
  return style;
}

std::string DrawBoard(const Position& now, const Position* before, const DrawingStyle& style) {
  const BoardPicture picture = ReadBoard(now);
  const BoardPicture old = before == nullptr ? BoardPicture{} : ReadBoard(*before);
  const BoardPicture* marked_since = before == nullptr ? nullptr : &old;
  std::string text = picture.columns_on_top ? DrawColumns(picture, style) : "";
  for (std::size_t row = 0; row < picture.rows.size(); ++row) {
    text += DrawRow(picture, marked_since, row, style);
  }
  return picture.columns_on_top ? text : text + DrawColumns(picture, style);
}

std::string DrawStone(Player player, const DrawingStyle& style) {
  const char cell = player == Player::kFirst ? kFirstStone : kSecondStone;
  return Painted(Sign(cell, style), cell, false, style);
}

}  // namespace az
