#include "engine/config/panel.h"

#include <gtest/gtest.h>

namespace az {
namespace {

TEST(PanelTest, ReadsWordsInTheirOrder) {
  const Result<std::vector<PanelMember>> panel = ParsePanel("random, first");
  ASSERT_TRUE(panel) << panel.error().message;
  EXPECT_EQ(*panel, (std::vector<PanelMember>{PanelMember::kRandom, PanelMember::kFirst}));
  EXPECT_TRUE(ParsePanel("none").value().empty());
  EXPECT_EQ(ParsePanel("first,earlier,random,mcts").value().size(), 4u);
}

TEST(PanelTest, NamesTheWordThatIsWrong) {
  for (const char* text : {"", "first,", "best", "none,first", "first first"}) {
    EXPECT_FALSE(ParsePanel(text)) << text;
  }
  EXPECT_NE(ParsePanel("first,bets").error().message.find("'bets'"), std::string::npos);
  EXPECT_NE(ParsePanel("mcts,mcts").error().message.find("twice"), std::string::npos);
}

}  // namespace
}  // namespace az
