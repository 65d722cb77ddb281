#pragma once
// Diagnosis: a plan's bills as a person reads them: one row per phase, one column per purpose
// (weights, gradients, activations), and whether it fits. It only adds up what the bills hold.

#include <string>
#include <string_view>
#include <vector>

#include "scheduler/plan.h"

namespace az {

struct DiagnosisCell {
  Bytes bytes;
  Basis basis = Basis::kMeasured;  // the weakest of its terms
};

struct DiagnosisRow {
  PlanPhase phase = PlanPhase::kSelfPlay;
  std::vector<DiagnosisCell> cells;  // one per column
  Bytes total;                       // the sum of the cells, equal to the bill's total
  Basis basis = Basis::kMeasured;    // the total's: the weakest of the bill's terms
  bool fits = false;                 // total and guard are within the budget
  bool is_peak = false;              // this is the first of the largest rows
};

struct Diagnosis {
  std::vector<std::string> columns;  // the columns with bytes in any phase
  std::vector<DiagnosisRow> rows;    // in the order of the bills
};

Diagnosis Diagnose(const std::vector<PhaseBill>& bills, Bytes budget, Bytes guard);

// The column that shows the term of this name; "other" for an unknown name.
std::string_view DiagnosisColumnOf(std::string_view term);

// Prints the table in MiB, with a letter for each number's basis (m, p, a), a status (whether it
// fits, and the total's share of the budget) and a mark at the peak, in lines of at most
// kReportWidth columns.
std::string DiagnosisTable(const Diagnosis& diagnosis, Bytes budget);

// The letter of a basis: "m", "p" or "a".
std::string_view BasisLetter(Basis basis);

// "0.3", "12", "461": MiB with a digit behind the point below 10.
std::string InMiB(Bytes bytes);

}  // namespace az
