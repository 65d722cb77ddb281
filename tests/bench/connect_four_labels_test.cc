#include "bench/learning/connect_four_labels.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

namespace az {
namespace {

ConnectFourSolver SmallSolver() {
  return ConnectFourSolver({.table = MiB(16), .max_positions = 50'000'000});
}

constexpr std::string_view kWinsInColumn4 = "5525665165366116";

std::vector<Action> Columns(std::string_view moves) {
  std::vector<Action> actions;
  for (const char column : moves) actions.push_back(static_cast<Action>(column - '1'));
  return actions;
}

TEST(ConnectFourLabels, PliesLeftFollowFromTheScore) {
  EXPECT_EQ(PliesLeft(0, 21), 1);    // wins with the next stone: 21 left, it counted
  EXPECT_EQ(PliesLeft(0, 18), 7);    // with the fourth own one
  EXPECT_EQ(PliesLeft(1, -18), 6);   // the opponent with its third from here
  EXPECT_EQ(PliesLeft(10, -16), 2);  // the opponent wins with its next
  EXPECT_EQ(PliesLeft(10, 0), 32);   // the board fills up
  EXPECT_EQ(PliesLeft(41, 1), 1);
}

TEST(ConnectFourLabels, ClassesGoByStonesAndPliesLeft) {
  EXPECT_EQ(ConnectFourClass(10, 32), "begin-hard");
  EXPECT_EQ(ConnectFourClass(13, 29), "begin-hard");
  EXPECT_EQ(ConnectFourClass(14, 28), "begin-medium");
  EXPECT_EQ(ConnectFourClass(14, 13), "begin-easy");
  EXPECT_EQ(ConnectFourClass(15, 14), "middle-medium");
  EXPECT_EQ(ConnectFourClass(28, 13), "middle-easy");
  EXPECT_EQ(ConnectFourClass(29, 13), "end-easy");
}

TEST(ConnectFourLabels, PliesLeftAreOneMoreThanAfterTheBestMove) {
  ConnectFourSolver solver = SmallSolver();
  const std::vector<Action> moves = Columns("41354423115265345245717656");
  const Result<LabelledPosition> label = Label(solver, moves);
  ASSERT_TRUE(label) << label.error().message;
  EXPECT_EQ(label->in_class, "middle-medium");
  EXPECT_EQ(label->plies_left, 42 - 26);  // a draw
  for (std::size_t col = 0; col < 7; ++col) {
    if (label->values[col] != 0) continue;
    std::vector<Action> line = moves;
    line.push_back(static_cast<Action>(col));
    EXPECT_EQ(PliesLeft(27, *solver.Score(line)), 42 - 27);
  }
}

TEST(ConnectFourLabels, EveryMoveIsJudgedByWhatFollows) {
  ConnectFourSolver solver = SmallSolver();
  const Result<LabelledPosition> label = Label(solver, Columns(kWinsInColumn4));
  ASSERT_TRUE(label) << label.error().message;
  EXPECT_EQ(label->in_class, "middle-easy");
  EXPECT_EQ(label->plies_left, 1);
  for (std::size_t col = 0; col < 7; ++col) {
    std::vector<Action> line = Columns(kWinsInColumn4);
    line.push_back(static_cast<Action>(col));
    const Result<int> after = solver.Solve(line);
    EXPECT_EQ(after.has_value(), label->values[col].has_value())
        << col;  // a full column is illegal
    if (after) {
      EXPECT_EQ(label->values[col], -*after) << col;
    }
  }
  EXPECT_EQ(label->values[3], 1);
}

TEST(ConnectFourLabels, FullColumnsHaveNoValue) {
  ConnectFourSolver solver = SmallSolver();
  const Result<LabelledPosition> label = Label(solver, Columns("11111122222244444467"));
  ASSERT_TRUE(label) << label.error().message;
  for (const std::size_t full : {0u, 1u, 3u}) EXPECT_FALSE(label->values[full].has_value()) << full;
  for (const std::size_t open : {2u, 4u, 5u, 6u}) EXPECT_TRUE(label->values[open].has_value());
}

TEST(ConnectFourLabels, SameSeedSamePositionsWhateverTheTable) {
  const auto find = [](Bytes table) {
    ConnectFourSolver solver({.table = table, .max_positions = 1'000'000'000});
    std::vector<std::string> lines;
    EXPECT_TRUE(FindLabelled(solver, 1, 7, [&](const LabelledPosition& position) {
      lines.push_back(ToJson(position));
    }));
    return lines;
  };
  const std::vector<std::string> lines = find(MiB(64));
  ASSERT_EQ(lines.size(), kConnectFourClasses.size());
  EXPECT_EQ(find(MiB(32)), lines);
}

TEST(ConnectFourLabels, AWrongLabelIsFound) {
  ConnectFourSolver solver = SmallSolver();
  const Result<LabelledPosition> label = Label(solver, Columns(kWinsInColumn4));
  ASSERT_TRUE(label);
  EXPECT_TRUE(CheckLabel(solver, ToJson(*label)));
  LabelledPosition wrong = *label;
  wrong.values[3] = 0;
  EXPECT_FALSE(CheckLabel(solver, ToJson(wrong)));
  wrong = *label;
  wrong.plies_left = 3;
  EXPECT_FALSE(CheckLabel(solver, ToJson(wrong)));
  for (const char* line : {"", "{}", "[1]", R"({"moves":7})", R"({"moves":"18"})"}) {
    EXPECT_FALSE(CheckLabel(solver, line)) << line;
  }
}

}  // namespace
}  // namespace az
