#include "scheduler/report.h"

#include <gtest/gtest.h>

#include <sstream>
#include <string>

#include "scheduler/diagnosis.h"
#include "scheduler/text_table.h"
#include "tests/scheduler/plan_testing.h"

namespace az {
namespace {

using testing::Hex5x5;
using testing::OnGpu;
using testing::PlanOf;

// Diagnosis tests its figures (diagnosis_test.cc); here: that the report holds it whole.
TEST(PlanReport, HoldsTheDiagnosisOfEachKindOfMemory) {
  const PlanInput input = OnGpu(GiB(8));
  const Plan plan = PlanOf(input);
  const std::string report = PlanReport(input, plan);
  for (const std::string& table :
       {DiagnosisTable(Diagnose(plan.ram, plan.ram_budget, plan.ram_guard), plan.ram_budget),
        DiagnosisTable(Diagnose(plan.vram, plan.vram_budget, plan.vram_guard), plan.vram_budget)}) {
    EXPECT_NE(report.find(table), std::string::npos) << report << table;
  }
}

TEST(PlanReport, FitsItsWidth) {
  const PlanInput input = Hex5x5();
  std::istringstream lines(PlanReport(input, PlanOf(input)));
  for (std::string line; std::getline(lines, line);) {
    EXPECT_LE(line.size(), kReportWidth) << line;
  }
}

TEST(PlanReport, SaysWhenACardIsSimulated) {
  PlanInput input = OnGpu(GiB(8));
  EXPECT_NE(PlanReport(input, PlanOf(input)).find("SIMULATED"), std::string::npos);
  input.device.simulated = false;
  EXPECT_EQ(PlanReport(input, PlanOf(input)).find("SIMULATED"), std::string::npos);
}

// A card that is here.
PlanInput OnARealGpu() {
  PlanInput input = OnGpu(GiB(8));
  input.device.simulated = false;
  return input;
}

TEST(PlanReport, ListsWhoElseIsOnTheGpu) {
  PlanInput input = OnARealGpu();
  input.device.co_tenants = {{.pid = 812, .name = "python3", .bytes = MiB(4100)},
                             {.pid = 9, .bytes = MiB(64)},
                             {.pid = 77}};
  EXPECT_NE(PlanReport(input, PlanOf(input))
                .find("\n        also on the GPU: pid 812 (python3) 4.00 GiB, pid 9 64 MiB, "
                      "pid 77 bytes unknown\nnet "),
            std::string::npos)
      << PlanReport(input, PlanOf(input));
}

TEST(PlanReport, ListsEightCoTenantsAndCountsTheOthers) {
  PlanInput input = OnARealGpu();
  input.device.co_tenants.emplace();
  for (int i = 0; i < 40; ++i) {
    input.device.co_tenants->push_back(
        {.pid = 4'000'000 + i, .name = "a_name_as_long0", .bytes = MiB(1000)});
  }
  const std::string text = CoTenantsText(input.device);
  EXPECT_NE(text.find("pid 4000007 "), std::string::npos) << text;
  EXPECT_EQ(text.find("pid 4000008 "), std::string::npos) << text;
  EXPECT_TRUE(text.ends_with(" and 32 more")) << text;
  std::istringstream lines(PlanReport(input, PlanOf(input)));
  for (std::string line; std::getline(lines, line);) EXPECT_LE(line.size(), kReportWidth) << line;
}

TEST(PlanReport, SaysWhenTheDriverListsNoProcesses) {
  PlanInput input = OnARealGpu();
  EXPECT_NE(CoTenantsText(input.device).find("unknown"), std::string::npos);
  input.device.co_tenants.emplace();  // it does, and there are none
  EXPECT_EQ(CoTenantsText(input.device), "");
  EXPECT_EQ(CoTenantsText(Hex5x5().device), "");
  EXPECT_EQ(CoTenantsText(OnGpu(GiB(8)).device), "") << "a simulated card has no processes";
}

TEST(PlanReport, WhoTakesTheGpuIsInTheErrorWhenNothingFits) {
  PlanInput input = OnARealGpu();
  input.device.vram = MiB(64);
  input.device.co_tenants = {{.pid = 812, .name = "python3", .bytes = GiB(11)}};
  const Result<Plan> plan = MakePlan(input);
  ASSERT_FALSE(plan);
  EXPECT_NE(plan.error().message.find("; also on the GPU: pid 812 (python3) 11 GiB"),
            std::string::npos)
      << plan.error().message;
}

TEST(PlanReport, SaysWhatWasGivenUp) {
  PlanInput input = Hex5x5();
  input.device.ram = GiB(2);
  input.wishes.slots = 4096;
  input.wishes.visits = 5000;
  const std::string report = PlanReport(input, PlanOf(input));
  EXPECT_NE(report.find(" instead of 4096: the budget is smaller"), std::string::npos) << report;
}

}  // namespace
}  // namespace az
