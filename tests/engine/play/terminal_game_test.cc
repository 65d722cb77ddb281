#include "engine/play/terminal_game.h"

#include <gtest/gtest.h>

#include <array>
#include <map>
#include <string>
#include <vector>

#include "base/rng.h"
#include "engine/play/terminal_level.h"
#include "tests/engine/play/fake_dialogue.h"

namespace az {
namespace {

using testing::FakePort;
using testing::FakeThinker;
using testing::ThinkerScript;

// A person who types, against a player that the test commands.
class Terminal {
 public:
  explicit Terminal(const std::string& entry, TerminalOptions options = {})
      : game_(Started(entry, options)) {
    next = game_.Begin(port);
    begin = port.Taken();
  }
  std::string Says(std::string_view line) {
    next = game_.Handle(line, port);
    return port.Taken();
  }
  const std::vector<std::string>& moves() const { return game_.session().names(); }

  ThinkerScript script;
  FakePort port;
  DialogueNext next = DialogueNext::kGoOn;
  std::string begin;
  NotedGame saved;

 private:
  TerminalGame Started(const std::string& entry, TerminalOptions& options) {
    const GameOps& game = **FindGame(entry);
    options.opponent = "fake";
    options.save = [this](const NotedGame& record, const GameOps&,
                          const std::string& path) -> Result<void> {
      if (path == "full") return Error{Errc::kNoSpace, "no space"};
      saved = record;
      return {};
    };
    return TerminalGame(GameSession::Create(game).value(),
                        std::make_unique<FakeThinker>(game, script), options);
  }
  TerminalGame game_;
};

bool Has(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

TEST(TerminalGame, PlaysInTurn) {
  Terminal terminal("tic_tac_toe");
  EXPECT_EQ(terminal.begin,
            "tic_tac_toe against fake; help lists the commands\n\n"
            "3 . . .\n2 . . .\n1 . . .\n  a b c\nx to move\nx> ");
  EXPECT_EQ(terminal.Says("A1"),
            "3 . . .\n2 . . .\n1[x]. .\n  a b c\no to move\n"
            "o plays c3 (value +0.25 after 4 simulations)\n"
            "3 . .[o]\n2 . . .\n1 x . .\n  a b c\nx to move\nx> ");
  EXPECT_EQ(terminal.Says(""), "x> ");
}

TEST(TerminalGame, SaysWhatIsLegal) {
  Terminal terminal("tic_tac_toe");
  terminal.Says("a1");
  EXPECT_EQ(terminal.Says("a1"),
            "move 'a1' is not legal in tic_tac_toe here; legal are b1 c1 a2 b2 c2 a3 b3 (moves "
            "lists all)\nx> ");
  EXPECT_EQ(terminal.Says("moves"), "b1 c1 a2 b2 c2 a3 b3\nx> ");
  EXPECT_EQ(terminal.Says("hlep"), "'hlep' is no command; did you mean 'help'?\nx> ");
  EXPECT_EQ(terminal.moves().size(), 2u);
  EXPECT_TRUE(Has(terminal.Says("help"), "undo"));
}

TEST(TerminalGame, TakesBackToThePersonsChoice) {
  Terminal terminal("tic_tac_toe");
  EXPECT_TRUE(Has(terminal.Says("undo"), "nothing to undo"));
  terminal.Says("a1");
  terminal.Says("b1");
  ASSERT_EQ(terminal.moves().size(), 4u);
  terminal.Says("undo");
  EXPECT_EQ(terminal.moves(), (std::vector<std::string>{"a1", "c3"}));
  terminal.Says("side o");  // the player moves for x now
  EXPECT_EQ(terminal.moves().size(), 3u);
  terminal.Says("side both");
  terminal.Says("undo");
  EXPECT_EQ(terminal.moves().size(), 2u);
}

TEST(TerminalGame, LetsThePlayerBegin) {
  Terminal terminal("connect_four", {.person = PersonSides{{false, true}}});
  EXPECT_TRUE(Has(terminal.begin, "x plays 7"));
  EXPECT_TRUE(Has(terminal.begin, "o to move\no> "));
  EXPECT_TRUE(Has(terminal.Says("undo"), "you have not moved yet"));
  EXPECT_EQ(terminal.moves().size(), 1u);
}

TEST(TerminalGame, EndsWithAResultAndBeginsAgain) {
  Terminal terminal("tic_tac_toe");
  terminal.Says("a1");
  terminal.Says("b1");
  const std::string end = terminal.Says("c1");
  EXPECT_TRUE(end.ends_with("x wins\nover> ")) << end;
  EXPECT_TRUE(Has(terminal.Says("a2"), "the game is over"));
  EXPECT_TRUE(Has(terminal.Says("hint"), "the game is over"));
  EXPECT_TRUE(Has(terminal.Says("new"), "x to move\nx> "));
  EXPECT_EQ(terminal.moves().size(), 0u);
  EXPECT_EQ(terminal.script.games, 2);
  EXPECT_EQ(terminal.Says("resign"), "x resigns, o wins\nover> ");
  EXPECT_TRUE(Has(terminal.Says("undo"), "x to move"));
}

TEST(TerminalGame, WatchesWithNoSideOfItsOwn) {
  Terminal terminal("tic_tac_toe", {.person = PersonSides{{false, false}}});
  EXPECT_TRUE(terminal.begin.ends_with("x wins\nover> ")) << terminal.begin;
  terminal.Says("undo");
  const std::size_t plies = terminal.moves().size();
  EXPECT_TRUE(terminal.Says("").ends_with("x wins\nover> "));
  EXPECT_EQ(terminal.moves().size(), plies + 1);
}

TEST(TerminalGame, HintsAndAnalyses) {
  Terminal terminal("hex5");
  EXPECT_EQ(terminal.Says("hint"), "try e5 (value +0.25)\nx> ");
  EXPECT_EQ(terminal.Says("analyse 40"),
            "value +0.25 for x, 4 simulations\n"
            "  move  visits  prior  value  what would follow\n"
            "    e5       3  0.500  +0.25  e5\n"
            "    a1       1  0.250  -0.50  a1\nx> ");
  EXPECT_EQ(terminal.script.limits.simulations, 40);
  EXPECT_TRUE(Has(terminal.Says("analyse many"), "number from 1 to"));
  EXPECT_EQ(terminal.moves().size(), 0u);
}

TEST(TerminalGame, PlaysAtLevels) {
  Terminal terminal("hex5", {.level = 3});
  terminal.Says("a1");
  EXPECT_EQ(terminal.script.limits.simulations, LevelOf(3).simulations);
  EXPECT_TRUE(Has(terminal.Says("level 9"), "level 9: 1600 simulations"));
  terminal.Says("b1");
  EXPECT_EQ(terminal.script.limits.simulations, 1600);
  terminal.Says("level 0");
  terminal.Says("c1");
  EXPECT_FALSE(terminal.script.limits.simulations.has_value());
  EXPECT_TRUE(Has(terminal.Says("level 11"), "is no number from 0 to 10"));
}

TEST(TerminalGame, RefusesLevelsOfAPlayerThatHasNone) {
  Terminal terminal("hex5", {.has_levels = false});
  EXPECT_TRUE(Has(terminal.Says("level 3"), "level 3: fake has no levels"));
  EXPECT_EQ(terminal.Says("level"), "level 0: the player as it was set up\nx> ");
  EXPECT_EQ(terminal.Says("level 0"), "level 0: the player as it was set up\nx> ");
  terminal.Says("a1");
  EXPECT_FALSE(terminal.script.limits.simulations.has_value());
  EXPECT_TRUE(HasLevels(PlayerKind::kCheckpoint) && HasLevels(PlayerKind::kMcts));
  EXPECT_FALSE(HasLevels(PlayerKind::kSolver) || HasLevels(PlayerKind::kRandom));
}

TEST(TerminalGame, SavesAndSaysWhyNot) {
  Terminal terminal("hex5");
  terminal.Says("a1");
  EXPECT_TRUE(Has(terminal.Says("save game.txt"), "saved 2 moves to game.txt"));
  const NotedGame& saved = terminal.saved;
  ASSERT_EQ(saved.moves.size(), 2u);
  EXPECT_EQ(saved.moves[0].visits, 0u) << "nothing is known of the person's move";
  EXPECT_EQ(saved.moves[1].visits, 4u);
  EXPECT_FLOAT_EQ(saved.moves[1].value, 0.25f);
  EXPECT_EQ(saved.players, (std::array<std::string, 2>{"person", "fake"}));
  EXPECT_FALSE(saved.outcome.has_value());
  terminal.Says("resign");
  terminal.Says("save game.txt");
  EXPECT_EQ(terminal.saved.outcome, Outcome::kSecondWins);
  EXPECT_EQ(terminal.saved.reason, EndReason::kResigned);
  terminal.Says("undo");
  terminal.Says("undo");
  terminal.Says("save game.txt");
  EXPECT_TRUE(terminal.saved.moves.empty());
  EXPECT_TRUE(Has(terminal.Says("save full"), "no space"));
  EXPECT_TRUE(Has(terminal.Says("save"), "save FILE"));
}

TEST(TerminalGame, GoesOnWhenThePlayerFails) {
  Terminal terminal("hex5");
  terminal.script.fails = true;
  EXPECT_TRUE(Has(terminal.Says("a1"), "the player cannot move: the player is gone"));
  EXPECT_EQ(terminal.moves().size(), 1u);
  terminal.script.fails = false;
  EXPECT_TRUE(Has(terminal.Says(""), "o plays e5"));
}

TEST(TerminalGame, SurvivesJunkAndEndsWhenAsked) {
  Terminal terminal("go5");
  Rng rng(3);
  for (int i = 0; i < 500; ++i) {
    std::string line;
    for (std::uint64_t count = rng.Below(20); count > 0; --count) {
      line += static_cast<char>(rng.Below(256));
    }
    terminal.Says(line);
    ASSERT_EQ(terminal.next, DialogueNext::kGoOn);
  }
  EXPECT_LT(terminal.Says(std::string(1 << 20, 'x')).size(), 1000u);
  terminal.Says("quit");
  EXPECT_EQ(terminal.next, DialogueNext::kQuit);
  Terminal closed("go5");
  closed.port.is_closed = true;
  closed.Says("board");
  EXPECT_EQ(closed.next, DialogueNext::kQuit);
}

TEST(TerminalLevel, DrawsByVisitsAtATemperature) {
  Thought thought{.best = Action{1}};
  thought.moves = {{.action = Action{1}, .visits = 90}, {.action = Action{2}, .visits = 10}};
  std::map<int, int> drawn;
  for (std::uint64_t i = 0; i < 2000; ++i) {
    Rng rng = Rng(5).Fork(i);
    ++drawn[Index(ChooseMove(thought, 1.0, rng))];
    EXPECT_EQ(ChooseMove(thought, 0.0, rng), Action{1});
  }
  EXPECT_NEAR(drawn[2], 200, 45);  // three deviations
  thought.proven = 1;
  Rng rng(1);
  for (int i = 0; i < 50; ++i) EXPECT_EQ(ChooseMove(thought, 1.0, rng), Action{1});
}

TEST(TerminalGame, KnowsTheSides) {
  EXPECT_TRUE(ParsePersonSides("o")->Plays(Player::kSecond));
  EXPECT_FALSE(ParsePersonSides("o")->Plays(Player::kFirst));
  EXPECT_FALSE(ParsePersonSides("left"));
}

}  // namespace
}  // namespace az
