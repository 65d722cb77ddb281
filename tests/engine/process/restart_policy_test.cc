#include "engine/process/restart_policy.h"

#include <gtest/gtest.h>
#include <signal.h>

#include <span>
#include <vector>

namespace az {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using How = ChildExit::How;

std::vector<ChildDeath> DeathsAt(std::initializer_list<double> times_s, ChildExit exit) {
  std::vector<ChildDeath> deaths;
  for (const double time_s : times_s) {
    deaths.push_back(
        {.at = TimePoint(milliseconds(static_cast<int>(1000 * time_s))), .exit = exit});
  }
  return deaths;
}

constexpr ChildExit kKilled{How::kSignal, SIGKILL};

TEST(RestartPolicy, DelaysGrowWithDeathsInARow) {
  struct Case {
    std::initializer_list<double> deaths_s;
    int delay_ms;
  };
  const Case kCases[] = {
      {{5}, 0},
      {{5, 6}, 100},
      {{5, 6, 7}, 200},
      {{5, 6, 7, 8}, 400},
      {{5, 6, 7, 8, 9}, 800},
      {{5, 66}, 0},                // the second came after a good life
      {{5, 6, 7, 68, 69}, 100},    // only the last two are in a row
      {{0, 20, 40, 60, 80}, 800},  // 4 within any 60 s: slow enough to go on
      {{0, 20, 40, 60, 80, 100, 120, 140, 160, 180}, 10'000},
  };
  for (const Case& c : kCases) {
    const RestartDecision decision = DecideRestart({}, DeathsAt(c.deaths_s, kKilled));
    EXPECT_TRUE(decision.restart);
    EXPECT_EQ(decision.delay, milliseconds(c.delay_ms)) << c.deaths_s.size() << " deaths";
  }
}

TEST(RestartPolicy, StopsAfterMoreThanFiveDeathsInAMinute) {
  const RestartDecision decision = DecideRestart({}, DeathsAt({0, 1, 2, 3, 4, 5}, kKilled));
  EXPECT_FALSE(decision.restart);
  EXPECT_EQ(decision.exit_code, ExitCode::kFailed);
  EXPECT_EQ(decision.reason,
            "died 6 times within 60 s; the last time it was killed by signal 9 (the kernel does so "
            "when RAM runs out: lower memory.ram_budget, or stop what else uses it)");
  EXPECT_TRUE(DecideRestart({}, DeathsAt({0, 1, 2, 3, 4, 61}, kKilled)).restart);
}

// There will be RAM again, and the run gives some up meanwhile.
TEST(RestartPolicy, KillsByTheKernelWaitAndDoNotEndTheRun) {
  std::vector<ChildDeath> deaths;
  std::vector<int> delays_s;
  for (int i = 0; i < 8; ++i) {
    deaths.push_back(
        {.at = TimePoint(seconds(i)), .exit = kKilled, .by_kernel = true, .was_ready = true});
    const RestartDecision decision = DecideRestart({}, deaths);
    ASSERT_TRUE(decision.restart) << decision.reason;
    delays_s.push_back(static_cast<int>(decision.delay / seconds(1)));
  }
  EXPECT_EQ(delays_s, (std::vector<int>{1, 2, 4, 8, 10, 10, 10, 10}));
  deaths.push_back({.at = TimePoint(seconds(8)), .exit = {How::kSignal, SIGABRT}});
  EXPECT_TRUE(DecideRestart({}, deaths).restart) << "the first death of its own";
}

TEST(RestartPolicy, AChildThatTheKernelNeverLetsStartEndsTheRun) {
  std::vector<ChildDeath> deaths;
  for (int i = 0; i < 6; ++i) {
    deaths.push_back({.at = TimePoint(seconds(i)), .exit = kKilled, .by_kernel = true});
    EXPECT_EQ(DecideRestart({}, deaths).restart, i < 5);
  }
  EXPECT_EQ(DecideRestart({}, std::span(deaths).first(1)).delay, seconds(1));
}

TEST(RestartPolicy, KillsOfOurOwnAreNotBlamedOnTheKernel) {
  std::vector<ChildDeath> deaths = DeathsAt({0, 1, 2, 3, 4, 5}, kKilled);
  deaths.back().by_supervisor = true;
  EXPECT_EQ(DecideRestart({}, deaths).reason,
            "died 6 times within 60 s; the last time it was killed by signal 9");
}

TEST(RestartPolicy, ExitCodesSayWhetherARestartHelps) {
  struct Case {
    ChildExit exit;
    bool restart;
    ExitCode exit_code;
  };
  const Case kCases[] = {
      {{How::kExited, 0}, true, ExitCode::kOk},
      {{How::kExited, 1}, true, ExitCode::kOk},
      {{How::kExited, 2}, false, ExitCode::kUsage},
      {{How::kExited, 3}, false, ExitCode::kEnvironment},
      {{How::kExited, 4}, false, ExitCode::kIncompatible},
      {{How::kExited, 75}, true, ExitCode::kOk},
      {{How::kExited, 77}, false, ExitCode::kIncompatible},
      {{How::kExited, 126}, false, ExitCode::kEnvironment},
      {{How::kExited, 127}, false, ExitCode::kEnvironment},
      {{How::kSignal, 3}, true, ExitCode::kOk},
      {{How::kSignal, SIGABRT}, true, ExitCode::kOk},
      {{How::kNotStarted, 0}, true, ExitCode::kOk},
  };
  for (const Case& c : kCases) {
    const RestartDecision decision = DecideRestart({}, DeathsAt({1}, c.exit));
    EXPECT_EQ(decision.restart, c.restart) << DescribeExit(c.exit);
    EXPECT_EQ(decision.exit_code, c.exit_code) << DescribeExit(c.exit);
  }
}

TEST(RestartPolicy, NamesTheEnvironmentWhenAChildCannotBeStarted) {
  const RestartDecision decision =
      DecideRestart({}, DeathsAt({0, 1, 2, 3, 4, 5}, {How::kNotStarted, 0}));
  EXPECT_FALSE(decision.restart);
  EXPECT_EQ(decision.exit_code, ExitCode::kEnvironment);
}

TEST(RestartPolicy, LimitsCanBeSwitchedOff) {
  RestartPolicy policy;
  policy.most_deaths = 0;
  policy.delay = Duration::zero();
  std::vector<ChildDeath> deaths;
  for (int i = 0; i < 1000; ++i)
    deaths.push_back({.at = TimePoint(milliseconds(i)), .exit = kKilled});
  const RestartDecision decision = DecideRestart(policy, deaths);
  EXPECT_TRUE(decision.restart);
  EXPECT_EQ(decision.delay, Duration::zero());
}

}  // namespace
}  // namespace az
