#include "scheduler/text_table.h"

#include <algorithm>
#include <numeric>

#include "base/check.h"

namespace az {
namespace {

// The width as shown: the number of bytes that begin a character of UTF-8.
std::size_t WidthOf(const std::string& text) {
  return static_cast<std::size_t>(std::ranges::count_if(
      text, [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }));
}

}  // namespace

void TextTable::Add(std::vector<std::string> cells) {
  AZ_CHECK(cells.size() == columns_.size()) << cells.size() << " cells";
  rows_.push_back(std::move(cells));
}

std::string TextTable::Text() const {
  std::vector<std::size_t> widths;
  for (std::size_t c = 0; c < columns_.size(); ++c) {
    std::size_t width = WidthOf(columns_[c].name);
    for (const auto& row : rows_) width = std::max(width, WidthOf(row[c]));
    widths.push_back(width);
  }
  const std::size_t cells = std::accumulate(widths.begin(), widths.end(), std::size_t{0});
  const std::size_t gap = cells + 2 * (columns_.size() - 1) <= kReportWidth ? 2 : 1;

  std::string out;
  const auto add_line = [&](const auto& cell_of) {
    std::string line;
    for (std::size_t c = 0; c < columns_.size(); ++c) {
      const std::string& cell = cell_of(c);
      const std::string blanks(widths[c] - WidthOf(cell), ' ');
      if (c > 0) line.append(gap, ' ');
      line += columns_[c].align == Align::kLeft ? cell + blanks : blanks + cell;
    }
    line.erase(line.find_last_not_of(' ') + 1);
    out += line + "\n";
  };
  add_line([&](std::size_t c) -> const std::string& { return columns_[c].name; });
  for (const auto& row : rows_) {
    add_line([&](std::size_t c) -> const std::string& { return row[c]; });
  }
  return out;
}

}  // namespace az
