#include "scheduler/per_worker_bill.h"

#include <gtest/gtest.h>

#include <sstream>
#include <string>

#include "scheduler/bill.h"
#include "scheduler/footprint.h"
#include "scheduler/planner.h"
#include "scheduler/priors.h"
#include "scheduler/text_table.h"

namespace az {
namespace {

// Hex 5x5 with 128 filters x 8 blocks and 8 heads, as configs/5x5.yaml.
PlanInput Hex5x5(DeviceKind kind) {
  PlanInput input;
  input.device.kind = kind;
  input.device.cores = 8;
  input.device.ram = GiB(16);
  input.device.vram = kind == DeviceKind::kCuda ? GiB(12) : Bytes();
  input.device.fast_bf16 = true;
  input.net.filters = 128;
  input.net.res_blocks = 8;
  input.net.heads = 8;
  input.net.attention_blocks = 1;
  input.game = {.words = 2, .branching = 25, .max_plies = 25};
  input.wishes.num_workers = 10;
  input.wishes.arena_workers = 4;
  input.wishes.window_positions = 500'000;
  input.wishes.cache = MiB(16);
  return input;
}

PerWorkerBill BillOf(const PlanInput& input) {
  return MakePerWorkerBill(input, MakePlan(input).value());
}

TEST(PerWorkerBill, CountsProcessesContextsAndModels) {
  const PerWorkerBill bill = BillOf(Hex5x5(DeviceKind::kCuda));
  ASSERT_EQ(bill.phases.size(), 4U);
  const PerWorkerPhase& play = bill.phases[0];
  EXPECT_EQ(play.processes, 11);  // 10 and the main one
  EXPECT_EQ(play.contexts, 11);
  EXPECT_EQ(play.models, 12);  // the main process holds the trained and the best one
  const PerWorkerPhase& arena = bill.phases[2];
  EXPECT_EQ(arena.phase, PlanPhase::kArena);
  EXPECT_EQ(arena.processes, 15);
  EXPECT_EQ(arena.models, 20);
  EXPECT_EQ(BillOf(Hex5x5(DeviceKind::kCpu)).phases[0].contexts, 0);
}

// The formulas of the header, with a pencil.
TEST(PerWorkerBill, FollowsTheFormulas) {
  const PlanInput input = Hex5x5(DeviceKind::kCuda);
  const std::int64_t p = ParameterCount(input.net);
  const std::int64_t n = RunningStatCount(input.net);
  const Bytes main = kCublasWorkspace + Bytes(4 * p + 8 * p + 2 * (4 * p + 4 * n)) +
                     TrainingRowBytes(input.net, Precision::kFp32) * input.wishes.batch;
  const Bytes live1 = kCublasWorkspace + Bytes(4 * p + 4 * n) + Bytes(8 * 4 * 4 * 128 * 25);
  ASSERT_LT(live1, MiB(20));
  const Bytes unit1 = MiB(22);  // one segment of 20 and one of 2
  const Bytes live2 = live1 + Bytes(4 * p + 4 * n);
  ASSERT_GT(live2, MiB(20));
  ASSERT_LT(live2, MiB(40));
  const Bytes unit2 = MiB(42);
  const PerWorkerBill bill = BillOf(input);
  EXPECT_EQ(bill.phases[0].torch, main + unit1 * 10);
  EXPECT_EQ(bill.phases[0].context, kCudaContext * 11);
  EXPECT_EQ(bill.phases[0].device, kCudaContext * 11 + main + unit1 * 10);
  EXPECT_EQ(bill.phases[0].device_at_most, kLargeCudaContext * 11 + main + unit1 * 10);
  EXPECT_EQ(bill.phases[2].torch, main + unit1 * 10 + unit2 * 4);
  EXPECT_EQ(bill.phases[3].torch, main + unit2 * 10);  // publish: old and new
}

TEST(PerWorkerBill, TheMostWorkersFitAndOneMoreDoesNot) {
  for (const DeviceKind kind : {DeviceKind::kCuda, DeviceKind::kCpu}) {
    PlanInput input = Hex5x5(kind);
    input.device.ram = GiB(2);
    const Plan plan = MakePlan(input).value();
    const PerWorkerBill bill = MakePerWorkerBill(input, plan);
    const auto play = [&](int workers) {
      Plan other = plan;
      other.num_workers = workers;
      return MakePerWorkerBill(input, other).phases[0];
    };
    EXPECT_LE(play(bill.most_by_host).host, plan.ram_budget);
    EXPECT_GT(play(bill.most_by_host + 1).host, plan.ram_budget);
    if (kind == DeviceKind::kCpu) {
      EXPECT_EQ(bill.most_by_device, -1);
      continue;
    }
    EXPECT_LE(play(bill.most_by_device).device, plan.vram_budget);
    EXPECT_GT(play(bill.most_by_device + 1).device, plan.vram_budget);
    EXPECT_LT(bill.most_by_device_at_most, bill.most_by_device);
  }
}

TEST(PerWorkerBill, AutoNumbersAreTheUsualDesigns) {
  PlanInput input = Hex5x5(DeviceKind::kCuda);
  const PerWorkerBill written = BillOf(input);
  input.wishes.num_workers.reset();
  input.wishes.arena_workers.reset();
  input.device.cores = 2;  // the plan's own numbers are smaller
  const PerWorkerBill usual = BillOf(input);
  EXPECT_EQ(usual.workers, 10);
  EXPECT_EQ(usual.arena_workers, 4);
  for (std::size_t i = 0; i < written.phases.size(); ++i) {
    EXPECT_EQ(usual.phases[i].processes, written.phases[i].processes);
    EXPECT_EQ(usual.phases[i].torch, written.phases[i].torch);
  }
  const std::string report = ComparisonReport(input, MakePlan(input).value());
  EXPECT_NE(report.find("10 + 4 processes: the usual design's"), std::string::npos) << report;
}

TEST(PerWorkerBill, GrowsWithTheWorkersWhereTheSharedDesignDoesNot) {
  PlanInput input = Hex5x5(DeviceKind::kCuda);
  Bytes last;
  const Bytes shared = Peak(MakePlan(input).value().vram);
  for (const int workers : {1, 10, 100, 200}) {
    input.wishes.num_workers = workers;
    const Plan plan = MakePlan(input).value();
    const Bytes now = MakePerWorkerBill(input, plan).phases[0].device;
    EXPECT_GT(now, last);
    last = now;
    EXPECT_EQ(Peak(plan.vram), shared);
  }
}

TEST(ComparisonReport, HasARowForEachDesignAndPhaseAndFitsItsWidth) {
  PlanInput input = Hex5x5(DeviceKind::kCuda);
  input.device.simulated = true;
  const std::string report = ComparisonReport(input, MakePlan(input).value());
  std::istringstream lines(report);
  int usual = 0;
  int shared = 0;
  for (std::string line; std::getline(lines, line);) {
    EXPECT_LE(line.size(), kReportWidth) << line;
    usual += line.starts_with("per_worker ") ? 1 : 0;
    shared += line.starts_with("shared ") ? 1 : 0;
  }
  EXPECT_EQ(usual, 4 + 1);  // and the one that says what runs out
  EXPECT_EQ(shared, 4);
  EXPECT_NE(report.find("SIMULATED"), std::string::npos);
}

}  // namespace
}  // namespace az
