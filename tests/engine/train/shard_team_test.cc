#include "engine/train/shard_team.h"

#include <gtest/gtest.h>
#include <pthread.h>
#include <sys/resource.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <exception>
#include <fstream>
#include <vector>

namespace az {
namespace {

TEST(ShardTeam, EachShardWorksOnceARound) {
  ShardTeam team(4);
  std::vector<std::atomic<int>> rounds(4);
  for (int round = 0; round < 3; ++round) {
    team.Run([&](int shard) { ++rounds[static_cast<std::size_t>(shard)]; });
  }
  for (const auto& count : rounds) EXPECT_EQ(count, 3);
}

// Room for the stacks of three threads more, as under ulimit -v; a number of processes cannot be
// limited for root. Exits with 0 when the team says why it cannot be made.
void MakeATeamWithoutRoom() {
  constexpr std::size_t kStack = std::size_t{256} << 20;
  alarm(10);  // it must not wait for threads that do not come
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, kStack);
  pthread_setattr_default_np(&attributes);
  std::size_t pages = 0;
  std::ifstream("/proc/self/statm") >> pages;
  const rlim_t room =
      pages * static_cast<std::size_t>(sysconf(_SC_PAGESIZE)) + 3 * kStack + kStack / 2;
  const rlimit limit{.rlim_cur = room, .rlim_max = room};
  setrlimit(RLIMIT_AS, &limit);
  try {
    const ShardTeam team(16);
  } catch (const std::exception& refused) {
    std::fputs(refused.what(), stderr);
    _exit(0);
  }
  _exit(1);
}

TEST(ShardTeam, AThreadThatCannotBeStartedIsAnErrorAndNobodyWaits) {
  EXPECT_EXIT(MakeATeamWithoutRoom(), ::testing::ExitedWithCode(0),
              "start 16 learner threads: only 4 could be started: .*ulimit -u");
}

}  // namespace
}  // namespace az
