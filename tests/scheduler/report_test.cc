#include "scheduler/report.h"

#include <gtest/gtest.h>

#include <sstream>
#include <string>

#include "scheduler/diagnosis.h"
#include "scheduler/planner.h"
#include "scheduler/text_table.h"

namespace az {
namespace {

PlanInput Input() {
  PlanInput input;
  input.device.cores = 2;
  input.device.ram = GiB(2);
  input.game = {.words = 2, .branching = 25, .max_plies = 25};
  input.wishes.window_positions = 100'000;
  input.wishes.cache = MiB(16);
  return input;
}

// Diagnosis tests its figures (diagnosis_test.cc); here: that the report holds it whole.
TEST(PlanReport, HoldsTheDiagnosisOfEachKindOfMemory) {
  PlanInput input = Input();
  input.device.kind = DeviceKind::kCuda;
  input.device.vram = GiB(8);
  const Plan plan = MakePlan(input).value();
  const std::string report = PlanReport(input, plan);
  for (const std::string& table :
       {DiagnosisTable(Diagnose(plan.ram, plan.ram_budget, plan.ram_guard), plan.ram_budget),
        DiagnosisTable(Diagnose(plan.vram, plan.vram_budget, plan.vram_guard), plan.vram_budget)}) {
    EXPECT_NE(report.find(table), std::string::npos) << report << table;
  }
}

TEST(PlanReport, FitsItsWidth) {
  const PlanInput input = Input();
  std::istringstream lines(PlanReport(input, MakePlan(input).value()));
  for (std::string line; std::getline(lines, line);) {
    EXPECT_LE(line.size(), kReportWidth) << line;
  }
}

TEST(PlanReport, SaysWhenACardIsSimulated) {
  PlanInput input = Input();
  input.device.kind = DeviceKind::kCuda;
  input.device.vram = GiB(8);
  EXPECT_EQ(PlanReport(input, MakePlan(input).value()).find("SIMULATED"), std::string::npos);
  input.device.simulated = true;
  EXPECT_NE(PlanReport(input, MakePlan(input).value()).find("SIMULATED"), std::string::npos);
}

TEST(PlanReport, SaysWhatWasGivenUp) {
  PlanInput input = Input();
  input.wishes.slots = 4096;
  input.wishes.visits = 5000;
  const std::string report = PlanReport(input, MakePlan(input).value());
  EXPECT_NE(report.find(" instead of 4096: the budget is smaller"), std::string::npos) << report;
}

}  // namespace
}  // namespace az
