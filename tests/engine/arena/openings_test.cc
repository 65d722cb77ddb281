#include "engine/arena/openings.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <set>

#include "base/files.h"
#include "base/strings.h"
#include "games/registry.h"

namespace az {
namespace {

const GameOps& Game(std::string_view entry) { return *FindGame(entry).value(); }

std::unique_ptr<Position> After(const GameOps& game, const std::vector<std::string>& moves) {
  std::unique_ptr<Position> position = game.Start();
  for (const std::string& move : moves) {
    AZ_CHECK(position->Apply(position->ParseMove(move).value()).has_value());
  }
  return position;
}

class OpeningFileTest : public testing::Test {
 protected:
  ~OpeningFileTest() override { std::filesystem::remove(file_); }
  std::filesystem::path Write(std::string_view text) {
    AZ_CHECK(WriteFileAtomic(file_, text).has_value());
    return file_;
  }
  const std::filesystem::path file_ = testing::TempDir() + StrCat("openings_", ::getpid(), ".txt");
};

TEST(OpeningBookTest, RandomPliesLeaveBothSidesWithoutAQuickWin) {
  const GameOps& game = Game("tic_tac_toe");
  const OpeningBook book = OpeningBook::Make("plies=4", game, 7).value();
  std::set<std::vector<Action>> seen;
  for (std::uint32_t pair = 0; pair < 60; ++pair) {
    const std::vector<Action> opening = book.Opening(pair);
    EXPECT_EQ(opening.size(), 4u);
    EXPECT_EQ(opening, book.Opening(pair));
    EXPECT_FALSE(IsDecided(*game.Replay(opening).value(), OpeningBook::kQuietPlies));
    seen.insert(opening);
  }
  EXPECT_GT(seen.size(), 40u);
}

// az_arena's default: 72 openings of two plies for 200 pairs.
TEST(OpeningBookTest, RandomPliesGoDeeperBeforeTheyRepeat) {
  const OpeningBook book = OpeningBook::Make("plies=2", Game("tic_tac_toe"), 1).value();
  std::set<std::vector<Action>> seen;
  for (std::uint32_t pair = 0; pair < 200; ++pair) seen.insert(book.Opening(pair));
  EXPECT_GT(seen.size(), 190u);
}

TEST(OpeningBookTest, AForcedWinIsSeenForBothSides) {
  const GameOps& game = Game("tic_tac_toe");
  const std::vector<Action> all = game.Start()->LegalActions();
  const auto name = [&](int cell) {
    return game.Start()->MoveText(Action(static_cast<std::uint16_t>(cell)));
  };
  EXPECT_FALSE(IsDecided(*game.Start(), 3));
  // Two in a row, and it is that side's turn.
  EXPECT_TRUE(IsDecided(*After(game, {name(0), name(3), name(1), name(4)}), 1));
  // The other side to move can neither win nor block both rows.
  const auto fork = After(game, {name(0), name(1), name(4), name(8), name(3)});
  EXPECT_FALSE(IsDecided(*fork, 1));
  EXPECT_TRUE(IsDecided(*fork, 2));
}

TEST(OpeningBookTest, RefusesWhatIsNoPlies) {
  for (const char* text : {"plies=", "plies=x", "plies=-1", "plies=9", "plies=1000", "plies=2.5"}) {
    const Result<OpeningBook> book = OpeningBook::Make(text, Game("tic_tac_toe"), 1);
    ASSERT_FALSE(book) << text;
    EXPECT_EQ(book.error().code, Errc::kInvalid);
  }
  EXPECT_EQ(OpeningBook::Make("no/such/file", Game("hex5"), 1).error().code, Errc::kNotFound);
}

TEST_F(OpeningFileTest, LinesComeInTurn) {
  const auto file = Write("# a comment\n\na1 b2\n  c3, d4 , e5  # centre\r\n");
  const OpeningBook book = OpeningBook::Make(file.string(), Game("hex5"), 1).value();
  ASSERT_EQ(book.lines(), 2u);
  EXPECT_EQ(book.Opening(0).size(), 2u);
  EXPECT_EQ(book.Opening(1).size(), 3u);
  EXPECT_EQ(book.Opening(0), book.Opening(2));
  const std::string before = book.identity();
  Write("a1 b2\nc3 d4\n");
  EXPECT_NE(OpeningBook::Make(file.string(), Game("hex5"), 1).value().identity(), before);
}

TEST_F(OpeningFileTest, ReadsTheMainLinesOfSgf) {
  const auto file = Write("(;GM[11]SZ[5];B[a1];W[b2])\n(;GM[11]SZ[5];B[c3](;W[c4])(;W[d4]))");
  const auto openings = ReadOpenings(file, Game("hex5"));
  ASSERT_TRUE(openings) << openings.error().message;
  ASSERT_EQ(openings->size(), 2u);
  EXPECT_EQ((*openings)[1].size(), 2u);
  const auto wrong = ReadOpenings(Write("(;GM[11]SZ[5]\n;B[z9])"), Game("hex5"));
  ASSERT_FALSE(wrong);
  EXPECT_NE(wrong.error().message.find("sgf line 2: move 1"), std::string::npos);
  const auto over =
      ReadOpenings(Write("(;GM[11]SZ[3];B[a1];W[b1];B[a2];W[b2];B[a3])"), Game("hex3"));
  ASSERT_FALSE(over);
  EXPECT_NE(over.error().message.find("game 1 is played to its end"), std::string::npos);
}

TEST_F(OpeningFileTest, FaultsNameFileAndLine) {
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"a1\n\nb2 z9\n", ":3: move 2: "},
      {"a1 a1\n", ":1: move 2: "},
      {"a1\nb1 a1 b2 a2 b3 a3 b4 a4 b5\n", ":2: the game is over after move 9"},
      {"# nothing\n", "holds no opening"},
      {"", "holds no opening"},
      {std::string("a1\n\0\xff\x01junk\n", 10), ":2: move 1: "},
  };
  for (const auto& [text, words] : cases) {
    const auto openings = ReadOpenings(Write(text), Game("hex5"));
    ASSERT_FALSE(openings) << text;
    EXPECT_EQ(openings.error().code, Errc::kInvalid);
    EXPECT_NE(openings.error().message.find(words), std::string::npos) << openings.error().message;
  }
}

TEST_F(OpeningFileTest, AFaultShowsALittleOfTheMovePrintable) {
  const GameOps& game = Game("tic_tac_toe");
  const Result<std::vector<std::vector<Action>>> huge =
      ReadOpenings(Write(std::string(1'100'000, 'x')), game);
  ASSERT_FALSE(huge);
  EXPECT_LT(huge.error().message.size(), 400u);
  EXPECT_NE(huge.error().message.find(":1: move 1: "), std::string::npos);
  const Result<std::vector<std::vector<Action>>> raw =
      ReadOpenings(Write(std::string_view("a1 \0\x1b[31m\n", 10)), game);
  ASSERT_FALSE(raw);
  EXPECT_NE(raw.error().message.find("??[31m"), std::string::npos) << raw.error().message;
  for (const char c : raw.error().message) EXPECT_GE(c, ' ');
}

}  // namespace
}  // namespace az
