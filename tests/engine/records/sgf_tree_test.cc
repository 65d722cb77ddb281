#include "engine/records/sgf_tree.h"

#include <gtest/gtest.h>

#include <string>

namespace az {
namespace {

SgfTree MustParseOne(std::string_view text) {
  Result<std::vector<SgfTree>> trees = ParseSgfTrees(text);
  EXPECT_TRUE(trees.has_value()) << trees.error().message;
  EXPECT_EQ(trees->size(), 1U);
  return std::move(trees->front());
}

std::string ErrorOf(std::string_view text) {
  const Result<std::vector<SgfTree>> trees = ParseSgfTrees(text);
  return trees ? "" : trees.error().message;
}

TEST(SgfTree, ReadsNodesPropertiesAndValues) {
  const SgfTree tree = MustParseOne("  (;FF[4]GM [1]\nAB[aa] [bb];B[cc] C[hello]; )\n");
  ASSERT_EQ(tree.nodes.size(), 3U);
  EXPECT_EQ(tree.nodes[0].properties.size(), 3U);
  EXPECT_EQ(tree.nodes[0].properties[2].values, (std::vector<std::string>{"aa", "bb"}));
  EXPECT_EQ(tree.nodes[0].properties[2].line, 2U);
  EXPECT_EQ(tree.nodes[1].Find("C")->values[0], "hello");
  EXPECT_EQ(tree.nodes[1].Find("W"), nullptr);
  EXPECT_TRUE(tree.nodes[2].properties.empty());
}

TEST(SgfTree, TakesEscapesAndLineEndsAsFf4Says) {
  const SgfTree tree = MustParseOne("(;C[a\\]b\\\\c\\:d\\\nsoft\r\nhard\\\r\nsoft])");
  EXPECT_EQ(tree.nodes[0].properties[0].values[0], "a]b\\c:dsoft\nhardsoft");
  const std::string nasty = "]\\[;()\\]";
  const SgfTree again = MustParseOne("(;C[" + EscapeSgf(nasty) + "])");
  EXPECT_EQ(again.nodes[0].properties[0].values[0], nasty);
}

TEST(SgfTree, KeepsTheMainLineAndCountsTheRest) {
  const SgfTree tree = MustParseOne("(;N[a](;N[b](;N[c])(;N[x](;N[y])(;N[z])))(;N[w];N[v]))");
  ASSERT_EQ(tree.nodes.size(), 3U);
  EXPECT_EQ(tree.nodes[2].Find("N")->values[0], "c");
  EXPECT_EQ(tree.branches_left_out, 4);
}

TEST(SgfTree, ReadsCollectionsOldNamesAndAByteOrderMark) {
  const auto trees = ParseSgfTrees("\xEF\xBB\xBF(;Black[aa])\n(;White[bb])");
  ASSERT_TRUE(trees.has_value());
  ASSERT_EQ(trees->size(), 2U);
  EXPECT_NE((*trees)[0].nodes[0].Find("B"), nullptr);
  EXPECT_EQ((*trees)[1].line, 2U);
}

TEST(SgfTree, SaysWhereAFaultIs) {
  EXPECT_EQ(ErrorOf(""), "sgf line 1, byte 0: no game here: '(' expected, found the end");
  EXPECT_EQ(ErrorOf("hello"), "sgf line 1, byte 0: '(' expected, found 'h'");
  EXPECT_EQ(ErrorOf("(;B[aa]\n(x"), "sgf line 2, byte 9: ';' expected, found 'x'");
  EXPECT_EQ(ErrorOf("(;B)"),
            "sgf line 1, byte 3: '[' expected: a property needs a value, found ')'");
  EXPECT_NE(ErrorOf("(;B[aa]").find("the game of line 1 has no end"), std::string::npos);
  EXPECT_NE(ErrorOf("(\n;B[aa").find("the value begun in line 2 has no end"), std::string::npos);
  EXPECT_NE(ErrorOf("(;B[aa]\x01)").find("found byte 0x01"), std::string::npos);
  EXPECT_NE(ErrorOf("(;b[aa])").find("capital letters"), std::string::npos);
  EXPECT_NE(ErrorOf("(;B[aa\\").find("has no end"), std::string::npos);
}

TEST(SgfTree, HoldsItsLimits) {
  EXPECT_NE(ErrorOf(std::string(1'000'000, '(')).find("';' expected"), std::string::npos);
  std::string deep;
  for (int i = 0; i < 200'000; ++i) deep += "(;";
  EXPECT_NE(ErrorOf(deep).find("beyond the limit"), std::string::npos);
  std::string wide = "(";
  for (int i = 0; i < 200'000; ++i) wide += ";";
  EXPECT_NE(ErrorOf(wide + ")").find("more nodes"), std::string::npos);
  EXPECT_NE(ErrorOf("(;" + std::string(100, 'A') + "[])").find("64 at most"), std::string::npos);
  EXPECT_EQ(ErrorOf("(;C[" + std::string(1'000'000, 'x') + "])"), "");
}

}  // namespace
}  // namespace az
