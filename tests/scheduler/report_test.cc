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
