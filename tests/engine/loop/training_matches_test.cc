// The matches of a run: the gate's verdict, the panel, the ratings.

#include <gtest/gtest.h>

#include "engine/config/plan_request.h"
#include "tests/engine/loop/training_fixture.h"
#include "tests/support/weights_text.h"

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

// Ten games, the first four lost and the last to end: the six wins alone would pass the gate.
TEST_F(TrainingLoopTest, AFixedGateCountsPairsInTheirOrderNotTheQuickOnes) {
  config_.loop.iterations = 1;
  FakeFleet fleet;
  fleet.gate_games_not = 4;
  fleet.gate_games_not_end_last = true;
  ASSERT_TRUE(Start(fleet));
  ASSERT_GE(matches_.size(), 1u);
  EXPECT_EQ(matches_[0].kind, GameKind::kGate);
  EXPECT_EQ(matches_[0].tally, (MatchTally{.wins = 6, .losses = 4}));
  EXPECT_EQ(state_.promotions, 1);
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

TEST_F(TrainingLoopTest, AnyPlayerMayBeOfThePanel) {
  const std::filesystem::path weights = folder_ + "/other.safetensors";
  std::filesystem::create_directories(folder_);
  const GameInfo& game = (*FindGame("tic_tac_toe"))->info();
  ASSERT_TRUE(
      WriteFileAtomic(weights, WeightsText(MetadataOf({.shape = NetShapeFor(config_.net, game),
                                                       .game = game.entry,
                                                       .game_hash = game.Hash()}))));
  config_.arena.gate = Gate::kNone;
  config_.arena.panel =
      StrCat("mcts:sims=50,solver,best?sims=9,first?sims=7,", weights.string(), "?sims=5");
  config_.arena.panel_every = 1;
  FakeFleet fleet;
  // The last panel comes after the file is gone: it is one match short, and the run goes on.
  fleet.on_train = [&] {
    if (fleet.trained_from.size() == 2) std::filesystem::remove(weights);
  };
  const Result<void> run = Start(fleet);
  ASSERT_TRUE(run) << run.error().message;
  std::vector<std::string> met;
  std::vector<std::uint32_t> numbers;
  for (const HistoricMatch& match : matches_) {
    if (match.kind != GameKind::kMatch) continue;
    met.push_back(match.b);
    numbers.push_back(match.match);
  }
  EXPECT_EQ(met, (std::vector<std::string>{"mcts:sims=50", "solver", "iter_000001?sims=9",
                                           "iter_000000?sims=7", weights.string() + "?sims=5",
                                           "mcts:sims=50", "solver", "iter_000002?sims=9",
                                           "iter_000000?sims=7"}));
  EXPECT_EQ(numbers, (std::vector<std::uint32_t>{0, 1, 2, 3, 4, 16, 17, 18, 19}));
  EXPECT_EQ(std::ranges::count(fleet.calls, "load 1 other.safetensors v4"), 1);
  EXPECT_NE(summary_.find("iter_000001?sims=9 "), std::string::npos) << summary_;
  EXPECT_EQ(summary_.find("\n  iter_000001?sims=9 "), std::string::npos)
      << "with the others, not in the curve: " << summary_;
}

// Found when the panel was made up, and gone when a device reads it, before the match or in it.
TEST_F(TrainingLoopTest, APanelGoesOnWithoutAnOpponentWhoseWeightsAreGone) {
  config_.loop.iterations = 1;
  config_.arena.gate = Gate::kNone;
  config_.arena.final_games = 0;
  config_.arena.panel = "first,random";
  config_.arena.panel_every = 1;
  for (const bool in_match : {false, true}) {
    std::filesystem::remove_all(folder_);
    FakeFleet fleet;
    fleet.refuses = "iter_000000";
    fleet.refuses_in_match = in_match;
    const Result<void> run = Start(fleet);
    ASSERT_TRUE(run) << run.error().message;
    ASSERT_EQ(matches_.size(), 1u);
    EXPECT_EQ(matches_[0].b, "random");
    EXPECT_EQ(fleet.in_slot_1, "") << "no successor of the device is told to load it";
  }
}

// An error that is not about the opponent's weights ends the run.
TEST_F(TrainingLoopTest, APanelMatchThatFailsOtherwiseEndsTheRun) {
  config_.arena.panel = "first";
  config_.arena.panel_every = 1;
  FakeFleet fleet;
  fleet.refuses = "iter_000000";
  fleet.tells_refusals = false;
  const Result<void> run = Start(fleet);
  ASSERT_FALSE(run);
  EXPECT_EQ(run.error().code, Errc::kNotFound);
}

// The journals hold games of the panel's first match when its players change.
TEST_F(TrainingLoopTest, APanelThatHadBegunWithOthersIsNotGoneOnWith) {
  config_.loop.iterations = 1;
  config_.arena.gate = Gate::kNone;
  config_.arena.final_games = 0;
  config_.arena.panel = "random,solver";
  config_.arena.panel_every = 1;
  FakeFleet fleet;
  fleet.fail_at_call = 6;  // the panel's second match
  ASSERT_FALSE(Start(fleet));
  ASSERT_EQ(fleet.calls.back(), "play 3 0 20+0");
  EXPECT_EQ(matches_.size(), 1u);
  EXPECT_EQ(state_.panel, (std::vector<std::string>{"random", "solver"}));
  config_.arena.panel = "mcts,solver";
  FakeFleet other;
  ASSERT_TRUE(Start(other));
  ASSERT_EQ(matches_.size(), 1u);
  EXPECT_EQ(matches_[0].b, "random");
  EXPECT_TRUE(state_.panel.empty());
  // The same players go on.
  std::filesystem::remove_all(folder_);
  config_.arena.panel = "random,solver";
  FakeFleet again;
  again.fail_at_call = 6;
  ASSERT_FALSE(Start(again));
  FakeFleet rest;
  ASSERT_TRUE(Start(rest));
  EXPECT_EQ(matches_.size(), 2u);
}

// Two networks draw nothing: the second pair of their match says nothing new.
TEST_F(TrainingLoopTest, AScoreIsOfThePairsThatItsIntervalIsOf) {
  config_.loop.iterations = 1;
  config_.arena.gate = Gate::kNone;
  FakeFleet fleet;
  fleet.repeats_pairs = true;
  ASSERT_TRUE(Start(fleet));
  ASSERT_EQ(state_.final_results.size(), 3u);
  EXPECT_EQ(state_.final_results[0].replayed_pairs, 1);
  EXPECT_EQ(state_.final_results[0].games(), 4);
  EXPECT_EQ(state_.final_results[1].replayed_pairs, 0) << "random moves are drawn";
  EXPECT_NE(summary_.find(" % without 1 pair that repeats an earlier one (95 % interval "),
            std::string::npos)
      << summary_;
}

// The journals hold games against the first number of simulations.
TEST_F(TrainingLoopTest, AFinalMatchThatGoesOnAgainstOtherSimulationsIsAnotherMatch) {
  config_.loop.iterations = 1;
  config_.arena.gate = Gate::kNone;
  config_.arena.final_mcts_visits = 60;
  const auto is_mcts = [](const std::string& call) { return call.starts_with("play 2 10 "); };
  FakeFleet probe;
  ASSERT_TRUE(Start(probe));
  const auto at = std::ranges::find_if(probe.calls, is_mcts);
  ASSERT_NE(at, probe.calls.end());
  std::filesystem::remove_all(folder_);
  FakeFleet stopped;
  stopped.fail_at_call = static_cast<int>(at - probe.calls.begin());
  ASSERT_FALSE(Start(stopped));
  ASSERT_EQ(state_.final_results.size(), 2u);
  config_.arena.final_mcts_visits = 90;
  FakeFleet other;
  other.fail_at_call = 1;  // after the weights are loaded
  ASSERT_FALSE(Start(other));
  EXPECT_EQ(state_.final_mcts, (std::vector<int>{60, 90}));
  FakeFleet again;
  ASSERT_TRUE(Start(again));
  EXPECT_TRUE(again.calls.back().starts_with("play 2 11 ")) << again.calls.back();
  EXPECT_EQ(state_.final_results.back().opponent, "pure MCTS with 90 simulations");
  EXPECT_EQ(state_.final_mcts, (std::vector<int>{60, 90})) << "none of them anew";
}

TEST_F(TrainingLoopTest, FinalMatchesBeginAgainstSixNumbersOfSimulationsAtMost) {
  config_.loop.iterations = 1;
  config_.arena.gate = Gate::kNone;
  FakeFleet probe;
  ASSERT_TRUE(Start(probe));
  std::filesystem::remove_all(folder_);
  FakeFleet stopped;
  stopped.fail_at_call = static_cast<int>(probe.calls.size()) - 1;
  ASSERT_FALSE(Start(stopped));
  for (int visits = 1; visits < 7; ++visits) {
    config_.arena.final_mcts_visits = visits;
    FakeFleet next;
    next.fail_at_call = 1;
    const Result<void> run = Start(next);
    ASSERT_FALSE(run);
    EXPECT_EQ(run.error().code, visits < 6 ? Errc::kStopped : Errc::kInvalid);
  }
  config_.arena.final_mcts_visits = 3;
  FakeFleet last;
  ASSERT_TRUE(Start(last));
  EXPECT_EQ(state_.final_results.back().opponent, "pure MCTS with 3 simulations");
}

// Without a gate, or without a candidate, no match has placed the arena before the panel.
TEST_F(TrainingLoopTest, APanelPlaysWhereTheArenaDoes) {
  config_.loop.iterations = 1;
  config_.arena.gate = Gate::kNone;
  config_.arena.final_games = 0;
  config_.arena.panel = "first,random";
  config_.arena.panel_every = 1;
  FakeFleet fleet;
  ASSERT_TRUE(Start(fleet));
  ASSERT_GE(fleet.placed.size(), 4u);
  EXPECT_EQ(fleet.placed[2], "train after play 0 0 6+0");
  EXPECT_EQ(fleet.placed[3], "arena after load 0 iter_000001 v2");
}

// A panel without an opponent needs no other process.
TEST_F(TrainingLoopTest, APanelThatMeetsNobodyMovesNothing) {
  config_.loop.iterations = 1;
  config_.arena.final_games = 0;
  config_.arena.panel = "first";
  config_.arena.panel_every = 1;
  FakeFleet fleet;
  fleet.trainings_without_steps = 1;
  ASSERT_TRUE(Start(fleet));
  const std::vector<std::string> placed = {
      "train after nothing", "self_play after load 0 iter_000000 v1", "train after play 0 0 6+0",
      "arena after train iter_000001"};
  EXPECT_EQ(fleet.placed, placed) << "the last is of the final matches";
}

}  // namespace
}  // namespace az
