#include <gtest/gtest.h>
#include <signal.h>

#include "engine/process/supervisor.h"
#include "tests/engine/process/process_test_kit.h"

namespace az {
namespace {

using How = ChildExit::How;

struct SupervisorStopTest : testing::Test {
  void TearDown() override { EXPECT_TRUE(NoChildIsLeft()); }
  TestRun run;
};

TEST_F(SupervisorStopTest, TheStuckAreToldThenTermedThenKilled) {
  SupervisorOptions options = run.Options("deaf");
  options.term_after = milliseconds(20);
  options.kill_after = milliseconds(60);
  TestSupervisor s(std::move(options));
  ASSERT_TRUE(s.supervisor.StartWorker(0));
  ASSERT_TRUE(s.TickUntilReady(0));
  const auto begin = std::chrono::steady_clock::now();
  s.supervisor.Stop(0);
  ASSERT_TRUE(s.TickUntilSome<ChildDied>());
  EXPECT_GE(std::chrono::steady_clock::now() - begin, milliseconds(60));
  EXPECT_EQ(s.All<ChildDied>()[0].exit, (ChildExit{How::kSignal, SIGKILL}));
  EXPECT_TRUE(s.All<ChildDied>()[0].asked && s.All<ChildDied>()[0].killed);
}

TEST_F(SupervisorStopTest, SigtermReachesAChildThatDoesNotReadItsChannel) {
  SupervisorOptions options = run.Options("spam");  // it never reads; SIGTERM it notices
  options.term_after = milliseconds(20);
  TestSupervisor s(std::move(options));
  ASSERT_TRUE(s.supervisor.StartWorker(0));
  ASSERT_TRUE(s.TickUntilReady(0));
  s.supervisor.Stop(0);
  ASSERT_TRUE(s.TickUntilSome<ChildDied>());
  EXPECT_EQ(s.All<ChildDied>()[0].exit, ChildExit{});
}

TEST_F(SupervisorStopTest, StopAllKillsAtItsDeadline) {
  TestSupervisor s(run.Options("deaf"));
  ASSERT_TRUE(s.supervisor.StartDevice());
  ASSERT_TRUE(s.supervisor.StartWorker(0));
  ASSERT_TRUE(s.supervisor.StartWorker(1));
  for (int lane = -1; lane < 2; ++lane) ASSERT_TRUE(s.TickUntilReady(lane));
  s.supervisor.StopAll(Deadline::In(milliseconds(50)));
  EXPECT_TRUE(s.supervisor.lanes().empty());
}

// As a process that sleeps in a driver (state D) never ends.
TEST_F(SupervisorStopTest, AChildThatDoesNotEndWhenItIsKilledEndsTheRunAndIsLeft) {
  SupervisorOptions options = run.Options("obey");
  options.kill_limit = options.let_go_after = milliseconds(50);
  options.liveness = [](int lane, pid_t) -> std::optional<Liveness> {
    if (lane != 0) return std::nullopt;
    return Liveness{TimePoint{}, milliseconds(1)};
  };
  options.reap = [](int lane, ChildProcess& child) {
    return lane == 0 ? std::nullopt : child.TryReap();
  };
  TestSupervisor s(std::move(options));
  ASSERT_TRUE(s.supervisor.StartWorker(0));
  ASSERT_TRUE(s.supervisor.StartWorker(1));
  ASSERT_TRUE(s.TickUntilReady(1));
  const pid_t stuck = *s.supervisor.pid(0);
  ASSERT_TRUE(s.TickUntilSome<RunFailed>());
  const RunFailed failed = s.All<RunFailed>()[0];
  EXPECT_EQ(failed.lane, 0);
  EXPECT_EQ(failed.exit_code, ExitCode::kEnvironment);
  EXPECT_NE(failed.error.message.find(StrCat("worker_0 (pid ", stuck, ") does not end")),
            std::string::npos)
      << failed.error.message;
  s.supervisor.StopAll(Deadline::In(seconds(10)));
  EXPECT_TRUE(s.supervisor.lanes().empty());
  EXPECT_EQ(s.All<RunFailed>().size(), 1u);
  EXPECT_EQ(::waitpid(stuck, nullptr, 0), stuck) << "SIGKILL had reached it";
}

TEST_F(SupervisorStopTest, SignalsAreCountedAndHurryAStop) {
  TestSupervisor s(run.Options("deaf"));
  ASSERT_TRUE(s.supervisor.StartWorker(0));
  ASSERT_TRUE(s.TickUntilReady(0));
  ASSERT_EQ(::raise(SIGINT), 0);
  ASSERT_TRUE(s.TickUntilSome<SignalArrived>());
  EXPECT_EQ(s.All<SignalArrived>()[0].number, SIGINT);
  EXPECT_EQ(s.All<SignalArrived>()[0].count, 1);
  ASSERT_EQ(::raise(SIGTERM), 0);  // the second: StopAll, which waits 15 s otherwise, kills
  const auto begin = std::chrono::steady_clock::now();
  s.supervisor.StopAll(Deadline::In(seconds(60)));
  EXPECT_LT(std::chrono::steady_clock::now() - begin, seconds(5));
  EXPECT_EQ(s.supervisor.signal_count(), 2);
}

}  // namespace
}  // namespace az
