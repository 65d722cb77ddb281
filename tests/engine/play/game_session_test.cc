#include "engine/play/game_session.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "games/registry.h"

namespace az {
namespace {

GameSession Session(const std::string& entry) {
  return GameSession::Create(**FindGame(entry)).value();
}

TEST(GameSession, PlaysByNameAndTakesBack) {
  GameSession session = Session("hex5");
  for (const char* move : {"C3", "b2", "d4"}) session.Play(session.Find(move).value()).value();
  EXPECT_EQ(session.names(), (std::vector<std::string>{"c3", "b2", "d4"}));
  EXPECT_EQ(session.to_move(), Player::kSecond);
  session.Undo(2);
  EXPECT_EQ(session.names(), (std::vector<std::string>{"c3"}));
  EXPECT_EQ(session.position().Hash(), [] {
    GameSession other = Session("hex5");
    other.Play(other.Find("c3").value()).value();
    return other.position().Hash();
  }());
  session.Restart();
  EXPECT_TRUE(session.moves().empty());
  EXPECT_EQ(session.LegalNames().size(), 25u);
}

TEST(GameSession, RefusesWhatIsNotLegalAndSaysWhatIs) {
  GameSession session = Session("tic_tac_toe");
  session.Play(session.Find("b2").value()).value();
  const auto taken = session.Find("b2");
  ASSERT_FALSE(taken);
  EXPECT_NE(taken.error().message.find("legal are a1 b1 c1"), std::string::npos);
  EXPECT_FALSE(session.Play(Action{4}));
  EXPECT_EQ(session.moves().size(), 1u);
}

TEST(GameSession, ChangesOptionsUnderTheSameMoves) {
  GameSession session = Session("go5");
  session.Play(session.Find("c3").value()).value();
  for (int pass = 0; pass < 2; ++pass) session.Play(session.Find("pass").value()).value();
  EXPECT_EQ(session.position().FinalOutcome(), Outcome::kFirstWins);
  ASSERT_TRUE(session.SetOptions({.komi = 25}));
  EXPECT_EQ(session.position().FinalOutcome(), Outcome::kDraw);
  EXPECT_FALSE(session.SetOptions({.komi = 1000}));
  EXPECT_EQ(session.options().komi, 25);
  EXPECT_FALSE(GameSession::Create(**FindGame("hex5"), {.komi = 1}));
}

}  // namespace
}  // namespace az
