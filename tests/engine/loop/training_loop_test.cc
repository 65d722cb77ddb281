// The phases against a fake fleet: what is asked of it, in which order, and what a run that stops
// anywhere does next.

#include "engine/loop/training_loop.h"

#include <fcntl.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>

#include "base/files.h"
#include "scheduler/planner.h"
#include "tests/engine/loop/training_fixture.h"

namespace az {
namespace {

TEST_F(TrainingLoopTest, GoesThroughThePhasesInOrderAndPromotes) {
  FakeFleet fleet;
  const Result<void> run = Start(fleet);
  ASSERT_TRUE(run) << run.error().message;
  const std::vector<std::string> expected = {
      "train iter_000000",     "load 0 iter_000000 v1", "play 0 0 6+6",
      "train iter_000001",     "load 1 iter_000001 v2", "play 1 0 10+0",
      "load 0 iter_000001 v3", "play 0 1 6+0",          "train iter_000002",
      "load 1 iter_000002 v4", "play 1 1 10+0",         "load 0 iter_000002 v5",
      "load 1 iter_000000 v6", "play 2 16 4+0",         "play 2 17 4+0",
      "play 2 18 4+0"};
  EXPECT_EQ(fleet.calls, expected);
  const std::vector<std::string> matches = {"play 1 0 10+0", "play 1 1 10+0", "play 2 16 4+0"};
  EXPECT_EQ(fleet.unloaded_after, matches);
  const std::vector<std::string> placed = {"train after nothing",
                                           "self_play after load 0 iter_000000 v1",
                                           "train after play 0 0 6+6",
                                           "arena after train iter_000001",
                                           "self_play after load 0 iter_000001 v3",
                                           "train after play 0 1 6+0",
                                           "arena after train iter_000002",
                                           "arena after load 0 iter_000002 v5"};
  EXPECT_EQ(fleet.placed, placed);
  EXPECT_EQ(state_.phase, Phase::kComplete);
  EXPECT_EQ(state_.promotions, 2);
  EXPECT_EQ(state_.games, 12u);
  EXPECT_EQ(state_.positions, 60u);
  ASSERT_EQ(state_.final_results.size(), 3u);
  EXPECT_EQ(state_.final_results[1].wins, 4);
}

TEST_F(TrainingLoopTest, ARefusedCandidateTrainsOnAndTheOldBestPlays) {
  FakeFleet fleet;
  fleet.candidate_score = -1;
  ASSERT_TRUE(Start(fleet));
  EXPECT_EQ(state_.best, "iter_000000");
  EXPECT_EQ(state_.learner, "iter_000002");
  EXPECT_EQ(state_.promotions, 0);
  EXPECT_EQ(state_.gates, 2);
}

TEST_F(TrainingLoopTest, ACandidateThatJustReachesTheThresholdIsPromoted) {
  config_.arena.games = 20;
  config_.arena.threshold = 0.55f;
  for (const std::uint32_t lost : {9u, 10u}) {
    std::filesystem::remove_all(folder_);
    FakeFleet fleet;
    fleet.gate_games_not = lost;
    ASSERT_TRUE(Start(fleet));
    EXPECT_EQ(state_.promotions, lost == 9 ? 2 : 0) << lost;
  }
}

TEST_F(TrainingLoopTest, ATrainingWithoutStepsIsNotGatedAndTheNextStartsWhereItDid) {
  FakeFleet fleet;
  fleet.trainings_without_steps = 1;
  ASSERT_TRUE(Start(fleet));
  EXPECT_EQ(fleet.trained_from, (std::vector<std::string>{"", "iter_000000", "iter_000000"}));
  EXPECT_EQ(state_.gates, 1);
  EXPECT_EQ(state_.learner, "iter_000002");
}

// What was counted before the device lost its room is not counted again.
// Whoever went back to its start has nothing to gate, and the next training has its lower rate.
TEST_F(TrainingLoopTest, ATrainingThatWentBackInTheEndIsNoCandidate) {
  for (const Gate gate : {Gate::kFixed, Gate::kNone}) {
    std::filesystem::remove_all(folder_);
    config_.arena.gate = gate;
    FakeFleet fleet;
    fleet.train_metrics = R"({"steps":0,"restores":1})";
    ASSERT_TRUE(Start(fleet));
    EXPECT_EQ(state_.promotions, 0);
    EXPECT_EQ(state_.gates, 0);
    EXPECT_EQ(state_.best, "iter_000000");
    EXPECT_EQ(fleet.trained_from, (std::vector<std::string>{"", "iter_000000", "iter_000001"}));
  }
}

// Random and forced moves ask the network nothing, and are not what a move costs.
TEST_F(TrainingLoopTest, CostsAreThoseOfASearchedMove) {
  config_.loop.iterations = 1;
  FakeFleet fleet;
  fleet.on_play = [&](const GamePhaseSpec& spec) {
    const bool is_self_play = spec.kind == GameKind::kSelfPlay;
    fleet.totals.cache_lookups += 40;
    fleet.totals.cache_hits += is_self_play ? 10 : 40;
    if (!is_self_play) return;
    fleet.totals.moves += 10;
    fleet.totals.searched_moves += 4;
    fleet.totals.games_finished += 6;
    fleet.totals.rows += 80;
    fleet.totals.simulations += 160;
    fleet.totals.proven_roots += 2;
  };
  ASSERT_TRUE(Start(fleet));
  const std::vector<nlohmann::json> lines = IterationLines();
  ASSERT_EQ(lines.size(), 1u);
  EXPECT_EQ(lines[0].at("rows_per_move"), 20.0);
  EXPECT_EQ(lines[0].at("simulations_per_move"), 40.0);
  EXPECT_EQ(lines[0].at("proven_root_fraction"), 0.5);
  EXPECT_EQ(lines[0].at("cache_hit_fraction"), 0.25) << "self-play's alone";
}

TEST_F(TrainingLoopTest, PhasesPlayedAgainUnderASmallerPlanCountTheirGamesOnce) {
  input_ = InputOfTwoCores();
  plan_ = MakePlan(input_).value();
  config_.loop.iterations = 1;
  config_.arena.final_games = 0;
  FakeFleet fleet;
  fleet.plays_without_room = 1;
  const Result<void> run = Start(fleet);
  ASSERT_TRUE(run) << run.error().message;
  EXPECT_EQ(std::ranges::count(fleet.calls, std::string("play 0 0 6+0")), 2);
  EXPECT_EQ(state_.games, 6u);
  EXPECT_EQ(state_.memory.inference.rungs, 1);
  // And of the gate.
  std::filesystem::remove_all(folder_);
  FakeFleet gate;
  gate.candidate_score = 0;  // undecided until the last game
  gate.on_train = [&gate] { gate.plays_without_room = 2; };
  ASSERT_TRUE(Start(gate));
  EXPECT_EQ(std::ranges::count(gate.calls, std::string("play 1 0 10+0")), 3);
  ASSERT_EQ(matches_.size(), 1u);
  EXPECT_EQ(matches_[0].tally.games(), 10);
  EXPECT_EQ(state_.memory.inference.rungs, 2);
}

TEST_F(TrainingLoopTest, ATrainingWithoutRoomIsDoneAgainWithSmallerSizes) {
  input_ = InputOfTwoCores();
  plan_ = MakePlan(input_).value();
  config_.loop.iterations = 1;
  FakeFleet fleet;
  fleet.on_train = [&fleet] {
    if (fleet.trained_rows.size() == 1)
      fleet.trainings_without_room = 2;  // after the first network
  };
  const Result<void> run = Start(fleet);
  ASSERT_TRUE(run) << run.error().message;
  ASSERT_EQ(fleet.trained_rows.size(), 4u);
  EXPECT_LT(fleet.trained_rows[2], fleet.trained_rows[1]);
  EXPECT_LT(fleet.trained_rows[3], fleet.trained_rows[2]);
  EXPECT_EQ(state_.memory.train.rungs, 2);
}

TEST_F(TrainingLoopTest, AFirstNetworkWithoutRoomIsMadeAgainUnderASmallerPlan) {
  input_ = InputOfTwoCores();
  plan_ = MakePlan(input_).value();
  config_.loop.iterations = 1;
  FakeFleet fleet;
  fleet.trainings_without_room = 2;
  const Result<void> run = Start(fleet);
  ASSERT_TRUE(run) << run.error().message;
  ASSERT_EQ(fleet.trained_rows.size(), 4u);  // and the candidate
  EXPECT_LT(fleet.trained_rows[1], fleet.trained_rows[0]);
  EXPECT_LT(fleet.trained_rows[2], fleet.trained_rows[1]);
  EXPECT_EQ(state_.memory.train.rungs, 2);
  EXPECT_EQ(state_.phase, Phase::kComplete);
}

TEST_F(TrainingLoopTest, WithoutAGateEveryCandidateIsPublished) {
  config_.arena.gate = Gate::kNone;
  FakeFleet fleet;
  ASSERT_TRUE(Start(fleet));
  EXPECT_EQ(state_.best, "iter_000002");
  EXPECT_EQ(state_.promotions, 2);
  for (const std::string& call : fleet.calls) EXPECT_NE(call.substr(0, 6), "play 1") << call;
}

TEST_F(TrainingLoopTest, ACompleteRunGoesOnWhenIterationsAreRaised) {
  FakeFleet first;
  ASSERT_TRUE(Start(first));
  config_.loop.iterations = 3;
  FakeFleet second;
  const Result<void> run = Start(second);
  ASSERT_TRUE(run) << run.error().message;
  EXPECT_EQ(state_.iteration, 3u);
  EXPECT_EQ(second.calls.at(1), "play 0 2 6+0");
  EXPECT_EQ(state_.final_results.size(), 3u);
}

TEST_F(TrainingLoopTest, ARunStoppedInItsFinalMatchesGoesOnWhenIterationsAreRaised) {
  FakeFleet first;
  first.fail_at_call = 14;
  ASSERT_FALSE(Start(first));
  ASSERT_EQ(state_.phase, Phase::kFinal);
  ASSERT_EQ(state_.final_results.size(), 1u);
  config_.loop.iterations = 3;
  FakeFleet second;
  ASSERT_TRUE(Start(second));
  EXPECT_EQ(second.calls.at(1), "play 0 2 6+0");
  EXPECT_EQ(second.calls.back(), "play 2 26 4+0");
  EXPECT_EQ(state_.iteration, 3u);
  EXPECT_EQ(state_.final_results.size(), 3u);
}

TEST_F(TrainingLoopTest, OldCheckpointsGoButBestAndFirstStay) {
  FakeFleet before;
  config_.loop.iterations = 1;
  ASSERT_TRUE(Start(before));
  config_.loop.iterations = 8;
  config_.loop.keep_checkpoints = 2;
  config_.loop.checkpoint_every = 5;
  const std::string checkpoints = folder_ + "/run/checkpoints/";
  std::filesystem::create_directories(checkpoints + "my copy");
  std::filesystem::create_directories(checkpoints + ".iter_000003.tmp");
  FakeFleet fleet;
  ASSERT_TRUE(Start(fleet));
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(folder_ + "/run/checkpoints")) {
    names.push_back(entry.path().filename().string());
  }
  std::sort(names.begin(), names.end());
  EXPECT_EQ(names, (std::vector<std::string>{"iter_000000", "iter_000005", "iter_000007",
                                             "iter_000008", "my copy"}));
}

TEST_F(TrainingLoopTest, AnotherConfigIsRefusedWithItsKeys) {
  FakeFleet fleet;
  ASSERT_TRUE(Start(fleet));
  config_.net.num_filters = 99;
  const Result<void> run = Start(fleet);
  ASSERT_FALSE(run);
  EXPECT_EQ(run.error().code, Errc::kIncompatible);
  EXPECT_NE(run.error().message.find("net.num_filters"), std::string::npos) << run.error().message;
}

TEST_F(TrainingLoopTest, ADamagedStateIsRefusedAndNothingIsWritten) {
  FakeFleet fleet;
  ASSERT_TRUE(Start(fleet));
  const std::string path = folder_ + "/run/state.json";
  const std::string half = ReadFile(path).value().substr(0, 50);
  ASSERT_TRUE(WriteFileAtomic(path, half));
  const Result<void> run = Start(fleet);
  ASSERT_FALSE(run);
  EXPECT_EQ(run.error().code, Errc::kCorrupt);
  EXPECT_EQ(ReadFile(path).value(), half);
}

TEST_F(TrainingLoopTest, TwoStartsAtOnceAreRefused) {
  const Result<RunDir> first = RunDir::Open(config_, RunDir::Mode::kResume);
  ASSERT_TRUE(first);
  const Result<RunDir> second = RunDir::Open(config_, RunDir::Mode::kResume);
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().code, Errc::kBusy);
}

