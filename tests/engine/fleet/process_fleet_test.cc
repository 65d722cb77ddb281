// ProcessFleet with the real programs: which device process serves a phase, and loads that fail.

#include "engine/fleet/process_fleet.h"

#include <filesystem>
#include <string>

#include "engine/config/plan_request.h"
#include "scheduler/footprint.h"
#include "tests/engine/fleet/process_fleet_fixture.h"

namespace az {
namespace {

// As beside a GPU, only that the first device is the processor too.
TEST_F(ProcessFleetTest, AProcessOfItsOwnServesTheArenaInThePlaceOfTheFirst) {
  plan_.on_cpu = {.arena = true, .runners = 2, .buckets = {8}};
  Start();
  const std::filesystem::path network = MakeNetwork();
  ASSERT_TRUE(fleet_->Load(0, network, 1));
  const std::optional<pid_t> first = fleet_->pid(kDeviceLane);
  EXPECT_EQ(Play(GameKind::kSelfPlay, 0).value(), 4);

  ASSERT_TRUE(fleet_->Place(PlanPhase::kArena));
  const std::optional<pid_t> arena = fleet_->pid(kDeviceLane);
  EXPECT_NE(arena, first);
  EXPECT_EQ(fleet_->DevicePids().size(), 1u) << "the other one is gone";
  EXPECT_NE(fleet_->DeviceText().find("2 runners"), std::string::npos) << fleet_->DeviceText();
  ASSERT_TRUE(fleet_->Load(1, network, 2));
  EXPECT_EQ(Play(GameKind::kGate, 0).value(), 4);
  ASSERT_TRUE(fleet_->Place(PlanPhase::kArena));  // there already
  EXPECT_EQ(fleet_->pid(kDeviceLane), arena);
  fleet_->Unload(1);

  ASSERT_TRUE(fleet_->Place(PlanPhase::kSelfPlay));
  EXPECT_NE(fleet_->pid(kDeviceLane), arena);
  EXPECT_NE(fleet_->DeviceText().find("1 runners"), std::string::npos) << fleet_->DeviceText();
  EXPECT_EQ(Play(GameKind::kSelfPlay, 1).value(), 4);
  EXPECT_EQ(fleet_->Totals().failed_games, 0u);
  EXPECT_EQ(fleet_->Totals().device_restarts, 0u) << "they were asked to end";
}

TEST_F(ProcessFleetTest, TrainingHasItsProcessToo) {
  plan_.on_cpu = {.train = true, .buckets = {8}};
  Start();
  const std::optional<pid_t> first = fleet_->pid(kDeviceLane);
  ASSERT_TRUE(fleet_->Place(PlanPhase::kTrain));
  EXPECT_NE(fleet_->pid(kDeviceLane), first);
  MakeNetwork();
  EXPECT_TRUE(std::filesystem::exists(dir_->checkpoint(CheckpointName(0))));
}

// A killed process has a successor of the same kind.
TEST_F(ProcessFleetTest, TheArenasProcessMayDie) {
  plan_.on_cpu = {.arena = true, .runners = 2, .buckets = {8}};
  Start();
  const std::filesystem::path network = MakeNetwork();
  ASSERT_TRUE(fleet_->Load(0, network, 1));
  ASSERT_TRUE(fleet_->Place(PlanPhase::kArena));
  ASSERT_TRUE(fleet_->Load(1, network, 2));
  ::kill(*fleet_->pid(kDeviceLane), SIGKILL);
  EXPECT_EQ(Play(GameKind::kGate, 0).value(), 4);
  EXPECT_EQ(fleet_->Totals().device_restarts, 1u);
  EXPECT_NE(fleet_->DeviceText().find("2 runners"), std::string::npos) << fleet_->DeviceText();
}

TEST_F(ProcessFleetTest, ALoadWithoutRoomComesBackAndAnotherPlanMayFollow) {
  Start();
  const std::filesystem::path network = MakeNetwork();
  ASSERT_TRUE(fleet_->Load(0, network, 1));

  Plan narrow = plan_;  // one network of 64 x 2 takes some 0.3 MiB, and as much while it comes
  narrow.allocator_cap = KiB(64);
  const Result<void> followed = fleet_->Apply(narrow);
  ASSERT_FALSE(followed) << "the new process cannot hold what the old one held";
  EXPECT_EQ(followed.error().code, Errc::kNoMemory);

  ASSERT_TRUE(fleet_->Apply(plan_));  // and has it again
  EXPECT_EQ(Play(GameKind::kSelfPlay, 0).value(), 4);

  fleet_->Unload(0);
  ASSERT_TRUE(fleet_->Apply(narrow)) << "nothing to hold";
  const Result<void> loaded = fleet_->Load(0, network, 2);
  ASSERT_FALSE(loaded);
  EXPECT_EQ(loaded.error().code, Errc::kNoMemory) << loaded.error().message;
  EXPECT_FALSE(fleet_->TakeOoms().empty());
  ASSERT_TRUE(fleet_->Apply(plan_));
  ASSERT_TRUE(fleet_->Load(0, network, 2));
  EXPECT_EQ(Play(GameKind::kSelfPlay, 1).value(), 4);
}

// The successor of a killed process has no room for what its predecessor held: the phase comes back
// with all games let go, and is played again under another plan.
TEST_F(ProcessFleetTest, APhaseWhoseDeviceHasNoRoomAnyMoreIsPlayedAgain) {
  ASSERT_NO_FATAL_FAILURE(StartWithoutRoom());
  ::kill(*fleet_->pid(kDeviceLane), SIGKILL);
  const Result<int> played = Play(GameKind::kSelfPlay, 0);
  ASSERT_FALSE(played);
  EXPECT_EQ(played.error().code, Errc::kNoMemory) << played.error().message;
  const Result<void> applied = fleet_->Apply(plan_);
  ASSERT_TRUE(applied) << applied.error().message;
  EXPECT_EQ(Play(GameKind::kSelfPlay, 0).value(), 4);
  EXPECT_EQ(fleet_->Totals().failed_games, 0u);
  EXPECT_EQ(fleet_->Totals().worker_restarts, 0u) << "they were drained";
}

// The same in a training: its process dies, and the successor cannot hold what the slots must hold.
TEST_F(ProcessFleetTest, ATrainingWhoseDeviceHasNoRoomAnyMoreIsDoneAgain) {
  ASSERT_NO_FATAL_FAILURE(StartWithoutRoom());
  TrainMessage message;
  message.to = dir_->checkpoint(CheckpointName(1)).string();
  const auto train = [&] { return fleet_->Train(message, [](const TrainProgressMessage&) {}); };
  ::kill(*fleet_->pid(kDeviceLane), SIGKILL);
  const Result<TrainedMessage> trained = train();
  ASSERT_FALSE(trained);
  EXPECT_EQ(trained.error().code, Errc::kNoMemory) << trained.error().message;
  EXPECT_TRUE(fleet_->LacksWeights());
  const Result<void> applied = fleet_->Apply(plan_);
  ASSERT_TRUE(applied) << applied.error().message;
  EXPECT_FALSE(fleet_->LacksWeights());
  ASSERT_TRUE(train());
  EXPECT_TRUE(std::filesystem::exists(message.to));
  EXPECT_EQ(Play(GameKind::kSelfPlay, 0).value(), 4);
}

// The device cannot know that nobody waits any more: its answer comes while the next is waited for.
TEST_F(ProcessFleetTest, TheAnswerToATrainingThatWasGivenUpIsNotTheNextOnes) {
  Start();
  ASSERT_TRUE(MakeDirectories(dir_->checkpoints()));
  const auto train = [this](std::uint32_t iteration) {
    TrainMessage message;
    message.iteration = iteration;
    message.to = dir_->checkpoint(CheckpointName(iteration)).string();
    return fleet_->Train(message, [](const TrainProgressMessage&) {});
  };
  ::raise(SIGINT);  // seen before any answer
  const Result<TrainedMessage> given_up = train(7);
  ASSERT_FALSE(given_up);
  EXPECT_EQ(given_up.error().code, Errc::kStopped);
  const Result<TrainedMessage> trained = train(8);
  ASSERT_TRUE(trained) << trained.error().message;
  EXPECT_EQ(trained->iteration, 8u);
  EXPECT_TRUE(std::filesystem::exists(dir_->checkpoint(CheckpointName(8))));
}

// A checkpoint that is gone, or no checkpoint any more, is refused by name; the slot is as it was.
TEST_F(ProcessFleetTest, WeightsThatCannotBeReadAreRefusedAndTheFleetGoesOn) {
  Start();
  const std::filesystem::path network = MakeNetwork();
  ASSERT_TRUE(fleet_->Load(0, network, 1));
  const std::filesystem::path other = folder_ + "/other.safetensors";
  const Result<void> missing = fleet_->Load(1, other, 2);
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().code, Errc::kNotFound) << missing.error().message;
  EXPECT_TRUE(fleet_->RefusedWeights());
  ASSERT_TRUE(WriteFileAtomic(other, "no weights at all"));
  const Result<void> damaged = fleet_->Load(1, other, 3);
  ASSERT_FALSE(damaged);
  EXPECT_NE(damaged.error().message.find("other.safetensors"), std::string::npos);
  EXPECT_TRUE(fleet_->RefusedWeights());
  EXPECT_FALSE(fleet_->LacksWeights());
  ::kill(*fleet_->pid(kDeviceLane), SIGKILL);  // its successor is not told to load it
  EXPECT_EQ(Play(GameKind::kSelfPlay, 0).value(), 4);
  EXPECT_FALSE(fleet_->RefusedWeights());
}

// It was there when the match began, and is gone when the device is started again.
TEST_F(ProcessFleetTest, AMatchWhoseWeightsAreGoneForASuccessorEndsAlone) {
  Start();
  const std::filesystem::path network = MakeNetwork();
  const std::filesystem::path other = folder_ + "/other";
  std::filesystem::copy(network, other);
  ASSERT_TRUE(fleet_->Load(0, network, 1));
  ASSERT_TRUE(fleet_->Load(1, other, 2));
  std::filesystem::remove_all(other);
  ::kill(*fleet_->pid(kDeviceLane), SIGKILL);
  const Result<int> played = Play(GameKind::kGate, 0);
  ASSERT_FALSE(played);
  EXPECT_EQ(played.error().code, Errc::kNotFound) << played.error().message;
  EXPECT_TRUE(fleet_->RefusedWeights());
  EXPECT_TRUE(fleet_->LacksWeights());
  fleet_->Unload(1);
  EXPECT_FALSE(fleet_->LacksWeights());
  EXPECT_EQ(Play(GameKind::kSelfPlay, 0).value(), 4);
  EXPECT_EQ(fleet_->Totals().worker_restarts, 0u) << "they were drained";
}

// There is room for the weights and none for a learner. The process serves on.
TEST_F(ProcessFleetTest, ATrainingWithoutRoomComesBackAndAnotherPlanMayFollow) {
  Start();
  const std::filesystem::path network = MakeNetwork();
  Plan narrow = plan_;
  const NetShape shape = NetShapeFor(config_.net, FindGame("tic_tac_toe").value()->info());
  // A load takes 3 to 3.5 times the weights, a learner more than 7 times.
  narrow.allocator_cap = InferenceStateBytes(shape, Precision::kFp32, CpuUnit::kVectors) * 5;
  ASSERT_TRUE(fleet_->Apply(narrow));
  ASSERT_TRUE(fleet_->Load(0, network, 1));
  TrainMessage message;
  message.to = dir_->checkpoint(CheckpointName(1)).string();
  const auto train = [&] { return fleet_->Train(message, [](const TrainProgressMessage&) {}); };
  const Result<TrainedMessage> trained = train();
  ASSERT_FALSE(trained);
  EXPECT_EQ(trained.error().code, Errc::kNoMemory) << trained.error().message;
  EXPECT_FALSE(fleet_->LacksWeights());
  EXPECT_EQ(fleet_->Totals().device_restarts, 0u);
  ASSERT_TRUE(fleet_->Apply(plan_));
  ASSERT_TRUE(train());
  EXPECT_EQ(Play(GameKind::kSelfPlay, 0).value(), 4);
}

// A rung of the host says nothing to a device. One that lacks what a slot must hold is tried again
// all the same.
TEST_F(ProcessFleetTest, APlanThatADeviceCouldFollowDoesNotHideThatItsSlotsAreEmpty) {
  plan_.on_cpu = {.arena = true, .buckets = {8}, .allocator_cap = KiB(64)};
  Start();
  const std::filesystem::path network = MakeNetwork();
  ASSERT_TRUE(fleet_->Load(0, network, 1));
  const Result<void> placed = fleet_->Place(PlanPhase::kArena);
  ASSERT_FALSE(placed);
  EXPECT_EQ(placed.error().code, Errc::kNoMemory);

  Plan lower = plan_;
  lower.slots = 4;
  const Result<void> applied = fleet_->Apply(lower);
  ASSERT_FALSE(applied) << "there is no more room than before";
  EXPECT_EQ(applied.error().code, Errc::kNoMemory);

  lower.on_cpu.allocator_cap = MiB(64);
  ASSERT_TRUE(fleet_->Apply(lower));
  const std::optional<pid_t> arena = fleet_->pid(kDeviceLane);
  lower.slots = 2;
  ASSERT_TRUE(fleet_->Apply(lower));
  EXPECT_EQ(fleet_->pid(kDeviceLane), arena) << "it holds its slots, and follows as it runs";
  EXPECT_EQ(Play(GameKind::kSelfPlay, 0).value(), 4);
}

}  // namespace
}  // namespace az
