#include "engine/play/gtp_engine.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "base/rng.h"
#include "base/strings.h"
#include "tests/engine/play/fake_dialogue.h"

namespace az {
namespace {

using testing::FakePort;
using testing::FakeThinker;
using testing::ThinkerScript;

// An engine with a player that the test commands.
class Gtp {
 public:
  explicit Gtp(const std::string& entry, const GtpOptions& options = {})
      : engine_(GtpEngine::Create(
                    **FindGame(entry),
                    [this](const GameOps& game) -> Result<std::unique_ptr<Thinker>> {
                      if (refused == game.info().entry) {
                        return Error{Errc::kIncompatible, "another game"};
                      }
                      return std::unique_ptr<Thinker>(std::make_unique<FakeThinker>(game, script));
                    },
                    options, clock)
                    .value()) {}

  std::string Says(std::string_view line) {
    next = engine_.Handle(line, port);
    return port.Taken();
  }
  const GameSession& session() const { return engine_.session(); }

  ThinkerScript script;
  std::string refused;
  ManualClock clock;
  FakePort port;
  DialogueNext next = DialogueNext::kGoOn;

 private:
  GtpEngine engine_;
};

TEST(GtpEngine, AnswersTheProtocolCommands) {
  Gtp gtp("hex5", {.name = "az", .version = "7"});
  EXPECT_EQ(gtp.Says("protocol_version"), "= 2\n\n");
  EXPECT_EQ(gtp.Says("12 name"), "=12 az\n\n");
  EXPECT_EQ(gtp.Says("version\r"), "= 7\n\n");
  EXPECT_EQ(gtp.Says("known_command genmove"), "= true\n\n");
  EXPECT_EQ(gtp.Says("known_command fixed_handicap"), "= false\n\n");
  EXPECT_EQ(gtp.Says("nonsense 1 2 3"), "? unknown command\n\n");
  EXPECT_EQ(gtp.Says("4"), "?4 unknown command\n\n");
  EXPECT_EQ(gtp.Says("  # only a comment"), "");
  EXPECT_EQ(gtp.Says("3 quit"), "=3\n\n");
  EXPECT_EQ(gtp.next, DialogueNext::kQuit);
}

TEST(GtpEngine, EveryListedCommandIsKnown) {
  Gtp gtp("go5");
  std::string list = gtp.Says("list_commands");
  ASSERT_TRUE(list.starts_with("= protocol_version\n"));
  list = list.substr(2, list.size() - 4);
  for (const std::string_view name : Split(list, '\n')) {
    EXPECT_EQ(gtp.Says(StrCat("known_command ", name)), "= true\n\n") << name;
  }
}

TEST(GtpEngine, PlaysAndTakesBack) {
  Gtp gtp("hex5");
  EXPECT_EQ(gtp.Says("play b A1"), "=\n\n");
  EXPECT_EQ(gtp.Says("play White b2"), "=\n\n");
  EXPECT_EQ(gtp.session().names(), (std::vector<std::string>{"a1", "b2"}));
  EXPECT_EQ(gtp.Says("play b a1"), "? illegal move\n\n");  // taken
  EXPECT_EQ(gtp.Says("play b f1"), "? illegal move\n\n");  // off the board
  EXPECT_EQ(gtp.Says("play w c3"), "? illegal move\n\n");  // not white's turn, and hex has no pass
  EXPECT_EQ(gtp.Says("play b"), "? syntax error\n\n");
  EXPECT_EQ(gtp.Says("play red c3"), "? syntax error\n\n");
  EXPECT_EQ(gtp.Says("genmove b"), "= e5\n\n");
  EXPECT_EQ(gtp.Says("reg_genmove w"), "= e4\n\n");
  EXPECT_EQ(gtp.session().moves().size(), 3u);
  EXPECT_EQ(gtp.Says("genmove b"), "? it is white's turn\n\n");
  for (int i = 0; i < 3; ++i) EXPECT_EQ(gtp.Says("undo"), "=\n\n");
  EXPECT_EQ(gtp.Says("undo"), "? cannot undo\n\n");
}

TEST(GtpEngine, AMoveOutOfTurnIsAPassOfTheOther) {
  Gtp gtp("go5");
  EXPECT_EQ(gtp.Says("play b c3"), "=\n\n");
  EXPECT_EQ(gtp.Says("play b d3"), "=\n\n");
  EXPECT_EQ(gtp.session().names(), (std::vector<std::string>{"c3", "pass", "d3"}));
  EXPECT_EQ(gtp.Says("play b d3"), "? illegal move\n\n");
  EXPECT_EQ(gtp.session().moves().size(), 3u) << "a refused move leaves no pass behind";
  EXPECT_EQ(gtp.Says("undo"), "=\n\n");
  EXPECT_EQ(gtp.session().names(), (std::vector<std::string>{"c3"}));
  EXPECT_EQ(gtp.Says("play w pass"), "=\n\n");
  EXPECT_EQ(gtp.Says("play w a1"), "? illegal move\n\n") << "two passes would have ended the game";
}

TEST(GtpEngine, WritesGoPointsInCapitalsWithoutI) {
  Gtp gtp("go9");
  EXPECT_EQ(gtp.Says("play b j9"), "=\n\n");
  EXPECT_EQ(gtp.Says("play w i9"), "? illegal move\n\n");
  EXPECT_TRUE(gtp.Says("all_legal w").ends_with(" H9 PASS\n\n"));
  EXPECT_EQ(gtp.Says("genmove w"), "= PASS\n\n");
}

TEST(GtpEngine, ChangesTheBoardAndTheKomi) {
  Gtp gtp("go9");
  gtp.refused = "go7";
  gtp.Says("play b e5");
  EXPECT_EQ(gtp.Says("boardsize 7"), "? unacceptable size\n\n");
  EXPECT_EQ(gtp.Says("boardsize 19"), "? unacceptable size\n\n");
  EXPECT_EQ(gtp.Says("boardsize 99999999999999999999"), "? syntax error\n\n");
  EXPECT_EQ(gtp.Says("boardsize five"), "? syntax error\n\n");
  EXPECT_EQ(gtp.session().moves().size(), 1u) << "what is refused changes nothing";
  EXPECT_EQ(gtp.Says("komi 6.5"), "=\n\n");
  EXPECT_EQ(gtp.script.start.komi, 6.5);
  EXPECT_EQ(gtp.session().moves().size(), 1u);
  EXPECT_EQ(gtp.Says("clear_board"), "=\n\n");
  EXPECT_EQ(gtp.script.start.komi, 6.5) << "komi outlives clear_board";
  EXPECT_EQ(gtp.session().moves().size(), 0u);
  EXPECT_TRUE(gtp.Says("komi 0.3").starts_with("? komi 0.3 in go9 must be a multiple"));
  EXPECT_EQ(gtp.Says("komi nan").front(), '?');
  EXPECT_EQ(gtp.Says("boardsize 5"), "=\n\n");
  EXPECT_EQ(gtp.session().game().info().entry, "go5");
  EXPECT_EQ(gtp.Says("fixed_handicap 2"), "? handicap games are not supported\n\n");

  Gtp hex("hex5");
  EXPECT_EQ(hex.Says("komi 0"), "=\n\n");
  EXPECT_EQ(hex.Says("komi 7.5"), "? game 'hex5' has no option komi\n\n");
  Gtp four("connect_four");
  EXPECT_EQ(four.Says("boardsize 7"), "=\n\n");
  EXPECT_EQ(four.Says("boardsize 8"), "? unacceptable size\n\n");
}

TEST(GtpEngine, ScoresWhatStands) {
  Gtp go("go5");
  EXPECT_EQ(go.Says("final_score"), "= W+0.5\n\n");
  go.Says("play b c3");
  EXPECT_EQ(go.Says("final_score"), "= B+24.5\n\n");
  go.Says("komi 25");
  EXPECT_EQ(go.Says("final_score"), "= 0\n\n");
  go.Says("play w a1");
  go.Says("play b d3");
  EXPECT_EQ(go.Says("final_status_list alive"), "= C3 D3\nA1\n\n");
  EXPECT_EQ(go.Says("final_status_list dead"), "=\n\n");
  EXPECT_EQ(go.Says("final_status_list what"), "? syntax error\n\n");

  Gtp othello("othello6");
  othello.Says("genmove b");
  EXPECT_EQ(othello.Says("final_score"), "= B+3\n\n");

  Gtp ttt("tic_tac_toe");
  EXPECT_EQ(ttt.Says("final_score"), "? cannot score: the game is not over\n\n");
  for (const char* move : {"b a1", "w a2", "b b1", "w b2", "b c1"}) {
    EXPECT_EQ(ttt.Says(StrCat("play ", move)), "=\n\n");
  }
  EXPECT_EQ(ttt.Says("final_score"), "= B+\n\n");
  EXPECT_EQ(ttt.Says("gogui-rules_final_result"), "= black wins\n\n");
  EXPECT_EQ(ttt.Says("genmove w"), "? the game is over\n\n");
  EXPECT_EQ(ttt.Says("gogui-rules_legal_moves"), "=\n\n");
  EXPECT_EQ(ttt.Says("gogui-rules_board"), "= . . .\nO O .\nX X X\n\n");
}

TEST(GtpEngine, ReadsAndWritesSgf) {
  const std::string path = ::testing::TempDir() + "gtp_engine_test.sgf";
  Gtp gtp("go5");
  gtp.Says("komi 3.5");
  for (const char* move : {"b c3", "w b2", "b pass"}) gtp.Says(StrCat("play ", move));
  EXPECT_TRUE(gtp.Says("printsgf").starts_with("=\n(;"));
  EXPECT_EQ(gtp.Says(StrCat("printsgf ", path)), "=\n\n");
  Gtp other("go5");
  other.Says("play b a1");
  EXPECT_EQ(other.Says(StrCat("loadsgf ", path)), "=\n\n");
  EXPECT_EQ(other.session().names(), (std::vector<std::string>{"c3", "b2", "pass"}));
  EXPECT_EQ(other.session().options().komi, 3.5);
  EXPECT_EQ(other.Says("undo"), "=\n\n");
  EXPECT_EQ(other.Says(StrCat("loadsgf ", path, " 2")), "=\n\n");
  EXPECT_EQ(other.session().names(), (std::vector<std::string>{"c3"}));
  EXPECT_EQ(other.Says("loadsgf no_such_file.sgf"), "? cannot load file\n\n");
  EXPECT_EQ(other.Says(StrCat("loadsgf ", path, " 0")), "? syntax error\n\n");
  EXPECT_EQ(other.session().names().size(), 1u) << "what is refused changes nothing";
  Gtp hex("hex5");
  EXPECT_TRUE(hex.Says(StrCat("loadsgf ", path)).starts_with("? cannot load file: "));
}

TEST(GtpEngine, ResignsWhenAskedToAndOnlyThen) {
  Gtp gtp("hex5", {.resign_threshold = 0.9, .resign_streak = 2});
  gtp.script.value = -0.95;
  EXPECT_EQ(gtp.Says("genmove b"), "= e5\n\n");
  EXPECT_EQ(gtp.Says("genmove w"), "= e4\n\n") << "each side has a streak of its own";
  EXPECT_EQ(gtp.Says("genmove b"), "= resign\n\n");
  EXPECT_EQ(gtp.session().moves().size(), 2u);
  Gtp never("hex5");
  never.script.value = -1;
  for (int i = 0; i < 5; ++i) {
    EXPECT_NE(never.Says(i % 2 == 0 ? "genmove b" : "genmove w"), "= resign\n\n");
  }
}

TEST(GtpEngine, ThinksAsLongAsTheClockLeaves) {
  Gtp gtp("hex5");
  gtp.Says("genmove b");
  EXPECT_FALSE(gtp.script.limits.time.has_value());
  EXPECT_EQ(gtp.Says("time_settings 60 10 5"), "=\n\n");
  gtp.Says("genmove w");
  ASSERT_TRUE(gtp.script.limits.time.has_value());
  EXPECT_LT(*gtp.script.limits.time, std::chrono::seconds(30));
  EXPECT_EQ(gtp.Says("time_left b 4 2"), "=\n\n");
  gtp.Says("genmove b");
  EXPECT_LE(*gtp.script.limits.time, std::chrono::seconds(2));
  EXPECT_GT(*gtp.script.limits.time, std::chrono::seconds(1));
  EXPECT_EQ(gtp.Says("time_left w 4 2"), "=\n\n");
  gtp.Says("reg_genmove w");
  EXPECT_LE(*gtp.script.limits.time, std::chrono::seconds(2));
  EXPECT_GT(*gtp.script.limits.time, std::chrono::seconds(1));
  EXPECT_EQ(gtp.Says("time_settings 0 10 0"), "=\n\n");  // no limits
  gtp.Says("genmove w");
  EXPECT_FALSE(gtp.script.limits.time.has_value());
  EXPECT_EQ(gtp.Says("time_settings 0 0 0").front(), '?');
  EXPECT_EQ(gtp.Says("time_settings -1 0 0"), "? syntax error\n\n");
  EXPECT_EQ(gtp.Says("time_settings 1e300 0 0"), "? syntax error\n\n");
  EXPECT_EQ(gtp.Says("time_left red 1 1"), "? syntax error\n\n");
}

TEST(GtpEngine, StreamsAnalysesUntilTheNextLine) {
  Gtp gtp("go5");
  gtp.script.reports = 1000;
  gtp.port.questions_before_input = 4;
  const std::string text = gtp.Says("3 lz-analyze b 50");
  const std::string line =
      "info move PASS visits 3 winrate 6250 prior 5000 order 0 pv PASS info move A1 visits 1 "
      "winrate 2500 prior 2500 order 1 pv A1\n";
  EXPECT_TRUE(text.starts_with("=3\n" + line)) << text;
  EXPECT_TRUE(text.ends_with(line + "\n")) << text;
  EXPECT_EQ(gtp.script.limits.progress_every, std::chrono::milliseconds(500));
  EXPECT_EQ(gtp.session().moves().size(), 0u);

  gtp.port.questions_before_input = 1;
  const std::string kata = gtp.Says("kata-analyze interval 10 maxmoves 1 rootInfo true");
  EXPECT_TRUE(
      kata.starts_with("=\ninfo move PASS visits 3 utility 0.250000 winrate 0.625000 prior "
                       "0.500000 order 0 pv PASS rootInfo winrate 0.625000"))
      << kata;
  EXPECT_EQ(gtp.Says("lz-analyze avoid b c3 1").front(), '?');
  EXPECT_EQ(gtp.Says("lz-analyze interval").front(), '?');
  EXPECT_EQ(gtp.Says("lz-analyze interval -5").front(), '?');
}

TEST(GtpEngine, StreamsWhileItChoosesAMove) {
  Gtp gtp("hex5");
  gtp.script.reports = 2;
  const std::string text = gtp.Says("lz-genmove_analyze b 10");
  EXPECT_TRUE(text.starts_with("=\ninfo move e5 ")) << text;
  EXPECT_TRUE(text.ends_with("\nplay e5\n\n")) << text;
  EXPECT_EQ(gtp.session().moves().size(), 1u);
  EXPECT_TRUE(gtp.Says("kata-genmove_analyze w").ends_with("play e4\n\n"));
}

TEST(GtpEngine, EndsWhenNobodyReads) {
  Gtp gtp("go5");
  gtp.script.reports = 1000;
  gtp.port.questions_before_input = 1'000'000;
  gtp.port.is_closed = true;
  gtp.Says("lz-analyze b");
  EXPECT_EQ(gtp.next, DialogueNext::kQuit);
}

TEST(GtpEngine, TellsWhyThePlayerFails) {
  Gtp gtp("go5");
  gtp.script.fails = true;
  EXPECT_EQ(gtp.Says("play b c3"), "=\n\n");
  EXPECT_EQ(gtp.Says("genmove b"), "? the player is gone\n\n");
  EXPECT_EQ(gtp.session().moves().size(), 1u) << "the pass that made it black's turn is taken back";
}

TEST(GtpEngine, AnswersEveryLineOfJunk) {
  Gtp gtp("go5");
  Rng rng(7);
  const std::vector<std::string> words = {
      "play",     "b",    "w",    "c3",        "genmove",   "undo",  "komi",       "99", "-1",
      "\xff\xfe", "\x01", "pass", "showboard", "time_left", "1e999", "lz-analyze", "0"};
  for (int i = 0; i < 3000; ++i) {
    std::string line;
    for (std::uint64_t count = rng.Below(5); count > 0; --count) {
      line += words[rng.Below(words.size())] + (rng.Below(9) == 0 ? "\t" : " ");
    }
    const std::string answer = gtp.Says(line);
    ASSERT_EQ(gtp.next, DialogueNext::kGoOn);
    if (answer.empty()) continue;
    ASSERT_TRUE(answer.front() == '=' || answer.front() == '?') << line << " -> " << answer;
    ASSERT_EQ(answer.find("\n\n"), answer.size() - 2) << line << " -> " << answer;
  }
  EXPECT_EQ(gtp.Says(std::string(1 << 20, 'x')), "? unknown command\n\n");
}

}  // namespace
}  // namespace az