TEST_F(TrainingLoopTest, ManyGamesWithoutAResultStopTheRunWithTheReason) {
  config_.self_play.games_per_iteration = 100;
  FakeFleet few;
  few.failed_games = 5;
  EXPECT_TRUE(Start(few));
  std::filesystem::remove_all(folder_);
  FakeFleet many;
  many.failed_games = 30;
  many.per_phase.bad_rows = 30;
  const Result<void> run = Start(many);
  ASSERT_FALSE(run);
  EXPECT_EQ(run.error().code, Errc::kNotFinite);
  EXPECT_NE(run.error().message.find("20 of 20 games"), std::string::npos) << run.error().message;
  std::filesystem::remove_all(folder_);
  many.per_phase.bad_rows = 0;
  const Result<void> other = Start(many);
  ASSERT_FALSE(other);
  EXPECT_EQ(other.error().code, Errc::kIo);
}

TEST_F(TrainingLoopTest, ResignationWaitsForItsAuditAndRisesWithItsErrors) {
  config_.loop.iterations = 4;
  config_.search.resign.threshold = 0.8f;
  FakeFleet fleet;
  fleet.per_phase.resign_audited = 80;
  ASSERT_TRUE(Start(fleet));
  ASSERT_EQ(fleet.self_play.size(), 4u);
  EXPECT_NEAR(fleet.self_play[0].resign_threshold, 0.8, 1e-6);
  EXPECT_FALSE(fleet.self_play[0].may_resign);
  EXPECT_TRUE(fleet.self_play[1].may_resign);
  EXPECT_EQ(state_.resign.games, 320);
  std::filesystem::remove_all(folder_);
  FakeFleet wrong;
  wrong.per_phase.resign_audited = 80;
  wrong.per_phase.resign_errors = 20;
  ASSERT_TRUE(Start(wrong));
  EXPECT_NEAR(wrong.self_play[1].resign_threshold, 0.85, 1e-6);
  EXPECT_FALSE(wrong.self_play[3].may_resign);
}

TEST_F(TrainingLoopTest, SaysThatATrainingWentBackAtOnceAndInTheSummary) {
  const std::string seen = folder_ + "_seen";
  const UniqueFd file(::open(seen.c_str(), O_RDWR | O_CREAT | O_TRUNC, 0600));
  ASSERT_TRUE(file.valid());
  display_fd_ = file.get();
  FakeFleet fleet;
  fleet.train_metrics = R"({"restores":1,"restore_reason":"loss 812.000","lr_factor":0.5})";
  ASSERT_TRUE(Start(fleet));
  const std::string text = ReadFile(seen).value();
  std::filesystem::remove(seen);
  EXPECT_NE(text.find("warning: iteration 1: training went back to its last good checkpoint 1 time "
                      "(loss 812.000); its rate is now 50.00 %"),
            std::string::npos)
      << text;
  EXPECT_NE(summary_.find("warning: training went back to its last good checkpoint 2 times"),
            std::string::npos)
      << summary_;

  display_fd_ = -1;
  config_.run.dir = folder_ + "/healthy";
  FakeFleet healthy;
  ASSERT_TRUE(Start(healthy));
  EXPECT_EQ(summary_.find("warning"), std::string::npos) << summary_;
}

}  // namespace
}  // namespace az
