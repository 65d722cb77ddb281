#include "base/words.h"

#include <gtest/gtest.h>

namespace az {
namespace {

TEST(Words, AreWhatStandsBetweenWhiteSpace) {
  using Parts = std::vector<std::string_view>;
  EXPECT_EQ(Words(""), Parts{});
  EXPECT_EQ(Words(" \t\r\n"), Parts{});
  EXPECT_EQ(Words("genmove"), Parts{"genmove"});
  EXPECT_EQ(Words("  play\tb   D4\r\n"), (Parts{"play", "b", "D4"}));
}

TEST(Words, LowerCaseChangesAsciiLettersAlone) {
  EXPECT_EQ(LowerCase("D4 PaSS [@`{"), "d4 pass [@`{");
  EXPECT_EQ(LowerCase("\xC3\x84z"), "\xC3\x84z");
}

}  // namespace
}  // namespace az
