#include "engine/process/supervisor.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/prctl.h>

#include <algorithm>
#include <map>
#include <set>

#include "base/rng.h"
#include "tests/engine/process/process_test_kit.h"

namespace az {
namespace {

using How = ChildExit::How;

struct SupervisorTest : testing::Test {
  void TearDown() override { EXPECT_TRUE(NoChildIsLeft()); }
  TestRun run;
};

TEST_F(SupervisorTest, StartsChildrenCarriesMessagesAndStopsThem) {
  TestSupervisor s(run.Options("obey"));
  ASSERT_TRUE(s.supervisor.StartDevice());
  for (int lane = 0; lane < 3; ++lane) ASSERT_TRUE(s.supervisor.StartWorker(lane));
  for (int lane = -1; lane < 3; ++lane) ASSERT_TRUE(s.TickUntilReady(lane));
  EXPECT_EQ(s.All<ChildStarted>().size(), 4u);
  for (int lane = 0; lane < 3; ++lane) {
    ASSERT_TRUE(s.supervisor.Send(lane, DrainMessage{static_cast<std::uint64_t>(100 + lane)}));
  }
  const auto drained = [&] {
    std::map<int, std::uint64_t> phases;
    for (const ChildSaid& said : s.All<ChildSaid>()) {
      if (const auto* m = std::get_if<DrainedMessage>(&said.message)) phases[said.lane] = m->phase;
    }
    return phases;
  };
  ASSERT_TRUE(s.TickUntil([&] { return drained().size() == 3; }));
  EXPECT_EQ(drained().at(2), 102u);

  s.supervisor.Stop(1);  // fewer workers at a phase boundary
  ASSERT_TRUE(s.TickUntilSome<ChildDied>());
  EXPECT_TRUE(s.All<ChildDied>()[0].asked);
  EXPECT_EQ(s.All<ChildDied>()[0].exit, ChildExit{});
  EXPECT_EQ(s.supervisor.lanes(), (std::vector<int>{kDeviceLane, 0, 2}));
  const auto sent = s.supervisor.Send(1, StopMessage{});
  ASSERT_FALSE(sent);
  EXPECT_EQ(sent.error().code, Errc::kPeerGone);

  ASSERT_TRUE(s.supervisor.StartWorker(1));  // and more again
  ASSERT_TRUE(s.TickUntilReady(1));
  EXPECT_EQ(s.supervisor.epoch(1), 2u);
  EXPECT_FALSE(s.All<ChildStarted>().back().is_restart);

  s.supervisor.StopAll(Deadline::In(seconds(10)));
  EXPECT_TRUE(s.supervisor.lanes().empty());
  EXPECT_EQ(s.supervisor.counters().worker_restarts, 0);
}

TEST_F(SupervisorTest, RestartsAKilledChildAfterItsDeathWasReported) {
  TestSupervisor s(run.Options("obey"));
  ASSERT_TRUE(s.supervisor.StartDevice());
  ASSERT_TRUE(s.supervisor.StartWorker(0));
  ASSERT_TRUE(s.TickUntilReady(0) && s.TickUntilReady(kDeviceLane));
  for (const int lane : {0, kDeviceLane}) {
    s.events.clear();
    const pid_t victim = *s.supervisor.pid(lane);
    ASSERT_EQ(::kill(victim, SIGKILL), 0);
    ASSERT_TRUE(s.TickUntilSome<ChildDied>());
    const ChildDied died = s.All<ChildDied>()[0];
    EXPECT_EQ(died.lane, lane);
    EXPECT_EQ(died.epoch, 1u);
    EXPECT_EQ(died.exit, (ChildExit{How::kSignal, SIGKILL}));
    EXPECT_TRUE(died.restarts && !died.asked && !died.killed);
    EXPECT_EQ(died.fatal.message, "");
    EXPECT_EQ(s.supervisor.pid(lane), std::nullopt);  // reaped, and nobody new before the next Tick
    EXPECT_FALSE(s.supervisor.Send(lane, StopMessage{}));
    ASSERT_TRUE(s.TickUntilReady(lane));
    EXPECT_EQ(s.supervisor.epoch(lane), 2u);
    EXPECT_NE(*s.supervisor.pid(lane), victim);
    EXPECT_TRUE(s.All<ChildStarted>()[0].is_restart);
  }
  EXPECT_EQ(s.supervisor.counters().worker_restarts, 1);
  EXPECT_EQ(s.supervisor.counters().device_restarts, 1);
}

// A SIGKILL of somebody else is the kernel's when the kernel says that it killed.
TEST_F(SupervisorTest, AKillOfTheKernelIsToldFromOneOfOthers) {
  std::int64_t kills = 3;
  SupervisorOptions options = run.Options("obey");
  options.restart.kernel_delay = milliseconds(1);
  options.kernel_kills = [&] { return std::optional(kills); };
  TestSupervisor s(std::move(options));
  ASSERT_TRUE(s.supervisor.StartWorker(0));
  for (const bool by_kernel : {false, true}) {
    ASSERT_TRUE(s.TickUntilReady(0));
    s.events.clear();
    kills += by_kernel ? 1 : 0;
    ASSERT_EQ(::kill(*s.supervisor.pid(0), SIGKILL), 0);
    ASSERT_TRUE(s.TickUntilSome<ChildDied>());
    EXPECT_EQ(s.All<ChildDied>()[0].by_kernel, by_kernel);
    EXPECT_TRUE(s.All<ChildDied>()[0].restarts);
  }
}

// Every way to go wrong twice; then the child obeys, and the run goes on.
class FaultyChild : public testing::TestWithParam<const char*> {};

TEST_P(FaultyChild, IsReplacedUntilItWorks) {
  {
    TestRun run;
    SupervisorOptions options = run.Options(StrCat(GetParam(), "@2"));
    options.liveness = [](int, pid_t) { return Liveness{TimePoint{}, seconds(30)}; };
    ManualClock clock;
    TestSupervisor s(std::move(options), clock);
    ASSERT_TRUE(s.supervisor.StartWorker(0));
    const auto works = [&] {
      // Time flies for the faulty and stands still for the one that works, however busy the
      // machine.
      if (s.supervisor.epoch(0) < 3) clock.Advance(seconds(1));
      return s.supervisor.epoch(0) == 3 && s.supervisor.is_ready(0);
    };
    ASSERT_TRUE(s.TickUntil(works)) << run.log_text();
    EXPECT_EQ(s.All<ChildDied>().size(), 2u);
    EXPECT_TRUE(s.All<RunFailed>().empty());
    EXPECT_EQ(s.supervisor.counters().worker_restarts, 2);
  }
  EXPECT_TRUE(NoChildIsLeft());
}

INSTANTIATE_TEST_SUITE_P(Faults, FaultyChild,
                         testing::Values("exit:0", "exit:1", "exit:75", "kill", "never_ready",
                                         "junk", "endless_line", "second_hello", "deaf", "stopped"),
                         [](const auto& parameter) {
                           std::string name = parameter.param;
                           std::replace(name.begin(), name.end(), ':', '_');
                           return name;
                         });

TEST_F(SupervisorTest, AChildThatClosesItsChannelAndLivesOnIsKilled) {
  ManualClock clock;  // the limit is 5 s of the supervisor's clock
  TestSupervisor s(run.Options("close@1"), clock);
  ASSERT_TRUE(s.supervisor.StartWorker(0));
  ASSERT_TRUE(s.TickUntilReady(0));
  EXPECT_TRUE(s.TickUntil([&] {
    clock.Advance(milliseconds(500));
    return s.supervisor.epoch(0) == 2;
  }));
}

TEST_F(SupervisorTest, ATalkativeChildStarvesNobody) {
  TestSupervisor s(run.Options("spam"));
  ASSERT_TRUE(s.supervisor.StartWorker(0));
  ASSERT_TRUE(s.TickUntilReady(0));
  ASSERT_TRUE(s.supervisor.StartDevice());
  ASSERT_TRUE(s.TickUntilReady(kDeviceLane));
  s.supervisor.Stop(kDeviceLane);
  ASSERT_TRUE(s.TickUntilSome<ChildDied>());
  EXPECT_EQ(s.All<ChildDied>()[0].lane, kDeviceLane);
  EXPECT_EQ(s.All<ChildDied>()[0].exit, ChildExit{});
}

TEST_F(SupervisorTest, ExitCodesThatARestartCannotMendEndTheRun) {
  struct Case {
    const char* mode;
    ExitCode exit_code;
    const char* message;
  };
  const Case kCases[] = {
      {"exit:77", ExitCode::kIncompatible, "worker_0 exited with 77"},
      {"exit:2", ExitCode::kUsage, "worker_0 exited with 2"},
      {"fail", ExitCode::kEnvironment, "worker_0 exited with 3: write journal: the disk is full"},
  };
  for (const Case& c : kCases) {
    TestSupervisor s(run.Options(c.mode));
    ASSERT_TRUE(s.supervisor.StartWorker(0));
    ASSERT_TRUE(s.TickUntilSome<RunFailed>());
    const ChildDied died = s.All<ChildDied>()[0];
    EXPECT_FALSE(died.restarts);
    const bool says_why = std::string_view(c.mode) == "fail";
    EXPECT_EQ(died.fatal.message, says_why ? "write journal: the disk is full" : "");
    EXPECT_EQ(died.fatal.code == Errc::kNoSpace, says_why);
    EXPECT_EQ(s.All<RunFailed>()[0].exit_code, c.exit_code);
    EXPECT_EQ(s.All<RunFailed>()[0].error.message, c.message);
    s.supervisor.StopAll(Deadline::In(seconds(10)));
  }
}

TEST_F(SupervisorTest, AChildThatKeepsDyingEndsTheRun) {
  TestSupervisor s(run.Options("exit:1"));
  ASSERT_TRUE(s.supervisor.StartDevice());
  ASSERT_TRUE(s.supervisor.StartWorker(0));
  ASSERT_TRUE(s.TickUntilSome<RunFailed>());
  EXPECT_EQ(s.All<RunFailed>()[0].exit_code, ExitCode::kFailed);
  EXPECT_NE(s.All<RunFailed>()[0].error.message.find("worker_0 died 6 times"), std::string::npos);
  EXPECT_EQ(s.supervisor.epoch(0), 6u);
  s.supervisor.StopAll(Deadline::In(seconds(10)));
}

TEST_F(SupervisorTest, AFailedFirstStartLeavesTheLaneFree) {
  TestSupervisor s(run.Options("obey"));
  s.launcher.failures = 1;
  const auto started = s.supervisor.StartWorker(0);
  ASSERT_FALSE(started);
  EXPECT_EQ(started.error().message, "worker_0: start test child: injected");
  EXPECT_TRUE(s.supervisor.lanes().empty());
  ASSERT_TRUE(s.supervisor.StartWorker(0));
  ASSERT_TRUE(s.TickUntilReady(0));
}

TEST_F(SupervisorTest, AFailedRestartIsTriedAgain) {
  TestSupervisor s(run.Options("obey"));
  ASSERT_TRUE(s.supervisor.StartWorker(0));
  ASSERT_TRUE(s.TickUntilReady(0));
  s.launcher.failures = 3;
  ASSERT_EQ(::kill(*s.supervisor.pid(0), SIGKILL), 0);
  ASSERT_TRUE(s.TickUntilSome<ChildDied>());
  ASSERT_TRUE(s.TickUntilReady(0));
  EXPECT_EQ(s.launcher.calls, 5);
}

TEST_F(SupervisorTest, FailedRestartsEndTheRunWithTheirReason) {
  TestSupervisor s(run.Options("obey"));
  ASSERT_TRUE(s.supervisor.StartWorker(0));
  ASSERT_TRUE(s.TickUntilReady(0));
  s.launcher.failures = 100;
  ASSERT_EQ(::kill(*s.supervisor.pid(0), SIGKILL), 0);
  ASSERT_TRUE(s.TickUntilSome<RunFailed>());
  EXPECT_EQ(s.All<RunFailed>()[0].exit_code, ExitCode::kEnvironment);
  EXPECT_NE(s.All<RunFailed>()[0].error.message.find("injected"), std::string::npos);
}

TEST_F(SupervisorTest, ALateTickBeginsAllWatchdogsAnew) {
  SupervisorOptions options = run.Options("obey");
  options.liveness = [](int, pid_t) { return Liveness{TimePoint{}, seconds(30)}; };
  ManualClock clock;
  TestSupervisor s(std::move(options), clock);
  ASSERT_TRUE(s.supervisor.StartWorker(0));
  ASSERT_TRUE(s.TickUntilReady(0));
  for (int i = 0; i < 29; ++i) {  // 29 s without a sign
    clock.Advance(seconds(1));
    s.supervisor.Tick(Duration::zero());
  }
  clock.Advance(seconds(3600));  // the lid was closed
  s.supervisor.Tick(Duration::zero());
  EXPECT_EQ(s.supervisor.counters().late_ticks, 1);
  for (int i = 0; i < 30; ++i) {
    clock.Advance(seconds(1));
    s.supervisor.Tick(Duration::zero());
  }
  EXPECT_EQ(s.supervisor.counters().watchdog_kills, 0);
  EXPECT_EQ(s.supervisor.epoch(0), 1u);
  clock.Advance(seconds(1));  // 31 s
  s.supervisor.Tick(Duration::zero());
  EXPECT_EQ(s.supervisor.counters().watchdog_kills, 1);
}

TEST_F(SupervisorTest, KeepsUpWithManyRandomDeaths) {
  SupervisorOptions options = run.Options("obey");
  options.restart = {.delay = Duration::zero(), .most_deaths = 0};
  TestSupervisor s(std::move(options));
  ASSERT_TRUE(s.supervisor.StartDevice());
  for (int lane = 0; lane < 3; ++lane) ASSERT_TRUE(s.supervisor.StartWorker(lane));
  Rng rng(7);
  int kills = 0;
  constexpr int kKills = 150;
  while (kills < kKills) {  // at any moment: starting, planned, ready
    const int lane = static_cast<int>(rng.Below(4)) - 1;
    const std::uint32_t epoch = s.supervisor.epoch(lane);
    if (const auto pid = s.supervisor.pid(lane)) {
      ASSERT_EQ(::kill(*pid, rng.Below(4) == 0 ? SIGTERM : SIGKILL), 0);
      ++kills;
      ASSERT_TRUE(s.TickUntil([&] { return s.supervisor.epoch(lane) > epoch; }));
    }
    const auto ticks = rng.Below(4);
    for (std::uint64_t i = 0; i < ticks; ++i) s.TickUntil([n = 0]() mutable { return n++ > 0; });
  }
  for (int lane = -1; lane < 3; ++lane) ASSERT_TRUE(s.TickUntilReady(lane));
  EXPECT_EQ(s.All<ChildDied>().size(), static_cast<std::size_t>(kKills));
  const SupervisorCounters& counters = s.supervisor.counters();
  EXPECT_EQ(counters.worker_restarts + counters.device_restarts, kKills);
  EXPECT_EQ(counters.watchdog_kills, 0);
  s.supervisor.StopAll(Deadline::In(seconds(10)));
}

TEST_F(SupervisorTest, TwoRunsSideBySideDoNotMeet) {
  TestRun other_run;
  TestSupervisor a(run.Options("obey"));
  TestSupervisor b(other_run.Options("obey"));
  for (TestSupervisor* s : {&a, &b}) {
    ASSERT_TRUE(s->supervisor.StartWorker(0));
    ASSERT_TRUE(s->TickUntilReady(0));
  }
  ASSERT_EQ(::kill(*a.supervisor.pid(0), SIGKILL), 0);
  ASSERT_TRUE(b.TickUntil([n = 0]() mutable { return ++n > 3; }));
  ASSERT_TRUE(a.TickUntilSome<ChildDied>());
  EXPECT_TRUE(b.All<ChildDied>().empty());
  a.supervisor.StopAll(Deadline::In(seconds(10)));
  EXPECT_TRUE(b.supervisor.is_ready(0));
  b.supervisor.StopAll(Deadline::In(seconds(10)));
}

// kill -9 of the supervisor itself: its children, obedient, hanging or stopped, are gone within a
// second.
TEST_F(SupervisorTest, ItsOwnDeathTakesEveryChildAlong) {
  ASSERT_EQ(::prctl(PR_SET_CHILD_SUBREAPER, 1),
            0);  // the orphans become ours, so that we see them end
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  const pid_t supervisor_pid = ::fork();
  ASSERT_GE(supervisor_pid, 0);
  if (supervisor_pid == 0) {
    SupervisorOptions options = run.Options("deaf");
    TestSupervisor s(std::move(options));
    bool good = s.supervisor.StartDevice().has_value();
    for (int lane = 0; lane < 4; ++lane) good = good && s.supervisor.StartWorker(lane).has_value();
    for (int lane = -1; lane < 4; ++lane) good = good && s.TickUntilReady(lane);
    std::vector<pid_t> pids;
    for (const int lane : s.supervisor.lanes()) pids.push_back(*s.supervisor.pid(lane));
    if (!good || ::kill(pids.back(), SIGSTOP) != 0) ::_exit(1);
    const std::size_t bytes = pids.size() * sizeof(pid_t);
    if (::write(ends[1], pids.data(), bytes) != static_cast<ssize_t>(bytes)) ::_exit(1);
    while (true) s.supervisor.Tick(seconds(1));
  }
  pid_t pids[5] = {};
  ASSERT_EQ(::read(ends[0], pids, sizeof pids), static_cast<ssize_t>(sizeof pids));
  ASSERT_EQ(::kill(supervisor_pid, SIGKILL), 0);
  const auto begin = std::chrono::steady_clock::now();
  ASSERT_EQ(::waitpid(supervisor_pid, nullptr, 0), supervisor_pid);
  std::set<pid_t> ended;  // also what a sanitizer may have started in them
  for (pid_t pid = ::waitpid(-1, nullptr, 0); pid > 0; pid = ::waitpid(-1, nullptr, 0)) {
    ended.insert(pid);
  }
  for (const pid_t pid : pids) EXPECT_TRUE(ended.contains(pid));
  EXPECT_LT(std::chrono::steady_clock::now() - begin, seconds(1));
  ::close(ends[0]);
  ::close(ends[1]);
  ::prctl(PR_SET_CHILD_SUBREAPER, 0);
}

}  // namespace
}  // namespace az
