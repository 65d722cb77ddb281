// The matches of a run: the gate's verdict, the panel, the ratings.

#include <gtest/gtest.h>

#include "tests/engine/loop/training_fixture.h"

namespace az {
namespace {

TEST_F(TrainingLoopTest, ASequentialGateStopsAsSoonAsItKnows) {
  config_.arena.gate = Gate::kSprt;
  config_.arena.games = 1000;
  for (const int score : {1, -1}) {
    std::filesystem::remove_all(folder_);
    FakeFleet fleet;
    fleet.candidate_score = score;
    ASSERT_TRUE(Start(fleet));
    EXPECT_EQ(state_.promotions, score == 1 ? 2 : 0);
    ASSERT_GE(matches_.size(), 1u);
    EXPECT_EQ(matches_[0].kind, GameKind::kGate);
    EXPECT_LT(matches_[0].tally.games(), 200);
  }
}

TEST_F(TrainingLoopTest, APanelMeetsTheBestNetworkEverySoManyIterations) {
  config_.loop.iterations = 4;
  config_.arena.panel = "first,earlier,random,mcts";
  config_.arena.panel_every = 2;
  config_.arena.panel_games = 8;
  FakeFleet fleet;
  const Result<void> run = Start(fleet);
  ASSERT_TRUE(run) << run.error().message;
  std::vector<std::string> met;
  for (const HistoricMatch& match : matches_) {
    if (match.kind != GameKind::kMatch) continue;
    EXPECT_EQ(match.tally.games(), 8);
    met.push_back(match.a + " " + match.b);
  }
  const std::vector<std::string> expected = {"iter_000002 iter_000000", "iter_000002 iter_000001",
                                             "iter_000002 random", "iter_000002 mcts:sims=200",
                                             "iter_000004 iter_000000"};
  ASSERT_GE(met.size(), expected.size());
  EXPECT_TRUE(std::equal(expected.begin(), expected.end(), met.begin())) << Join(met, "; ");
  EXPECT_EQ(met.back(), "iter_000004 mcts:sims=200");
  // Each won all of its games against the one before.
  ASSERT_GE(ratings_.size(), 5u);
  EXPECT_EQ(ratings_[0].name, "iter_000000");
  for (int i = 1; i < 5; ++i) {
    EXPECT_GT(ratings_[static_cast<std::size_t>(i)].elo,
              ratings_[static_cast<std::size_t>(i - 1)].elo);
  }
}

}  // namespace
}  // namespace az
