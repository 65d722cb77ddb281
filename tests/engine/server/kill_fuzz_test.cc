// Kills and stops a server and its workers at every point of the block protocol, and checks that no
// row is wrong, nobody hangs and nothing is left behind. AZ_FUZZ_SECONDS and AZ_FUZZ_SEED lengthen
// and vary it; with AZ_SPEED_FLOORS=1 it must also be as fast as an idle machine is.

#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <thread>

#include "base/rng.h"
#include "base/stats.h"
#include "tests/engine/server/protocol_rig.h"

namespace az {
namespace {

using fakes::ProtocolRig;
using fakes::RigOptions;
using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr int kNumFailPoints = static_cast<int>(FailPoint::kEnd) + 1;  // kEnd: outputs half written

std::uint64_t FromEnvironment(const char* name, std::uint64_t otherwise) {
  const char* text = std::getenv(name);
  return text == nullptr ? otherwise : std::strtoull(text, nullptr, 10);
}

void ExpectCleanEnd(ProtocolRig& rig) {
  EXPECT_TRUE(rig.Finish(seconds(20)));
  EXPECT_EQ(rig.WrongRows(), 0u);
  EXPECT_EQ(rig.FailedBatches(), 0u);
  EXPECT_EQ(rig.StaleBatches(), 0u);
  EXPECT_EQ(rig.segment().counter(ServerCounter::kViolations), 0u);
  const auto& shape = rig.segment().shape();
  EXPECT_EQ(rig.segment().CountBlocks(BlockState::kFree),
            static_cast<int>(shape.lanes * shape.blocks));
}

// Until `rows` more are right; false after 20 s.
bool Progresses(ProtocolRig& rig, std::uint64_t rows) {
  const std::uint64_t goal = rig.RightRows() + rows;
  const Deadline deadline = Deadline::In(seconds(20));
  while (rig.RightRows() < goal) {
    if (deadline.Passed()) return false;
    rig.Tend();
    std::this_thread::sleep_for(std::chrono::microseconds(200));
  }
  return true;
}

class KillAtEachPoint : public ::testing::TestWithParam<bool> {};
INSTANTIATE_TEST_SUITE_P(Engines, KillAtEachPoint, ::testing::Bool(),
                         [](const auto& test) { return test.param ? "Pipeline" : "Pool"; });

TEST_P(KillAtEachPoint, TheRestGoesOn) {
  ProtocolRig rig({.gpu_pipeline = GetParam()});
  rig.StartAll();
  ASSERT_TRUE(Progresses(rig, 200));
  for (int point = 0; point < kNumFailPoints; ++point) {
    SCOPED_TRACE(point);
    // Points that only a restart passes are reached because the process is killed once more.
    const auto at = static_cast<FailPoint>(point);
    const bool at_restart = at == FailPoint::kRequeued || at == FailPoint::kHinted;
    const int deaths = rig.server_deaths() + rig.worker_deaths();
    rig.shared().kill_at = point;
    const Deadline deadline = Deadline::In(seconds(20));
    const auto deaths_now = [&] { return rig.server_deaths() + rig.worker_deaths(); };
    while ((rig.shared().kill_at.load() != -1 || deaths_now() == deaths) && !deadline.Passed()) {
      if (at_restart) rig.Signal(rig.server(), SIGKILL);
      if (at == FailPoint::kAdopting) rig.Signal(0, SIGKILL);
      rig.Tend();
      std::this_thread::sleep_for(milliseconds(3));
    }
    ASSERT_EQ(rig.shared().kill_at.load(), -1) << "never reached";
    ASSERT_GT(deaths_now(), deaths);
    ASSERT_TRUE(Progresses(rig, 200));
  }
  ExpectCleanEnd(rig);
}

TEST(SigStop, OfEachAndOfAllLosesAndReclaimsNothing) {
  ProtocolRig rig({});
  rig.StartAll();
  ASSERT_TRUE(Progresses(rig, 200));
  const auto pause = [&](const std::vector<std::size_t>& whom, Duration time) {
    for (const std::size_t index : whom) rig.Signal(index, SIGSTOP);
    std::this_thread::sleep_for(time);
    for (const std::size_t index : whom) rig.Signal(index, SIGCONT);
    ASSERT_TRUE(Progresses(rig, 200));
  };
  for (const Duration time : {Duration(milliseconds(30)), Duration(milliseconds(300))}) {
    pause({rig.server()}, time);
    pause({0}, time);
    pause({0, 1, rig.server()}, time);
  }
  EXPECT_EQ(rig.server_deaths() + rig.worker_deaths(), 0);
  EXPECT_EQ(rig.segment().counter(ServerCounter::kRequeued), 0u);
  ExpectCleanEnd(rig);
}

// What the fuzz does next: kills, stops and publications, every 5 to 30 ms.
class Tormentor {
 public:
  Tormentor(ProtocolRig& rig, std::uint64_t seed) : rig_(rig), rng_(seed) {}

