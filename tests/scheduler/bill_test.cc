#include "scheduler/bill.h"

#include <gtest/gtest.h>

#include "tests/scheduler/plan_testing.h"

namespace az {
namespace {

using testing::Hex5x5;
using testing::PlanOf;

// mcts/rollout_player.h: 1 + (visits + 1) * actions nodes of 32 bytes.
TEST(WorkerBytes, HasOneTreeOfRolloutsBesideTheOtherSidesTrees) {
  PlanInput input = Hex5x5();
  Plan plan = PlanOf(input);
  const Bytes without = WorkerBytes(input, plan);
  input.wishes.rollout_visits = 200;
  EXPECT_EQ(WorkerBytes(input, plan), without) << "less than the other side's trees";
  input.wishes.rollout_visits = 1'000'000;
  const Bytes rollouts(32 * (1 + std::int64_t{1'000'001} * 25));
  const Bytes other_side(32 * (1 + std::int64_t{input.wishes.arena_visits + 1} * 25));
  EXPECT_EQ(WorkerBytes(input, plan), without - other_side * plan.slots + rollouts);
  plan.slots *= 2;
  EXPECT_GT(WorkerBytes(input, plan), rollouts);
  EXPECT_LT(WorkerBytes(input, plan), rollouts * 2);
}

}  // namespace
}  // namespace az
