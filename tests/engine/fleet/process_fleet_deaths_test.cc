// ProcessFleet with the real programs: what a device that died, or gave up batches, leaves to its
// successor and to the caller.

#include <signal.h>
#include <sys/wait.h>

#include <algorithm>
#include <chrono>
#include <optional>
#include <utility>
#include <vector>

#include "engine/fleet/process_fleet.h"
#include "engine/ipc/shm_evaluator.h"
#include "tests/engine/fleet/process_fleet_fixture.h"

namespace az {
namespace {

constexpr auto kLimit = std::chrono::seconds(20);

// The caller works on lane 0 itself.
class ProcessFleetDeathsTest : public ProcessFleetTest {
 protected:
  void SetUp() override {
    ProcessFleetTest::SetUp();
    own_lanes_ = true;
    plan_.blocks = 4;
  }
  // It is dead and not reaped, so that the fleet does not know yet.
  void KillDevice() {
    const pid_t pid = fleet_->pid(kDeviceLane).value();
    ASSERT_EQ(::kill(pid, SIGKILL), 0);
    siginfo_t info{};
    ASSERT_EQ(::waitid(P_PID, static_cast<id_t>(pid), &info, WEXITED | WNOWAIT), 0);
  }
  // Blocks of start positions for this slot, full ones.
  std::vector<EvalBatch> Submit(ShmEvaluator& worker, ModelId model, int blocks) {
    std::vector<EvalBatch> batches;
    for (int i = 0; i < blocks; ++i) {
      batches.push_back(worker.Reserve(model, plan_.rows, Deadline::In(kLimit)).value());
      for (int row = 0; row < plan_.rows; ++row) {
        FindGame("tic_tac_toe").value()->Start()->Encode(batches.back().row(row).planes);
      }
      EXPECT_TRUE(worker.Submit(batches.back()));
    }
    return batches;
  }
  ModelState StateOf(int slot) {
    const ModelLine& line = fleet_->SegmentOf(0).header().models[slot];
    return static_cast<ModelState>(line.state.load());
  }
};

// Else the slot is kLoading in the successor for ever, and its blocks are never answered.
TEST_F(ProcessFleetDeathsTest, AnUnloadThatMetADeadDeviceReachesItsSuccessor) {
  Start();
  const std::filesystem::path network = MakeNetwork();
  ASSERT_TRUE(fleet_->Load(0, network, 1));
  ASSERT_TRUE(fleet_->Load(1, network, 2));
  ASSERT_NO_FATAL_FAILURE(KillDevice());
  ShmEvaluator worker(fleet_->SegmentOf(0), 0, 1);
  std::vector<EvalBatch> batches = Submit(worker, kCandidateModel, 2);
  fleet_->Unload(1);
  ASSERT_TRUE(fleet_->Release(CleanupLevel::kFull));
  EXPECT_EQ(StateOf(0), ModelState::kReady);
  EXPECT_EQ(StateOf(1), ModelState::kEmpty);
  for (EvalBatch& batch : batches) {
    const Result<void> answered = worker.Wait(batch, Deadline::In(kLimit));
    ASSERT_FALSE(answered);
    EXPECT_EQ(answered.error().code, Errc::kNoModel) << answered.error().message;
  }
}

// A batch of 4096 rows takes some 9 MiB a layer, weights that come some 2 MiB, and a block of 8 rows
// needs such a batch. The process goes on with smaller ones, and a plan with the large ones is one
// that it cannot follow.
TEST_F(ProcessFleetDeathsTest, ADeviceThatGaveUpBatchesIsStartedAgainForThePlanThatHasThem) {
  plan_.buckets = {4, 4096};
  plan_.allocator_cap = MiB(6);
  Start();
  ASSERT_TRUE(fleet_->Load(0, MakeNetwork(), 1));
  ShmEvaluator worker(fleet_->SegmentOf(0), 0, 1);
  std::vector<EvalBatch> batches = Submit(worker, kBestModel, plan_.blocks);
  const Deadline deadline = Deadline::In(kLimit);
  while (!std::ranges::all_of(batches, [&](auto& batch) { return worker.IsAnswered(batch); })) {
    ASSERT_FALSE(deadline.Passed());
    ASSERT_TRUE(fleet_->Release(CleanupLevel::kLight));
  }
  for (EvalBatch& batch : batches) EXPECT_TRUE(worker.Wait(batch, deadline));
  ASSERT_TRUE(fleet_->Release(CleanupLevel::kLight));  // answered after what failed was told
  const std::vector<OomMessage> ooms = fleet_->TakeOoms();
  ASSERT_FALSE(ooms.empty());
  ASSERT_EQ(ooms.back().largest_bucket, 4) << ooms.back().text;

  const std::optional<pid_t> lowered = fleet_->pid(kDeviceLane);
  ASSERT_TRUE(fleet_->Apply(plan_));
  const std::optional<pid_t> whole = fleet_->pid(kDeviceLane);
  EXPECT_NE(whole, lowered);
  ASSERT_TRUE(fleet_->Apply(plan_));
  EXPECT_EQ(fleet_->pid(kDeviceLane), whole) << "it has given up nothing";
}

// Such a cap has no room for the smallest batch where that is the large one.
class ProcessFleetRoomTest : public ProcessFleetTest {
 protected:
  void StartWith(std::vector<int> buckets) {
    plan_.buckets = std::move(buckets);
    plan_.allocator_cap = MiB(6);
    Start();
    ASSERT_TRUE(fleet_->Load(0, MakeNetwork(), 1));
  }
};

// Its successor would end the same way, and so on: the phase comes back for another plan.
TEST_F(ProcessFleetRoomTest, ADeviceWithoutRoomForItsSmallestBatchEndsThePhase) {
  plan_.runners = 2;
  ASSERT_NO_FATAL_FAILURE(StartWith({4096}));
  const Result<int> played = Play(GameKind::kSelfPlay, 0);
  ASSERT_FALSE(played);
  EXPECT_EQ(played.error().code, Errc::kNoMemory) << played.error().message;
  EXPECT_NE(played.error().message.find("inference: "), std::string::npos)
      << played.error().message;
  Plan lower = plan_;
  lower.runners = 1;
  lower.buckets = {8};
  const Result<void> applied = fleet_->Apply(lower);
  ASSERT_TRUE(applied) << applied.error().message;
  EXPECT_EQ(Play(GameKind::kSelfPlay, 0).value(), 4);
  EXPECT_EQ(fleet_->Totals().failed_games, 0u);
  EXPECT_EQ(fleet_->Totals().worker_restarts, 0u) << "they were drained";
}

}  // namespace
}  // namespace az
