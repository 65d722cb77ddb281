#include "engine/play/line_splitter.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace az {
namespace {

std::vector<std::string> Lines(const std::string& text, std::size_t piece, std::size_t most = 8) {
  LineSplitter splitter(most);
  std::vector<std::string> lines;
  const auto take = [&] {
    while (const auto line = splitter.Next()) lines.push_back(*line);
  };
  for (std::size_t at = 0; at < text.size(); at += piece) {
    splitter.Add(std::string_view(text).substr(at, piece));
    take();
  }
  splitter.End();
  take();
  return lines;
}

TEST(LineSplitter, CutsAnywhereGivesTheSameLines) {
  const std::string text = "one\r\n\ntwo\n12345678\n123456789\n1234567890123\nlast";
  const std::vector<std::string> want = {"one",       "",          "two", "12345678",
                                         "123456789", "123456789", "last"};
  for (std::size_t piece = 1; piece <= text.size(); ++piece) {
    EXPECT_EQ(Lines(text, piece), want) << piece;
  }
}

TEST(LineSplitter, HasNothingAfterAnEnd) {
  EXPECT_EQ(Lines("a\n", 1), (std::vector<std::string>{"a"}));
  EXPECT_TRUE(Lines("", 1).empty());
}

}  // namespace
}  // namespace az