  void Step() {
    const TimePoint now = std::chrono::steady_clock::now();
    if (stopped_ != kNobody && now >= continue_at_) {
      rig_.Signal(stopped_, SIGCONT);  // harmless to a successor
      stopped_ = kNobody;
    }
    if (now < next_) return;
    next_ = now + milliseconds(5 + static_cast<int>(rng_.Below(26)));
    const auto victim = static_cast<std::size_t>(rng_.Below(rig_.size()));
    switch (rng_.Below(5)) {
      case 0:
        rig_.Signal(rig_.server(), SIGKILL);
        return;
      case 1:
      case 2:
        rig_.Signal(victim, SIGKILL);
        return;
      case 3:
        if (stopped_ != kNobody) return;
        rig_.Signal(victim, SIGSTOP);
        stopped_ = victim;
        continue_at_ = now + milliseconds(1 + static_cast<int>(rng_.Below(40)));
        return;
      default:
        rig_.Publish(static_cast<int>(rng_.Below(2)));
    }
  }

 private:
  static constexpr std::size_t kNobody = ~std::size_t{0};
  ProtocolRig& rig_;
  Rng rng_;
  TimePoint next_{};
  TimePoint continue_at_{};
  std::size_t stopped_ = kNobody;
};

class KillFuzz : public ::testing::TestWithParam<bool> {};
INSTANTIATE_TEST_SUITE_P(Engines, KillFuzz, ::testing::Bool(),
                         [](const auto& test) { return test.param ? "Pipeline" : "Pool"; });

TEST_P(KillFuzz, NoWrongRowNoHangNothingLeft) {
  const std::uint64_t time_s = FromEnvironment("AZ_FUZZ_SECONDS", 5);
  const std::uint64_t seed = FromEnvironment("AZ_FUZZ_SEED", 20260101);
  ProtocolRig rig({.gpu_pipeline = GetParam(), .random_kill_one_in = 20'000, .seed = seed});
  Tormentor tormentor(rig, seed);
  rig.StartAll();
  const TimePoint start = std::chrono::steady_clock::now();
  TimePoint last_progress = start;
  Duration longest_stall{};
  std::uint64_t rows = 0;
  while (std::chrono::steady_clock::now() - start < seconds(time_s)) {
    rig.Tend();
    tormentor.Step();
    const TimePoint now = std::chrono::steady_clock::now();
    if (rig.RightRows() != rows) {
      rows = rig.RightRows();
      last_progress = now;
    }
    longest_stall = std::max(longest_stall, now - last_progress);
    std::this_thread::sleep_for(std::chrono::microseconds(200));
  }
  const double rows_per_s = static_cast<double>(rig.RightRows()) / static_cast<double>(time_s);
  ExpectCleanEnd(rig);
  const auto median_ms = [](const std::vector<double>& times_s) {
    return times_s.empty() ? 0.0 : 1e3 * Median(times_s);
  };
  std::printf(
      "seed=%llu rows=%llu rows_per_s=%.0f server_deaths=%d worker_deaths=%d requeued=%llu "
      "longest_stall_ms=%.1f server_recovery_ms=%.2f worker_recovery_ms=%.2f\n",
      static_cast<unsigned long long>(seed), static_cast<unsigned long long>(rig.RightRows()),
      rows_per_s, rig.server_deaths(), rig.worker_deaths(),
      static_cast<unsigned long long>(rig.segment().counter(ServerCounter::kRequeued)),
      1e3 * Seconds(longest_stall), median_ms(rig.server_recoveries_s()),
      median_ms(rig.worker_recoveries_s()));
  EXPECT_GT(rig.server_deaths(), 0);
  EXPECT_GT(rig.worker_deaths(), 0);
  EXPECT_GT(rig.RightRows(), 0u);
  EXPECT_LT(longest_stall, seconds(20));
  if (FromEnvironment("AZ_SPEED_FLOORS", 0) == 0) return;
  EXPECT_GT(rig.server_deaths(), 5);
  EXPECT_GT(rig.worker_deaths(), 5);
  EXPECT_LT(longest_stall, seconds(2));
  EXPECT_GT(rows_per_s, 10'000);
  EXPECT_LT(median_ms(rig.server_recoveries_s()), 50.0);
  EXPECT_LT(median_ms(rig.worker_recoveries_s()), 50.0);
}

}  // namespace
}  // namespace az
