#pragma once
// TextTable: a table of plain text with aligned columns, for reports. Knows nothing about what it
// shows.

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace az {

inline constexpr std::size_t kReportWidth = 120;  // the most columns of a report

enum class Align : std::uint8_t { kLeft, kRight };
struct TableColumn {
  std::string name;
  Align align = Align::kRight;
};

// Thread-compatible.
class TextTable {
 public:
  explicit TextTable(std::vector<TableColumn> columns) : columns_(std::move(columns)) {}
  // Adds a row. REQUIRES: one cell per column.
  void Add(std::vector<std::string> cells);
  // The names, then the rows, each line with a newline and without blanks before it. Columns are
  // two blanks apart where that fits kReportWidth, otherwise one.
  std::string Text() const;

 private:
  std::vector<TableColumn> columns_;
  std::vector<std::vector<std::string>> rows_;
};

}  // namespace az
