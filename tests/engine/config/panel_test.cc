#include "engine/config/panel.h"

#include <gtest/gtest.h>

#include "base/strings.h"

namespace az {
namespace {

using Words = std::vector<std::string>;

TEST(PanelTest, ReadsWordsInTheirOrder) {
  EXPECT_EQ(PanelWords("random, first").value(), (Words{"random", "first"}));
  EXPECT_EQ(PanelWords(" none ").value(), Words());
  EXPECT_EQ(PanelWords("first,mcts:sims=50,runs/x@iter=3?sims=8&gumbel=1").value(),
            (Words{"first", "mcts:sims=50", "runs/x@iter=3?sims=8&gumbel=1"}));
}

TEST(PanelTest, AWordMayHoldCommas) {
  EXPECT_EQ(PanelWords(R"(gtp:program --levels 1\,2 --raw \n, random)").value(),
            (Words{R"(gtp:program --levels 1,2 --raw \n)", "random"}));
}

TEST(PanelTest, NamesTheWordThatIsWrong) {
  for (const char* text : {"", "first,", ",", "none,first", "first,,random"}) {
    const Result<Words> words = PanelWords(text);
    ASSERT_FALSE(words) << text;
    EXPECT_TRUE(words.error().message.starts_with(StrCat("arena.panel = ", text, ": ")));
    EXPECT_TRUE(words.error().message.ends_with(kPanelForms));
  }
  EXPECT_NE(PanelWords("mcts,random, mcts").error().message.find("'mcts' comes twice"),
            std::string::npos);
}

}  // namespace
}  // namespace az
