#pragma once
// A table of plain text with aligned columns, for reports. Knows nothing of what it shows.

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace az {

inline constexpr std::size_t kReportWidth = 120;  // columns that a report may use

enum class Align : std::uint8_t { kLeft, kRight };
struct TableColumn {
  std::string name;
  Align align = Align::kRight;
};

// Thread-compatible.
class TextTable {
 public:
  explicit TextTable(std::vector<TableColumn> columns) : columns_(std::move(columns)) {}
  // REQUIRES: a cell for each column.
  void Add(std::vector<std::string> cells);
  // The names, then the rows, each line with a newline and without blanks at its end. Two blanks
  // between columns where that fits kReportWidth, else one.
  std::string Text() const;

 private:
  std::vector<TableColumn> columns_;
  std::vector<std::vector<std::string>> rows_;
};

}  // namespace az
