// A run that is stopped anywhere, and what its state then says.

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <set>

#include "base/strings.h"
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

}  // namespace
}  // namespace az
