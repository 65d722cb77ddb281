#include "engine/fleet/device_plan.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace az {
namespace {

const EngineOptions kEngine;

// Nor can a process whose driver shows no GPU, or one too many, serve a plan for another device.
TEST(DevicePlan, TheProcessIsToldTheDeviceThatThePlanIsFor) {
  struct Case {
    DeviceKind planned;
    std::string asked;
    std::string told;
  };
  const std::vector<Case> cases = {{DeviceKind::kCpu, "auto", "cpu"},
                                   {DeviceKind::kCpu, "cpu", "cpu"},
                                   {DeviceKind::kCuda, "auto", "cuda:0"},
                                   {DeviceKind::kCuda, "cuda", "cuda:0"},
                                   {DeviceKind::kCuda, "cuda:2", "cuda:2"}};
  for (const Case& c : cases) {
    Plan plan;
    plan.device = c.planned;
    EngineOptions engine;
    engine.device = c.asked;
    EXPECT_EQ(DevicePlanOf(plan, engine).device, c.told) << c.asked;
  }
}

TEST(DevicePlan, CarriesWhatTheDeviceMustKnow) {
  Plan plan;
  plan.runners = 3;
  plan.buckets = {8, 48};
  plan.learner_shards = 2;
  plan.micro_batch = 96;
  plan.inference_precision = Precision::kBf16;
  plan.cuda_graphs = true;
  plan.checkpoint_blocks = 4;
  plan.allocator_cap = MiB(700);
  const DevicePlanMessage message = DevicePlanOf(plan, kEngine);
  EXPECT_EQ(message.runners, 3);
  EXPECT_EQ(message.buckets, (std::vector<int>{8, 48}));
  EXPECT_EQ(message.learner_shards, 2);
  EXPECT_EQ(message.micro_batch, 96);
  EXPECT_EQ(message.inference_precision, "bf16");
  EXPECT_EQ(message.train_precision, "fp32");
  EXPECT_TRUE(message.cuda_graphs);
  EXPECT_EQ(message.checkpoint_blocks, 4);
  EXPECT_EQ(message.memory_cap_bytes, MiB(700).count());
}

TEST(DevicePlan, TheProcessorsPartReplacesThatOfTheGpu) {
  Plan plan;
  plan.device = DeviceKind::kCuda;
  plan.runners = 2;
  plan.buckets = {8, 1024};
  plan.cuda_graphs = true;
  plan.on_cpu = {.arena = true,
                 .runners = 4,
                 .buckets = {8, 128},
                 .inference_precision = Precision::kBf16,
                 .allocator_cap = MiB(300)};
  EXPECT_EQ(DevicePlanOf(plan, kEngine).device, "cuda:0");
  EXPECT_EQ(DevicePlanOf(plan, kEngine, PlanPhase::kTrain).buckets, plan.buckets);
  const DevicePlanMessage arena = DevicePlanOf(plan, kEngine, PlanPhase::kArena);
  EXPECT_EQ(arena.device, "cpu");
  EXPECT_EQ(arena.runners, 4);
  EXPECT_EQ(arena.buckets, plan.on_cpu.buckets);
  EXPECT_EQ(arena.inference_precision, "bf16");
  EXPECT_FALSE(arena.cuda_graphs);
  EXPECT_EQ(arena.memory_cap_bytes, MiB(300).count());
}

TEST(DevicePlan, ASuccessorGetsTheSizesInForce) {
  Plan plan;
  plan.buckets = {8, 48, 64};
  plan.micro_batch = 96;
  SizesInForce in_force = SizesOf(plan);
  EXPECT_EQ(Lowered(DevicePlanOf(plan, kEngine), in_force).buckets, plan.buckets);
  Follow({.where = "train", .micro_batch = 48, .checkpoint_blocks = 2}, in_force);
  Follow({.where = "inference", .largest_bucket = 32}, in_force);
  const DevicePlanMessage message = Lowered(DevicePlanOf(plan, kEngine), in_force);
  EXPECT_EQ(message.buckets, (std::vector<int>{8, 32}));
  EXPECT_EQ(message.micro_batch, 48);
  EXPECT_EQ(message.checkpoint_blocks, 2);
  const TrainMessage training = Lowered(TrainMessage{.iteration = 7, .micro_batch = 96}, in_force);
  EXPECT_EQ(training.iteration, 7u);
  EXPECT_EQ(training.micro_batch, 48);
  EXPECT_EQ(training.checkpoint_blocks, 2);
}

}  // namespace
}  // namespace az
