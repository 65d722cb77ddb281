#include "engine/ipc/event_count.h"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <memory>
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

struct Court {
  EventCount bells[2];
  std::atomic<int> ball;
};

// Player `self` of two hits every other round; how often a sleep ran out.
int Play(Court& court, int self, int rounds) {
  int timeouts = 0;
  for (int round = self; round < rounds; round += 2) {
    const auto mine = [&] { return court.ball.load(std::memory_order_acquire) == round; };
    auto asleep = std::chrono::steady_clock::now();
    while (!court.bells[self].Await(mine, seconds(2))) {
      // A late wake of an earlier round ends a sleep early: allowed, and no time-out.
      const auto awake = std::chrono::steady_clock::now();
      timeouts += awake - asleep >= seconds(2);
      asleep = awake;
    }
    court.ball.store(round + 1, std::memory_order_release);
    court.bells[1 - self].Ring();
  }
  return timeouts;
}

TEST(EventCount, PassesABallBetweenThreadsWithoutTimeOuts) {
  Court court{};
  std::thread other([&] { EXPECT_EQ(Play(court, 1, 20'000), 0); });
  EXPECT_EQ(Play(court, 0, 20'000), 0);
  other.join();
}

// A private futex would pass the ball too, but on its time-outs.
TEST(EventCount, PassesABallBetweenProcessesWithoutTimeOuts) {
  void* memory =
      ::mmap(nullptr, sizeof(Court), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(memory, MAP_FAILED);
  Court& court = *std::construct_at(static_cast<Court*>(memory));
  const pid_t child = ::fork();
  if (child == 0) ::_exit(Play(court, 1, 5'000) == 0 ? 0 : 1);
  EXPECT_EQ(Play(court, 0, 5'000), 0);
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
  ::munmap(memory, sizeof(Court));
}

}  // namespace
}  // namespace az
