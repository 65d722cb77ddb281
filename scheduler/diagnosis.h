#pragma once
// Diagnosis: a plan's bills as a person looks for them: a row a phase, a column a purpose (weights,
// gradients, activations), and whether it fits. Sums of what the bills hold, nothing else.

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
  std::vector<DiagnosisCell> cells;  // one a column
  Bytes total;                       // sum of the cells, which is the bill's
  Basis basis = Basis::kMeasured;    // of the total: the weakest of the bill's terms
  bool fits = false;                 // with the guard
  bool is_peak = false;              // the first of the largest rows
};

struct Diagnosis {
  std::vector<std::string> columns;  // those with bytes in any phase
  std::vector<DiagnosisRow> rows;    // as the bills
};

Diagnosis Diagnose(const std::vector<PhaseBill>& bills, Bytes budget, Bytes guard);

// The column that shows a term of this name; "other" for one that is not known here.
std::string_view DiagnosisColumnOf(std::string_view term);

// The table in MiB with a letter for each number's basis (m, p, a), a status (fits, and the total's
// share of the budget) and a mark at the peak. Lines of at most kReportWidth columns.
std::string DiagnosisTable(const Diagnosis& diagnosis, Bytes budget);

// "m", "p" or "a".
std::string_view BasisLetter(Basis basis);

// "0.3", "12", "461": MiB with a digit behind the point below 10.
std::string InMiB(Bytes bytes);

}  // namespace az
