#include "engine/process/player_message.h"

#include <gtest/gtest.h>

namespace az {
namespace {

PlayerMessage Message(std::string_view text, int model = 1) {
  return MessageFor(*ParsePlayer(text), model);
}

TEST(PlayerMessage, SaysWhatTheWorkerNeeds) {
  const PlayerMessage net = Message("runs/x?sims=64&c_puct=2");
  EXPECT_EQ(net.type, PlayerType::kNet);
  EXPECT_EQ(net.model, 1);
  EXPECT_EQ(net.visits, 64);
  EXPECT_EQ(net.settings, "sims=64&c_puct=2");
  EXPECT_EQ(Message("random").type, PlayerType::kRandom);
  EXPECT_EQ(Message("random").model, 0);
  EXPECT_EQ(Message("mcts:sims=9").type, PlayerType::kPureMcts);
  EXPECT_EQ(Message("mcts:sims=9").visits, 9);
  EXPECT_EQ(Message("solver").type, PlayerType::kSolver);
  const PlayerMessage gtp = Message("gtp:gnugo --mode gtp?timeout=5");
  EXPECT_EQ(gtp.type, PlayerType::kGtp);
  EXPECT_EQ(gtp.command, "gnugo --mode gtp");
  EXPECT_EQ(gtp.settings, "timeout=5");
}

TEST(PlayerMessage, ANetworkDrawsNothingWithoutATemperature) {
  for (const char* text : {"random", "mcts:sims=9", "solver", "runs/x?temperature=0.5"}) {
    EXPECT_TRUE(DrawsMoves(Message(text))) << text;
  }
  for (const char* text : {"runs/x", "runs/x?sims=64&gumbel=1", "gtp:gnugo --mode gtp?timeout=5"}) {
    EXPECT_FALSE(DrawsMoves(Message(text))) << text;
  }
}

}  // namespace
}  // namespace az
