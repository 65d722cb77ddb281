#include "engine/memory/measure.h"

#include <gtest/gtest.h>

namespace az {
namespace {

constexpr std::int64_t kMiB = 1 << 20;

ProbedMessage Answer() {
  return {.state_bytes = 10 * kMiB,
          .first_peak_bytes = 58 * kMiB,
          .peak_bytes = 34 * kMiB,
          .process_bytes = 99 * kMiB,
          .step_us = 1200};
}
Plan PlanFor(DeviceKind device) {
  Plan plan;
  plan.device = device;
  plan.runners = 4;
  plan.learner_shards = device == DeviceKind::kCpu ? 2 : 1;
  return plan;
}

// The runners' batches live side by side and take the time of one.
TEST(SizeOf, ABatchOfACpuHasItsShareOfTheBytesAndTheWholeTime) {
  const MeasuredSize size =
      SizeOf(PlanFor(DeviceKind::kCpu), {.phase = "inference", .rows = 64}, Answer());
  EXPECT_EQ(size.rows, 64);
  EXPECT_EQ(size.first_step, MiB(12));
  EXPECT_EQ(size.later_steps, MiB(6));
  EXPECT_EQ(size.process, MiB(99));
  EXPECT_DOUBLE_EQ(size.step_us, 1200);
}

// The batches in flight take turns on one stream: activations of one at a time, the time of all.
TEST(SizeOf, ABatchOfAGpuHasAllTheBytesAndItsShareOfTheTime) {
  const MeasuredSize size =
      SizeOf(PlanFor(DeviceKind::kCuda), {.phase = "inference", .rows = 64}, Answer());
  EXPECT_EQ(size.first_step, MiB(48));
  EXPECT_EQ(size.later_steps, MiB(24));
  EXPECT_DOUBLE_EQ(size.step_us, 300);
}

TEST(SizeOf, AMicroBatchIsOfOneShard) {
  const ProbeMessage asked{.phase = "train", .rows = 64};
  EXPECT_EQ(SizeOf(PlanFor(DeviceKind::kCpu), asked, Answer()).first_step, MiB(24));
  EXPECT_DOUBLE_EQ(SizeOf(PlanFor(DeviceKind::kCpu), asked, Answer()).step_us, 1200);
  EXPECT_EQ(SizeOf(PlanFor(DeviceKind::kCuda), asked, Answer()).first_step, MiB(48));
}

TEST(SizeOf, WithoutMemoryOrFiguresThereAreNoBytes) {
  ProbedMessage probed = Answer();
  probed.out_of_memory = true;
  EXPECT_FALSE(SizeOf(PlanFor(DeviceKind::kCpu), {.phase = "train"}, probed).peak());
  probed = Answer();
  probed.state_bytes = -1;
  EXPECT_FALSE(SizeOf(PlanFor(DeviceKind::kCpu), {.phase = "train"}, probed).peak());
}

}  // namespace
}  // namespace az
