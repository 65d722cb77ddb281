#include "engine/loop/plan_training.h"

#include <gtest/gtest.h>

namespace az {
namespace {

RunConfig ConfigOf(std::string panel) {
  RunConfig config;
  config.game = {.name = "tic_tac_toe", .board_size = std::nullopt};
  config.engine.device = "cpu";
  config.arena.final_games = 0;
  config.arena.panel = std::move(panel);
  return config;
}

TEST(PlanTraining, HasThePanelAndRoomForIt) {
  const Result<PlannedTraining> without = PlanTraining(ConfigOf("none"), {});
  ASSERT_TRUE(without) << without.error().message;
  EXPECT_TRUE(without->panel.players.empty());
  const Result<PlannedTraining> with = PlanTraining(ConfigOf("random, mcts:sims=100000"), {});
  ASSERT_TRUE(with) << with.error().message;
  EXPECT_EQ(with->panel.players.size(), 2u);
  EXPECT_EQ(with->input.wishes.rollout_visits, 100'000);
  EXPECT_GT(with->plan.worker_bytes, without->plan.worker_bytes);
}

TEST(PlanTraining, APanelThatCannotPlayIsRefusedFirst) {
  const Result<PlannedTraining> planned = PlanTraining(ConfigOf("nobody"), {});
  ASSERT_FALSE(planned);
  EXPECT_NE(planned.error().message.find("arena.panel = "), std::string::npos)
      << planned.error().message;
}

}  // namespace
}  // namespace az
