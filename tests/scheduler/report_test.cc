#include "scheduler/report.h"

#include <gtest/gtest.h>

#include <sstream>
#include <string>

#include "base/strings.h"
#include "scheduler/planner.h"

namespace az {
namespace {

PlanInput Input() {
  PlanInput input;
  input.device.cores = 2;
  input.device.ram = GiB(2);
  input.game = {.words = 2, .branching = 25, .max_plies = 25};
  input.wishes.window_positions = 100'000;
  input.wishes.cache = MiB(16);
  return input;
}

std::vector<std::string> LinesOf(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

// What a person would check with a pencil: each column of the bill adds up to the total below it.
TEST(PlanReport, ColumnsAddUp) {
  const PlanInput input = Input();
  const std::string report = PlanReport(input, MakePlan(input).value());
  double sum = 0;
  double total = 0;
  bool in_table = false;
  for (const std::string& line : LinesOf(report)) {
    if (line.starts_with("host memory")) in_table = true;
    if (!in_table || line.size() < 36 || !line.starts_with("  ")) continue;
    const std::string_view cell = Trim(std::string_view(line).substr(24, 12));  // the first phase
    double number = 0;
    ParseDouble(cell.substr(0, cell.find(' ')), number);
    if (line.starts_with("  total")) {
      total = number;
      break;
    }
    sum += number;
  }
  EXPECT_GT(total, 50);
  EXPECT_NEAR(sum, total, 1.5);  // rounding of a dozen terms
}

TEST(PlanReport, EveryNumberOfTheBillIsLabelled) {
  const PlanInput input = Input();
  bool in_table = false;
  int terms = 0;
  for (const std::string& line : LinesOf(PlanReport(input, MakePlan(input).value()))) {
    if (line.starts_with("  total")) break;
    if (in_table) {
      ++terms;
      for (std::size_t column = 24; column + 12 <= line.size(); column += 12) {
        const std::string_view cell = Trim(std::string_view(line).substr(column, 12));
        EXPECT_TRUE(cell == "-" || cell.ends_with(" m") || cell.ends_with(" p") ||
                    cell.ends_with(" a"))
            << line;
      }
    }
    if (line.starts_with("host memory")) in_table = true;
  }
  EXPECT_GT(terms, 8);
}

TEST(PlanReport, SaysWhatWasGivenUp) {
  PlanInput input = Input();
  input.wishes.slots = 4096;
  input.wishes.visits = 5000;
  const std::string report = PlanReport(input, MakePlan(input).value());
  EXPECT_NE(report.find(" instead of 4096: the budget is smaller"), std::string::npos) << report;
}

}  // namespace
}  // namespace az
