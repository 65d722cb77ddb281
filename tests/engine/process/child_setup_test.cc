#include "engine/process/child_setup.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <signal.h>
#include <unistd.h>

#include <optional>
#include <string>
#include <vector>

#include "base/strings.h"
#include "engine/process/child_process.h"
#include "tests/engine/process/process_test_kit.h"

namespace az {
namespace {

std::vector<const char*> Pointers(const std::vector<std::string>& texts) {
  std::vector<const char*> pointers;
  for (const std::string& text : texts) pointers.push_back(text.c_str());
  return pointers;
}

const ChildArguments kArguments{.run_dir = "runs/x y",
                                .run_id = "00112233445566778899aabbccddeeff",
                                .lane = 3,
                                .segment_lane = 2,
                                .epoch = 7,
                                .parent = 4711};

TEST(ChildArguments, RoundTrip) {
  const std::vector<std::string> texts = ToArguments(kArguments);
  const auto parsed = ParseChildArguments(Pointers(texts));
  ASSERT_TRUE(parsed) << parsed.error().message;
  EXPECT_EQ(parsed->run_dir, kArguments.run_dir);
  EXPECT_EQ(parsed->run_id, kArguments.run_id);
  EXPECT_EQ(parsed->lane, 3);
  EXPECT_EQ(parsed->segment_lane, 2);
  EXPECT_EQ(parsed->epoch, 7u);
  EXPECT_EQ(parsed->parent, 4711);
}

TEST(Lanes, NameTheChildren) {
  EXPECT_EQ(LaneName(kDeviceLane), "device");
  EXPECT_EQ(LaneName(4), "worker_4");
  EXPECT_EQ(LaneName(OwnDeviceOf(4)), "device_4");
  for (const int worker : {0, 1, kMaxWorkerLane}) {
    EXPECT_FALSE(IsDevice(worker));
    EXPECT_TRUE(IsDevice(OwnDeviceOf(worker)));
    EXPECT_NE(OwnDeviceOf(worker), kDeviceLane);
    EXPECT_EQ(WorkerOfDevice(OwnDeviceOf(worker)), worker);
  }
}

TEST(ChildArguments, FaultsNameTheArgument) {
  struct Case {
    int at;  // of ToArguments
    std::string value;
    std::string want;
  };
  const Case kCases[] = {
      {0, "--run", "unknown argument '--run'"},
      {2, "--run-dir", "'--run-dir' is given twice"},
      {3, "0011", "--run-id 0011 is not 32"},
      {3, std::string(32, 'g'), "is not 32 hexadecimal"},
      {5, "-258", "--lane -258 is no integer"},
      {5, "x", "--lane x is no integer"},
      {7, "4294967296", "--epoch 4294967296"},
      {9, "0", "--parent 0 is no integer"},
      {11, "-1", "--segment-lane -1 is no integer"},
  };
  for (const Case& c : kCases) {
    std::vector<std::string> texts = ToArguments(kArguments);
    texts[static_cast<std::size_t>(c.at)] = c.value;
    const auto parsed = ParseChildArguments(Pointers(texts));
    ASSERT_FALSE(parsed) << c.want;
    EXPECT_EQ(parsed.error().code, Errc::kInvalid);
    EXPECT_NE(parsed.error().message.find(c.want), std::string::npos) << parsed.error().message;
  }
}

TEST(ChildArguments, EachOneIsNeeded) {
  const std::vector<std::string> all = ToArguments(kArguments);
  for (std::size_t i = 0; i < all.size(); i += 2) {
    std::vector<std::string> texts = all;
    texts.erase(texts.begin() + static_cast<std::ptrdiff_t>(i),
                texts.begin() + static_cast<std::ptrdiff_t>(i) + 2);
    const auto parsed = ParseChildArguments(Pointers(texts));
    ASSERT_FALSE(parsed);
    EXPECT_NE(parsed.error().message.find(all[i]), std::string::npos) << parsed.error().message;
  }
  std::vector<std::string> cut = all;
  cut.pop_back();
  EXPECT_FALSE(ParseChildArguments(Pointers(cut)));
}

// Started by hand, or by a supervisor that died meanwhile: it says so and ends.
TEST(ChildContext, RefusesAParentThatIsNotItsOwn) {
  TestRun run;
  PosixLauncher launcher;
  SpawnSpec spec{AZ_TEST_CHILD_PATH, {}, {}};
  spec.arguments = ToArguments({.run_dir = run.path(),
                                .run_id = kArguments.run_id,
                                .lane = 0,
                                .segment_lane = 0,
                                .epoch = 1,
                                .parent = 1});  // parent: init
  auto ends = ControlChannel::MakePair().value();
  auto child =
      launcher.Spawn(spec, {run.segment_fd(), ends.second.get(), run.log_fd(), run.log_fd()});
  ASSERT_TRUE(child) << child.error().message;
  int status = 0;
  ASSERT_EQ(::waitpid(child->pid, &status, 0), child->pid);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 2);
  EXPECT_NE(run.log_text().find("supervisor 1 has gone"), std::string::npos) << run.log_text();
}

// An obedient child with its channel and lifeline in the test's hands.
struct ChildOfTest : testing::Test {
  void SetUp() override {
    int pipe_ends[2];
    ASSERT_EQ(::pipe2(pipe_ends, O_CLOEXEC), 0);
    lifeline_read.Reset(pipe_ends[0]);
    lifeline_write.Reset(pipe_ends[1]);
    SpawnSpec spec{AZ_TEST_CHILD_PATH, {}, {"AZ_TEST_CHILD=obey"}};
    spec.arguments = ToArguments({run.path(), kArguments.run_id, 0, 0, 1, ::getpid()});
    PosixLauncher launcher;
    auto started = ChildProcess::Start(
        launcher, spec,
        {.segment = run.segment_fd(), .lifeline = lifeline_read.get(), .log = run.log_fd()});
    ASSERT_TRUE(started) << started.error().message;
    child.emplace(std::move(*started));
    const auto hello = child->channel().Await(Deadline::In(seconds(10)));
    ASSERT_TRUE(hello) << hello.error().message;
    EXPECT_EQ(std::get<HelloMessage>(*hello).pid, child->pid());
  }
  // Asks it something: it lives.
  void ExpectAnswer() {
    ASSERT_TRUE(child->channel().Send(DrainMessage{42}));
    const auto answer = child->channel().Await(Deadline::In(seconds(10)));
    ASSERT_TRUE(answer) << answer.error().message;
    EXPECT_EQ(std::get<DrainedMessage>(*answer).phase, 42u);
  }
  ChildExit WaitForEnd() {
    std::optional<ChildExit> exit;
    const Deadline deadline = Deadline::In(seconds(10));
    while (!exit && !deadline.Passed()) {
      pollfd entry{child->pidfd(), POLLIN, 0};
      ::poll(&entry, 1, 100);
      exit = child->TryReap();
    }
    return exit.value_or(ChildExit{ChildExit::How::kNotStarted, 0});
  }

  TestRun run;
  UniqueFd lifeline_read;
  UniqueFd lifeline_write;
  std::optional<ChildProcess> child;
};

TEST_F(ChildOfTest, SurvivesTheTerminalsInterruptAndItsEnd) {
  child->Signal(SIGINT);
  child->Signal(SIGHUP);
  child->Signal(SIGPIPE);
  child->Signal(SIGXFSZ);
  ExpectAnswer();
}

TEST_F(ChildOfTest, EndsInOrderOnSigterm) {
  ExpectAnswer();
  child->Signal(SIGTERM);
  EXPECT_EQ(WaitForEnd(), ChildExit{});
}

TEST_F(ChildOfTest, NoticesThatTheLifelineIsCut) {
  ExpectAnswer();
  lifeline_read.Reset();
  lifeline_write.Reset();
  EXPECT_EQ(WaitForEnd(), (ChildExit{ChildExit::How::kExited, 1}));
}

TEST_F(ChildOfTest, DoesNotOutliveItsOwner) {
  const pid_t pid = child->pid();
  child.reset();
  EXPECT_EQ(::kill(pid, 0), -1);
  EXPECT_TRUE(NoChildIsLeft());
}

}  // namespace
}  // namespace az
