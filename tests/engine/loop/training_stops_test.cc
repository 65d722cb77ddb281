// A run that is stopped anywhere, and what its state then says.

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <optional>
#include <set>

#include "base/strings.h"
#include "scheduler/planner.h"
#include "tests/engine/loop/training_fixture.h"

namespace az {
namespace {

class StoppedRunTest : public TrainingLoopTest {
 protected:
  void SetUp() override {
    TrainingLoopTest::SetUp();
    config_.search.resign.threshold = 0.8f;
  }
  // Workers play, and audit, what the journals do not hold.
  void PlayOnce(FakeFleet& fleet) {
    fleet.on_play = [this, &fleet](const GamePhaseSpec& spec) {
      if (spec.kind != GameKind::kSelfPlay || !played_.insert(spec.iteration).second) return;
      fleet.totals.resign_audited += 80;
      fleet.totals.resign_errors += 2;
    };
  }
  Result<void> StartAnew(FakeFleet& fleet) {
    std::filesystem::remove_all(folder_);
    played_.clear();
    PlayOnce(fleet);
    return Start(fleet);
  }
  // The run was stopped where `first` says, and comes to what an undisturbed one comes to.
  void ExpectGoesOn(FakeFleet& first, const RunState& whole) {
    const Result<void> stopped = StartAnew(first);
    ASSERT_FALSE(stopped);
    EXPECT_EQ(stopped.error().code, Errc::kStopped);
    FakeFleet second;
    PlayOnce(second);
    const Result<void> finished = Start(second);
    ASSERT_TRUE(finished) << finished.error().message;
    EXPECT_EQ(state_.phase, Phase::kComplete);
    EXPECT_EQ(state_.best, "iter_000002");
    EXPECT_EQ(state_.promotions, 2);
    EXPECT_EQ(state_.gates, 2);
    EXPECT_EQ(state_.games, 12u);
    EXPECT_EQ(state_.positions, whole.positions);
    EXPECT_EQ(state_.resign, whole.resign);
    EXPECT_EQ(state_.final_results.size(), 3u);
    const std::vector<nlohmann::json> lines = IterationLines();
    ASSERT_EQ(lines.size(), 2u);
    for (const nlohmann::json& line : lines) {  // nothing that an ended phase measured is lost
      for (const char* key : {"self_play_s", "train_s", "loss", "arena_s", "arena_wins", "promoted",
                              "publish_s", "evaluations"}) {
        EXPECT_TRUE(line.contains(key)) << key << ": " << line;
      }
    }
  }

 private:
  std::set<std::uint32_t> played_;  // iterations
};

TEST_F(StoppedRunTest, StoppedAtAnyCallTheNextStartsFinishTheSameRun) {
  FakeFleet whole;
  ASSERT_TRUE(StartAnew(whole));
  const RunState end = state_;
  EXPECT_EQ(end.resign.games, 160);
  for (int stop = 0; stop < static_cast<int>(whole.calls.size()); ++stop) {
    SCOPED_TRACE(StrCat("stopped at call ", stop));
    FakeFleet first;
    first.fail_at_call = stop;
    ExpectGoesOn(first, end);
  }
}

TEST_F(StoppedRunTest, StoppedAtAnyBoundaryTheNextStartsFinishTheSameRun) {
  FakeFleet whole;
  ASSERT_TRUE(StartAnew(whole));
  const RunState end = state_;
  ASSERT_EQ(whole.releases, 9) << "three an iteration, and the final matches";
  for (int stop = 0; stop < whole.releases; ++stop) {
    SCOPED_TRACE(StrCat("stopped at boundary ", stop));
    FakeFleet first;
    first.fail_at_release = stop;
    ExpectGoesOn(first, end);
  }
}

// What memory taught a run is on disk whatever ends it.
class LessonsTest : public TrainingLoopTest {
 protected:
  void SetUp() override {
    TrainingLoopTest::SetUp();
    input_ = InputOfTwoCores();
    plan_ = MakePlan(input_).value();
  }
  static OomMessage TrainOom() {
    return {.where = "train", .text = "out of memory", .rung = "halved", .micro_batch = 64};
  }
};

TEST_F(LessonsTest, ARunThatBreaksKeepsWhatItsTrainingFailedOf) {
  FakeFleet fleet;
  fleet.training_breaks = true;
  fleet.on_train = [&fleet] { fleet.ooms = {TrainOom()}; };
  const Result<void> run = Start(fleet);
  ASSERT_FALSE(run);
  EXPECT_EQ(run.error().code, Errc::kIo);
  EXPECT_EQ(OnDisk().memory.train.rungs, 1);
  EXPECT_EQ(OnDisk().memory.failed.size(), 1u);
}

TEST_F(LessonsTest, ARunWithoutRoomForTrainingKeepsHowFarItWentDown) {
  FakeFleet fleet;
  fleet.trainings_without_room = 100;
  const Result<void> run = Start(fleet);
  ASSERT_FALSE(run);
  EXPECT_EQ(run.error().code, Errc::kNoMemory);
  EXPECT_GT(OnDisk().memory.train.rungs, 1);
  EXPECT_EQ(OnDisk().memory, state_.memory);
}

// As the kernel kills a container that took too much: in the middle of the phase.
TEST_F(LessonsTest, ARunThatIsKilledInThePhaseKnowsItsFailures) {
  config_.search.resign.threshold = 0.8f;
  FakeFleet fleet;
  std::optional<RunState> killed;
  fleet.on_play = [&](const GamePhaseSpec& spec) {
    if (spec.kind != GameKind::kSelfPlay || spec.iteration != 1) return;
    fleet.totals.resign_audited += 80;
    fleet.ooms = {TrainOom()};
    fleet.tick();
    killed = OnDisk();
  };
  ASSERT_TRUE(Start(fleet));
  ASSERT_TRUE(killed);
  EXPECT_EQ(killed->memory.train.rungs, 1);
  EXPECT_EQ(killed->phase, Phase::kSelfPlay);
  EXPECT_EQ(killed->iteration, 1u);
  EXPECT_EQ(killed->games, 6u) << "nothing of the phase that is on";
  EXPECT_EQ(killed->resign.games, 0);
  EXPECT_TRUE(killed->totals.is_open);
}

}  // namespace
}  // namespace az
