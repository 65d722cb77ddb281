#include "engine/server/batch_policy.h"

#include <gtest/gtest.h>

#include <functional>
#include <vector>

namespace az {
namespace {

using std::chrono::microseconds;
using std::chrono::milliseconds;

const TimePoint kNow{std::chrono::seconds(100)};

// 40 rows in 5 blocks of slot 0, 300 us old; one free runner; an idle device.
PolicyInput Input() {
  PolicyInput input;
  input.queues[0] = {.rows = 40, .blocks = 5, .oldest = kNow - microseconds(300), .is_ready = true};
  input.free_runners = 1;
  input.now = kNow;
  input.device_free = kNow - milliseconds(1);
  return input;
}
BatchPolicy Policy() {
  BatchPolicy policy;
  policy.buckets = {8, 32, 128};
  return policy;
}

struct Case {
  const char* name;
  std::function<void(BatchPolicy&, PolicyInput&)> change;
  std::optional<Seal> seal;
  Duration wait{};  // without a seal: from now
};

class Decides : public ::testing::TestWithParam<Case> {};

TEST_P(Decides, AsTheTableSays) {
  BatchPolicy policy = Policy();
  PolicyInput input = Input();
  GetParam().change(policy, input);
  const Decision decision = Decide(policy, input);
  ASSERT_EQ(decision.seal.has_value(), GetParam().seal.has_value());
  if (decision.seal) {
    EXPECT_EQ(decision.seal->model, GetParam().seal->model);
    EXPECT_EQ(decision.seal->rows, GetParam().seal->rows);
    EXPECT_EQ(decision.seal->reason, GetParam().seal->reason);
  } else {
    EXPECT_EQ(decision.wake_at - kNow, GetParam().wait);
  }
}

void AddSecondQueue(PolicyInput& input, int rows, Duration age) {
  input.queues[1] = {.rows = rows, .blocks = 1 + rows / 32, .oldest = kNow - age, .is_ready = true};
}

const std::vector<Case> kCases = {
    // (1)
    {"NoRunnerWaits", [](auto&, auto& in) { in.free_runners = 0; }, {}, milliseconds(2)},
    {"NothingQueuedWaits", [](auto&, auto& in) { in.queues[0] = {}; }, {}, milliseconds(2)},
    {"ALoadingModelWaits",
     [](auto&, auto& in) { in.queues[0].is_ready = false; },
     {},
     milliseconds(2)},
    {"IdlePhasesWaitLonger",
     [](auto& policy, auto& in) {
       in.queues[0] = {};
       policy.poll = milliseconds(100);
     },
     {},
     milliseconds(100)},
    // (2)
    {"ASuspectRunsAlone", [](auto&, auto& in) { in.suspects = 2; },
     Seal{0, 1, SealReason::kSuspect}},
    {"ASuspectWaitsForWhatIsInFlight",
     [](auto&, auto& in) {
       in.suspects = 1;
       in.in_flight = 1;
     },
     {},
     milliseconds(2)},
    {"ASuspectRunsThoughNothingElseIsQueued",
     [](auto&, auto& in) {
       in.suspects = 1;
       in.queues[0] = {};
     },
     Seal{0, 1, SealReason::kSuspect}},
    // (3)
    {"TheOldestBlocksModel", [](auto&, auto& in) { AddSecondQueue(in, 20, microseconds(500)); },
     Seal{1, 20, SealReason::kReady}},
    {"AFullModelGoesBeforeTheOldest",
     [](auto&, auto& in) { AddSecondQueue(in, 128, microseconds(10)); },
     Seal{1, 128, SealReason::kFull}},
    {"AStarvingModelGoesBeforeAFullOne",
     [](auto&, auto& in) {
       AddSecondQueue(in, 500, microseconds(10));
       in.queues[0].oldest = kNow - milliseconds(21);
     },
     Seal{0, 128, SealReason::kStarving}},
    {"AModelThatIsNotReadyDoesNotBlockOthers",
     [](auto&, auto& in) {
       AddSecondQueue(in, 20, milliseconds(500));
       in.queues[1].is_ready = false;
     },
     Seal{0, 40, SealReason::kReady}},
    // (4)
    {"AFullBucketDoesNotWaitForTheDevice",
     [](auto& policy, auto& in) {
       in.queues[0].rows = 200;
       in.in_flight = 1;
       in.device_free = kNow + milliseconds(9);
       policy.lead = microseconds(120);
     },
     Seal{0, 128, SealReason::kFull}},
    // (5)
    {"ABusyDeviceWaitsUntilShortlyBeforeItIsFree",
     [](auto& policy, auto& in) {
       in.in_flight = 1;
       in.device_free = kNow + microseconds(900);
       policy.lead = microseconds(120);
     },
     {},
     microseconds(780)},
    {"WithinTheLeadItSeals",
     [](auto& policy, auto& in) {
       in.in_flight = 1;
       in.device_free = kNow + microseconds(100);
       policy.lead = microseconds(120);
     },
     Seal{0, 40, SealReason::kReady}},
    // (6)
    {"AnIdleDeviceLingersForMoreRows",
     [](auto& policy, auto& in) {
       policy.min_rows = 64;
       policy.linger = microseconds(400);
       in.queues[0].oldest = kNow - microseconds(300);
     },
     {},
     microseconds(100)},
    {"NotWhenNoMoreRowsCanCome",
     [](auto& policy, auto& in) {
       policy.min_rows = 64;
       policy.linger = microseconds(400);
       in.lanes_asleep = true;
     },
     Seal{0, 64, SealReason::kReady}},
    {"NotWhenTheOldestIsOldEnough",
     [](auto& policy, auto&) {
       policy.min_rows = 64;
       policy.linger = microseconds(300);
     },
     Seal{0, 64, SealReason::kReady}},
    {"NotWithEnoughRows",
     [](auto& policy, auto&) {
       policy.min_rows = 40;
       policy.linger = milliseconds(400);
     },
     Seal{0, 40, SealReason::kReady}},
    // (7)
    {"FreeRunnersShareTheRows", [](auto&, auto& in) { in.free_runners = 3; },
     Seal{0, 14, SealReason::kReady}},
    {"ButNoneTakesLessThanIsWorthIt",
     [](auto& policy, auto& in) {
       in.free_runners = 4;
       policy.min_rows = 16;
     },
     Seal{0, 16, SealReason::kReady}},
    {"AShareIsAtMostTheLargestBucket",
     [](auto& policy, auto&) {
       policy.buckets = {8, 32, 41};
     },
     Seal{0, 40, SealReason::kReady}},
};

INSTANTIATE_TEST_SUITE_P(BatchPolicy, Decides, ::testing::ValuesIn(kCases),
                         [](const auto& test) { return std::string(test.param.name); });

TEST(BatchPolicy, BucketsHoldTheirRows) {
  const std::vector<int> buckets = {8, 32, 128};
  for (const auto& [rows, bucket] : std::vector<std::pair<int, int>>{
           {1, 8}, {8, 8}, {9, 32}, {32, 32}, {33, 128}, {128, 128}, {129, 128}}) {
    EXPECT_EQ(BucketFor(buckets, rows), bucket) << rows;
  }
}

}  // namespace
}  // namespace az
