#include "engine/ipc/event_count.h"

#include <gtest/gtest.h>

#include <thread>

namespace az {
namespace {

using std::chrono::microseconds;
using std::chrono::milliseconds;
using std::chrono::seconds;

TEST(EventCount, RingWithoutASleeperWakesNobody) {
  EventCount bell{};
  EXPECT_FALSE(bell.Ring());
  EXPECT_FALSE(bell.HasSleeper());
}

TEST(EventCount, AwaitReturnsAtOnceWhenReady) {
  EventCount bell{};
  const auto start = std::chrono::steady_clock::now();
  EXPECT_TRUE(bell.Await([] { return true; }, seconds(10)));
  EXPECT_LT(std::chrono::steady_clock::now() - start, seconds(5));
}

TEST(EventCount, AwaitGivesUpAfterItsLimitAndTakesItsBitBack) {
  EventCount bell{};
  const auto start = std::chrono::steady_clock::now();
  EXPECT_FALSE(bell.Await([] { return false; }, milliseconds(20)));
  EXPECT_GE(std::chrono::steady_clock::now() - start, milliseconds(19));
  EXPECT_FALSE(bell.HasSleeper());
}

TEST(EventCount, ARingAfterTheFirstLookIsNotSleptOver) {
  EventCount bell{};
  int looks = 0;
  const auto start = std::chrono::steady_clock::now();
  // The ring comes between the second look and the kernel: the word has changed, so the wait
  // returns.
  bell.Await(
      [&] {
        if (++looks == 2) bell.word.fetch_add(2);
        return looks > 2;
      },
      seconds(10));
  EXPECT_LT(std::chrono::steady_clock::now() - start, seconds(5));
}

TEST(EventCount, TheBitOfADeadSleeperCostsOneUselessWake) {
  EventCount bell{};
  bell.word.fetch_or(1);  // a process killed in its sleep
  EXPECT_TRUE(bell.Ring());
  EXPECT_FALSE(bell.Await([] { return false; }, milliseconds(1)));
  EXPECT_FALSE(bell.Ring());
}

TEST(EventCount, PassesABallBetweenThreadsWithoutTimeOuts) {
  constexpr int kRounds = 20'000;
  EventCount bells[2] = {};
  std::atomic<int> ball{0};
  int timeouts = 0;
  const auto play = [&](int self) {
    for (int round = self; round < kRounds; round += 2) {
      while (!bells[self].Await([&] { return ball.load(std::memory_order_acquire) == round; },
                                seconds(10))) {
        ++timeouts;
      }
      ball.store(round + 1, std::memory_order_release);
      bells[1 - self].Ring();
    }
  };
  std::thread other(play, 1);
  play(0);
  other.join();
  EXPECT_EQ(ball.load(), kRounds);
  EXPECT_EQ(timeouts, 0);
}

}  // namespace
}  // namespace az
