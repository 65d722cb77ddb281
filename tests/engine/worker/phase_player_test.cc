#include "engine/worker/phase_player.h"

#include <gtest/gtest.h>

namespace az {
namespace {

std::vector<PhasePlayer> Players(std::vector<PlayerMessage> messages) {
  SearchOptions run;
  run.visits = 40;
  const PhaseMessage phase{
      .phase = 1, .kind = GameKind::kMatch, .iteration = 0, .players = std::move(messages)};
  const auto players = ReadPhasePlayers(phase, run);
  EXPECT_TRUE(players) << players.error().message;
  return *players;
}

TEST(PhasePlayer, SimulationsComeFromSettingsThenMessageThenRun) {
  const auto players = Players({{.visits = 8, .settings = "sims=20"}, {.visits = 8}});
  EXPECT_EQ(players[0].visits, 20);
  EXPECT_EQ(players[1].visits, 8);
  EXPECT_EQ(Players({{}, {}})[0].visits, 40);
  EXPECT_EQ(Players({{.visits = 8, .settings = "seconds=1"}, {}})[0].visits, kMostTimedVisits);
}

// A Gumbel root divides a number of simulations, which time alone does not give: of networks.
TEST(PhasePlayer, TheRunsRootRuleIsOfNetworks) {
  SearchOptions run;
  run.root = RootRule::kGumbel;
  const auto read = [&run](PlayerMessage player) {
    return ReadPhasePlayers({.phase = 1, .kind = GameKind::kMatch, .players = {{}, player}}, run);
  };
  EXPECT_FALSE(read({.settings = "seconds=1"}));
  EXPECT_TRUE(read({.type = PlayerType::kGtp, .settings = "clock=60", .command = "x"}));
  const auto rollouts = read({.type = PlayerType::kPureMcts, .settings = "seconds=1"});
  ASSERT_TRUE(rollouts) << rollouts.error().message;
  EXPECT_EQ((*rollouts)[1].visits, kMostTimedVisits);
}

TEST(PhasePlayer, TimeAndProgramsNeedFewOpenGames) {
  EXPECT_EQ(OpenGames(Players({{}, {}}), 64), 64);
  EXPECT_EQ(OpenGames(Players({{}, {.type = PlayerType::kGtp, .command = "x"}}), 64),
            kProgramSlots);
  EXPECT_EQ(OpenGames(Players({{}, {.type = PlayerType::kGtp, .command = "x"}}), 1), 1);
  EXPECT_EQ(OpenGames(Players({{}, {.settings = "seconds=1"}}), 64), 1);
}

}  // namespace
}  // namespace az
