#include "scheduler/diagnosis.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "base/strings.h"
#include "scheduler/bill.h"
#include "scheduler/text_table.h"
#include "tests/scheduler/plan_testing.h"

namespace az {
namespace {

// Both kinds of memory of both kinds of device.
struct Memory {
  std::vector<PhaseBill> bills;
  Bytes budget;
  Bytes guard;
};
std::vector<Memory> AllMemories() {
  std::vector<Memory> all;
  for (const PlanInput& input : {testing::Hex5x5(), testing::OnGpu(GiB(12))}) {
    const Plan plan = testing::PlanOf(input);
    all.push_back({plan.ram, plan.ram_budget, plan.ram_guard});
    if (!plan.vram.empty()) all.push_back({plan.vram, plan.vram_budget, plan.vram_guard});
  }
  return all;
}

TEST(Diagnosis, EachCellIsTheSumOfItsTerms) {
  for (const Memory& memory : AllMemories()) {
    const Diagnosis diagnosis = Diagnose(memory.bills, memory.budget, memory.guard);
    ASSERT_EQ(diagnosis.rows.size(), memory.bills.size());
    for (std::size_t r = 0; r < diagnosis.rows.size(); ++r) {
      std::map<std::string, Bytes> expected;
      std::map<std::string, Basis> weakest;
      for (const BillTerm& term : memory.bills[r].terms) {
        const std::string column(DiagnosisColumnOf(term.name));
        expected[column] += term.bytes;
        weakest[column] = std::max(weakest[column], term.basis);
      }
      Bytes sum;
      for (std::size_t c = 0; c < diagnosis.columns.size(); ++c) {
        const DiagnosisCell& cell = diagnosis.rows[r].cells[c];
        EXPECT_EQ(cell.bytes, expected[diagnosis.columns[c]]) << diagnosis.columns[c];
        EXPECT_EQ(cell.basis, weakest[diagnosis.columns[c]]) << diagnosis.columns[c];
        sum += cell.bytes;
      }
      EXPECT_EQ(sum, diagnosis.rows[r].total);
      EXPECT_EQ(sum, memory.bills[r].total());
    }
  }
}

TEST(Diagnosis, KnowsEveryTermThatAPlanHas) {
  for (const Memory& memory : AllMemories()) {
    for (const PhaseBill& bill : memory.bills) {
      for (const BillTerm& term : bill.terms) {
        EXPECT_NE(DiagnosisColumnOf(term.name), "other") << term.name;
      }
    }
  }
  EXPECT_EQ(DiagnosisColumnOf("tea leaves"), "other");
}

TEST(Diagnosis, ATermItDoesNotKnowIsShownAndSummed) {
  const std::vector<PhaseBill> bills = {
      {PlanPhase::kTrain,
       {{"gradients", MiB(2), Basis::kMeasured}, {"tea leaves", MiB(3), Basis::kAssumed}}}};
  const Diagnosis diagnosis = Diagnose(bills, MiB(6), MiB(1));
  EXPECT_EQ(diagnosis.columns, (std::vector<std::string>{"gradients", "other"}));
  EXPECT_EQ(diagnosis.rows[0].total, MiB(5));
  EXPECT_TRUE(diagnosis.rows[0].fits);
  EXPECT_FALSE(Diagnose(bills, MiB(6), MiB(1) + Bytes(1)).rows[0].fits);
}

TEST(Diagnosis, MarksOnePeak) {
  const std::vector<PhaseBill> bills = {{PlanPhase::kSelfPlay, {{"gradients", MiB(1), {}}}},
                                        {PlanPhase::kTrain, {{"gradients", MiB(2), {}}}},
                                        {PlanPhase::kArena, {{"gradients", MiB(2), {}}}}};
  const Diagnosis diagnosis = Diagnose(bills, MiB(9), MiB(1));
  EXPECT_FALSE(diagnosis.rows[0].is_peak);
  EXPECT_TRUE(diagnosis.rows[1].is_peak);
  EXPECT_FALSE(diagnosis.rows[2].is_peak);
}

// What a person would check with a pencil: the printed cells of a line add up to its printed total.
TEST(Diagnosis, PrintedLinesAddUpAreLabelledAndFitTheWidth) {
  for (const Memory& memory : AllMemories()) {
    const Diagnosis diagnosis = Diagnose(memory.bills, memory.budget, memory.guard);
    std::istringstream lines(DiagnosisTable(diagnosis, memory.budget));
    std::string line;
    std::getline(lines, line);  // names
    EXPECT_LE(line.size(), kReportWidth);
    for (const DiagnosisRow& row : diagnosis.rows) {
      ASSERT_TRUE(std::getline(lines, line));
      EXPECT_LE(line.size(), kReportWidth) << line;
      std::istringstream words(line);
      std::string word;
      words >> word;
      EXPECT_EQ(word, EnumName(row.phase));
      double sum = 0;
      for (const DiagnosisCell& cell : row.cells) {
        words >> word;
        if (word == "-") continue;
        double number = -1;
        ASSERT_TRUE(ParseDouble(word, number)) << line;
        EXPECT_NEAR(number, static_cast<double>(cell.bytes.count()) / 1048576.0, 0.5);
        sum += number;
        std::string label;
        words >> label;
        EXPECT_EQ(label, std::string(EnumName(cell.basis).substr(0, 1))) << line;
      }
      double total = -1;
      words >> total;
      EXPECT_NEAR(total, sum, 0.5 * static_cast<double>(row.cells.size())) << line;
      words >> word;
      EXPECT_EQ(word, "a") << "the weakest of the parts";
      words >> word;
      EXPECT_EQ(word, "fits,");
    }
  }
}

TEST(TextTable, AlignsAndCutsBlanks) {
  TextTable table({{"name", Align::kLeft}, {"bytes", Align::kRight}, {"note", Align::kLeft}});
  table.Add({"a", "1", ""});
  table.Add({"longer", "12345678", "×"});
  EXPECT_EQ(table.Text(),
            "name       bytes  note\n"
            "a              1\n"
            "longer  12345678  ×\n");
}

TEST(TextTable, NarrowsItsGapsBeforeItIsTooWide) {
  TextTable table({{std::string(60, 'x'), Align::kLeft}, {std::string(59, 'y'), Align::kLeft}});
  EXPECT_EQ(table.Text(), std::string(60, 'x') + " " + std::string(59, 'y') + "\n");
}

}  // namespace
}  // namespace az
