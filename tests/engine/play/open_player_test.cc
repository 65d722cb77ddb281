// What needs no network; players of checkpoints are in tests/engine/apps.

#include "engine/play/open_player.h"

#include <gtest/gtest.h>

#include <chrono>
#include <string>

namespace az {
namespace {

Error FaultOf(const PlayerRequest& request) {
  const Result<ResolvedPlayer> player = ResolvePlayer(request, {});
  EXPECT_FALSE(player) << request.player;
  return player ? Error{} : player.error();
}

TEST(ResolvePlayer, FindsTheGameAndTheSimulations) {
  const auto player = ResolvePlayer({.player = "mcts:sims=50", .game = "hex", .board_size = 4}, {});
  ASSERT_TRUE(player) << player.error().message;
  EXPECT_EQ(player->game->info().entry, "hex4");
  EXPECT_EQ(player->search.visits, 50);
  EXPECT_FALSE(player->source.has_value());
}

TEST(ResolvePlayer, SaysWhatIsWrong) {
  EXPECT_NE(FaultOf({}).message.find("no player"), std::string::npos);
  EXPECT_NE(FaultOf({.player = "random"}).message.find("say which"), std::string::npos);
  EXPECT_EQ(FaultOf({.player = "random", .game = "chess"}).code, Errc::kNotFound);
  EXPECT_EQ(FaultOf({.player = "random", .game = "hex", .board_size = 60}).code, Errc::kNotFound);
  EXPECT_EQ(FaultOf({.player = "gtp:gnugo", .game = "go9"}).code, Errc::kInvalid);
  EXPECT_NE(FaultOf({.player = "runs/nowhere"}).message.find("runs/nowhere"), std::string::npos);
  EXPECT_NE(FaultOf({.player = "solver", .game = "go9"}).message.find("go9"), std::string::npos);
}

TEST(ResolvePlayer, RefusesATimeThatIsNotKept) {
  const auto fault = [](const std::string& player, TimeKept kept) {
    const auto resolved = ResolvePlayer({.player = player, .game = "hex5"}, {.time = kept});
    if (resolved) return std::string();
    EXPECT_EQ(resolved.error().code, Errc::kInvalid);
    return resolved.error().message;
  };
  for (const std::string text : {"mcts:seconds=0.2", "mcts:sims=50&seconds=0.2"}) {
    EXPECT_NE(fault(text, TimeKept::kNone).find("(seconds)"), std::string::npos);
    EXPECT_EQ(fault(text, TimeKept::kSeconds), "");
    EXPECT_EQ(fault(text, TimeKept::kClock), "");
  }
  for (const std::string text : {"mcts:clock=10", "mcts:sims=50&clock=10"}) {
    EXPECT_NE(fault(text, TimeKept::kNone).find("(clock)"), std::string::npos);
    EXPECT_NE(fault(text, TimeKept::kSeconds).find("(clock)"), std::string::npos);
    EXPECT_EQ(fault(text, TimeKept::kClock), "");
  }
  EXPECT_EQ(fault("mcts:sims=50", TimeKept::kNone), "");
}

TEST(OpenThinker, EndsBySimulationsBesideATime) {
  for (const std::string text : {"mcts:sims=40&seconds=5", "mcts:sims=40&clock=60"}) {
    const auto player = ResolvePlayer({.player = text, .game = "hex5"}, {.time = TimeKept::kClock});
    ASSERT_TRUE(player) << player.error().message;
    const auto thinker = OpenThinker(*player, {});
    ASSERT_TRUE(thinker);
    const auto thought = (*thinker)->Think({}, {.time = std::chrono::seconds(5)}, {});
    ASSERT_TRUE(thought);
    EXPECT_EQ(thought->simulations, 40u) << text;
  }
}

TEST(OpenThinker, KeepsToTheSecondsOfItsPlayer) {
  const auto player =
      ResolvePlayer({.player = "mcts:seconds=0.02", .game = "hex5"}, {.time = TimeKept::kSeconds});
  ASSERT_TRUE(player) << player.error().message;
  const auto thinker = OpenThinker(*player, {});
  ASSERT_TRUE(thinker);
  const auto timed = (*thinker)->Think({}, {}, {});
  ASSERT_TRUE(timed);
  EXPECT_GE(timed->seconds, 0.02);
  const auto counted = (*thinker)->Think({}, {.simulations = 5}, {});
  ASSERT_TRUE(counted);
  EXPECT_EQ(counted->simulations, 5u);
  EXPECT_TRUE((*thinker)->Idle());
}

}  // namespace
}  // namespace az
