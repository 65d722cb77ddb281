#include "engine/apps/inspect_games.h"

#include <gtest/gtest.h>

#include <cstdlib>

#include "base/files.h"
#include "games/registry.h"
#include "tests/engine/data/random_journal.h"

namespace az {
namespace {

namespace fs = std::filesystem;

// runs/x of docs/records.md: random games of hex5 in one lane.
class InspectGamesTest : public ::testing::Test {
 protected:
  InspectGamesTest() {
    fs::create_directories(folder_ / "journal");
    WriteRandomGames(
        folder_ / "journal/lane_000.journal", Ops(),
        {GameId::Make(GameKind::kSelfPlay, 0, 0), GameId::Make(GameKind::kSelfPlay, 0, 1),
         GameId::Make(GameKind::kGate, 0, 0), GameId::Make(GameKind::kGate, 0, 1)});
  }
  static const GameOps& Ops() { return **FindGame("hex5"); }
  GamesRequest Request() { return {.dir = folder_ / ""}; }
  static std::string Must(const Result<std::string>& text) {
    EXPECT_TRUE(text.has_value()) << text.error().message;
    return text ? *text : "";
  }
  TemporaryFolder folder_;
};

// The page shows `text` below the command; AZ_UPDATE_GOLDEN=1 writes it anew.
void ExpectInDocs(const std::string& command, const std::string& text) {
  const std::string path = "docs/records.md";
  std::string page = ReadFile(path).value();
  const std::string head = StrCat("```\n$ ./az inspect ", command, "\n");
  const std::size_t begin = page.find(head);
  ASSERT_NE(begin, std::string::npos) << path << " has no example of " << command;
  const std::size_t from = begin + head.size();
  const std::size_t end = page.find("```\n", from);
  ASSERT_NE(end, std::string::npos);
  if (std::getenv("AZ_UPDATE_GOLDEN") != nullptr) {
    page.replace(from, end - from, text);
    ASSERT_TRUE(WriteFileAtomic(path, page).has_value());
    return;
  }
  EXPECT_EQ(page.substr(from, end - from), text) << "AZ_UPDATE_GOLDEN=1 writes the page anew";
}

TEST_F(InspectGamesTest, ShowsATableAsTheDocsHaveIt) {
  GamesRequest request = Request();
  request.query.last = 3;
  ExpectInDocs("games runs/x --last 3", Must(InspectGames(request)));
}

TEST_F(InspectGamesTest, ExportsOneFileAsTheDocsHaveIt) {
  GamesRequest request = Request();
  request.query = {.kind = GameKind::kGate, .last = 1};
  request.export_to = folder_ / "gate.sgf";
  EXPECT_EQ(Must(InspectGames(request)),
            StrCat("1 games written to ", (folder_ / "gate.sgf").string(), "\n"));
  ExpectInDocs("games runs/x --kind gate --last 1 --export gate.sgf && cat gate.sgf",
               StrCat("1 games written to gate.sgf\n", ReadFile(folder_ / "gate.sgf").value()));
  request.export_to = folder_ / "gate.txt";
  Must(InspectGames(request));
  ExpectInDocs("games runs/x --kind gate --last 1 --export gate.txt && cat gate.txt",
               StrCat("1 games written to gate.txt\n", ReadFile(folder_ / "gate.txt").value()));
}

TEST_F(InspectGamesTest, ExportsAFolderThatReadsBack) {
  GamesRequest request = Request();
  request.export_to = folder_ / "games";
  Must(InspectGames(request));
  const std::string text = ReadFile(folder_ / "games/self_play_0_1.sgf").value();
  const Result<GamesRead> read = ReadGames(text, Ops());
  ASSERT_TRUE(read.has_value());
  const GameRecord game = RandomGame(Ops(), GameId::Make(GameKind::kSelfPlay, 0, 1));
  ASSERT_EQ(read->games[0].moves.size(), game.moves.size());
  EXPECT_EQ(read->games[0].outcome, game.outcome);
  request.format = RecordFormat::kMoves;
  Must(InspectGames(request));
  EXPECT_TRUE(fs::exists(folder_ / "games/gate_0_0.txt"));
}

TEST_F(InspectGamesTest, AnswersJson) {
  GamesRequest request = Request();
  request.as_json = true;
  request.query.last = 1;
  const std::string text = Must(InspectGames(request));
  EXPECT_EQ(text.rfind(R"({"game":"hex5","games":[{"name":"gate/0/1","kind":"gate",)", 0), 0U)
      << text;
}

TEST_F(InspectGamesTest, RefusesUnknownWords) {
  EXPECT_FALSE(KindOption("selfplay").has_value());
  EXPECT_FALSE(FormatOption("pgn").has_value());
  EXPECT_EQ(KindOption("")->has_value(), false);
  GamesRequest request = Request();
  request.dir = folder_ / "nowhere";
  EXPECT_FALSE(InspectGames(request).has_value());
}

}  // namespace
}  // namespace az
