// ProcessFleet with a device process that does as a script says (scripted_device.cc): deaths in a
// training, and weights that are refused.

#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>

#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "engine/fleet/process_fleet.h"
#include "tests/engine/fleet/process_fleet_fixture.h"

namespace az {
namespace {

class ProcessFleetScriptTest : public ProcessFleetTest {
 protected:
  void SetUp() override {
    ProcessFleetTest::SetUp();
    own_lanes_ = true;
    config_.engine.max_deaths_per_minute = 0;  // what a longer life has without it
  }
  // A line for each life of the device process.
  void StartWith(std::string_view script) {
    ASSERT_TRUE(MakeDirectories(folder_));
    ASSERT_TRUE(WriteFileAtomic(folder_ + "/script.txt", script));
    Start();
  }
  Result<TrainedMessage> Train() {
    TrainMessage message;
    message.iteration = 7;
    return fleet_->Train(message, [](const TrainProgressMessage&) {});
  }
  Result<void> PlayAndKillTheDevice() {
    GamePhaseSpec spec;
    spec.games = 4;
    spec.players = {{.visits = 8}};
    spec.on_finished = [](const FinishedGame&) { return true; };
    bool is_killed = false;
    spec.enough = [&] {
      const std::optional<pid_t> device = fleet_->pid(kDeviceLane);
      if (!is_killed && device) is_killed = ::kill(*device, SIGKILL) == 0;
      return false;
    };
    return fleet_->Play(spec);
  }
};

TEST_F(ProcessFleetScriptTest, ATrainingThatIsKilledThreeTimesAtOnePlaceLacksMemory) {
  ASSERT_NO_FATAL_FAILURE(StartWith("die 4 9\ndie 5 9\ndie 3 9\nserve\n"));
  ASSERT_TRUE(fleet_->Load(0, "somewhere", 1));
  const Result<TrainedMessage> trained = Train();
  ASSERT_FALSE(trained);
  EXPECT_EQ(trained.error().code, Errc::kNoMemory);
  EXPECT_EQ(fleet_->LackedRoom(), NoRoomFor::kProcess);
  EXPECT_NE(trained.error().message.find("train iteration 7: the device process died 3 times in it "
                                         "and got no further than step 5; the last time it was "
                                         "killed by signal 9, not by this run"),
            std::string::npos)
      << trained.error().message;
  EXPECT_FALSE(fleet_->LacksWeights()) << "the fourth process has them";
  const Result<TrainedMessage> again = Train();
  ASSERT_TRUE(again) << again.error().message;
  EXPECT_EQ(again->iteration, 7u);
  EXPECT_EQ(fleet_->Totals().device_restarts, 3u);
}

TEST_F(ProcessFleetScriptTest, ATrainingThatCrashesThreeTimesAtOnePlaceEndsTheRun) {
  ASSERT_NO_FATAL_FAILURE(StartWith("die 0 6\ndie 0 6\ndie 0 6\nserve\n"));
  const Result<TrainedMessage> trained = Train();
  ASSERT_FALSE(trained);
  EXPECT_EQ(trained.error().code, Errc::kPeerGone);
  EXPECT_NE(trained.error().message.find("got no further than step 0; the last time it was killed "
                                         "by signal 6"),
            std::string::npos)
      << trained.error().message;
}

TEST_F(ProcessFleetScriptTest, ATrainingWhoseProcessesGetFurtherIsGoneOnWith) {
  ASSERT_NO_FATAL_FAILURE(
      StartWith("die 2 9\ndie 4 9\ndie 6 9\ndie 8 9\ndie 8 9\ndie 10 9\nserve\n"));
  const Result<TrainedMessage> trained = Train();
  ASSERT_TRUE(trained) << trained.error().message;
  EXPECT_EQ(fleet_->Totals().device_restarts, 6u);
}

// The caller deals with the refusal; the signal that came with it must not be lost by that.
TEST_F(ProcessFleetScriptTest, ASignalThatComesWithARefusalIsToldByTheNextCall) {
  bool has_met = false;
  on_tick_ = [&] {
    if (has_met) return;
    const UniqueFd meet(::open((folder_ + "/meet").c_str(), O_WRONLY | O_NONBLOCK | O_CLOEXEC));
    if (!meet.valid()) return;  // the device is not there yet
    has_met = true;
    ::raise(SIGTERM);
    const UniqueFd met(::open((folder_ + "/met").c_str(), O_RDONLY | O_CLOEXEC));
  };
  ASSERT_TRUE(MakeDirectories(folder_));
  for (const char* name : {"/meet", "/met"}) {
    ASSERT_EQ(::mkfifo((folder_ + name).c_str(), 0600), 0);
  }
  ASSERT_NO_FATAL_FAILURE(StartWith("serve\nmeet\n"));
  ASSERT_TRUE(fleet_->Load(0, "somewhere", 1));
  const Result<void> played = PlayAndKillTheDevice();
  ASSERT_FALSE(played);
  EXPECT_EQ(played.error().code, Errc::kNotFinite) << played.error().message;
  ASSERT_TRUE(has_met);
  const Result<ReleasedMessage> released = fleet_->Release(CleanupLevel::kLight);
  ASSERT_FALSE(released);
  EXPECT_EQ(released.error().code, Errc::kStopped);
  EXPECT_TRUE(fleet_->Release(CleanupLevel::kLight)) << "it is told once";
}

// A successor that cannot use the weights: blocks would wait for them for ever.
TEST_F(ProcessFleetScriptTest, WeightsThatASuccessorRefusesEndThePhase) {
  ASSERT_NO_FATAL_FAILURE(StartWith("serve\nrefuse\n"));
  ASSERT_TRUE(fleet_->Load(0, "somewhere", 1));
  const Result<void> played = PlayAndKillTheDevice();
  ASSERT_FALSE(played);
  EXPECT_EQ(played.error().code, Errc::kNotFinite) << played.error().message;
  EXPECT_TRUE(fleet_->RefusedWeights());
}

}  // namespace
}  // namespace az
