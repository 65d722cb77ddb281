#include "scheduler/diagnosis.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>

#include "base/strings.h"
#include "scheduler/bill.h"
#include "scheduler/text_table.h"

namespace az {
namespace {

// A column of the table and the terms it holds; in the order of the table.
struct ColumnTerms {
  std::string_view column;
  std::array<std::string_view, 4> terms;
};
constexpr std::array<ColumnTerms, 13> kColumns = {
    {{"context", {"context"}},
     {"workspace", {"workspaces"}},
     {"programs", {"supervisor", "device process", "segment", "workers' networks"}},
     {"workers", {"workers"}},
     {"weights", {"weights best", "weights candidate", "weights being loaded", "training weights"}},
     {"gradients", {"gradients"}},
     {"optimizer", {"optimizer"}},
     {"EMA+cast", {"averaged weights", "bf16 copies"}},
     {"activations", {"activations"}},
     {"IO", {"inputs and outputs", "pinned buffers"}},
     {"graphs", {"graphs"}},
     {"data", {"replay window", "batches ahead", "checkpoint copies"}},
     {"slack", {"allocator slack"}}}};
constexpr std::string_view kOther = "other";

std::string Status(const DiagnosisRow& row, Bytes budget) {
  const double share = 100.0 * static_cast<double>(row.total.count()) /
                       static_cast<double>(std::max<std::int64_t>(1, budget.count()));
  return StrCat(row.fits ? "fits, " : "NO, ", Fixed(share, share < 10 ? 1 : 0), " %",
                row.is_peak ? " peak" : "");
}

}  // namespace

std::string_view BasisLetter(Basis basis) { return EnumName(basis).substr(0, 1); }

std::string InMiB(Bytes bytes) {
  const double mib = static_cast<double>(bytes.count()) / 1048576.0;
  return Fixed(mib, mib < 9.95 ? 1 : 0);
}

std::string_view DiagnosisColumnOf(std::string_view term) {
  for (const ColumnTerms& column : kColumns) {
    if (std::ranges::find(column.terms, term) != column.terms.end()) return column.column;
  }
  return kOther;
}

Diagnosis Diagnose(const std::vector<PhaseBill>& bills, Bytes budget, Bytes guard) {
  Diagnosis diagnosis;
  const auto used = [&bills](std::string_view column) {
    return std::ranges::any_of(bills, [column](const PhaseBill& bill) {
      return std::ranges::any_of(bill.terms, [column](const BillTerm& term) {
        return DiagnosisColumnOf(term.name) == column && term.bytes > Bytes();
      });
    });
  };
  for (const ColumnTerms& column : kColumns) {
    if (used(column.column)) diagnosis.columns.emplace_back(column.column);
  }
  if (used(kOther)) diagnosis.columns.emplace_back(kOther);

  const Bytes peak = Peak(bills);
  bool peak_seen = false;
  for (const PhaseBill& bill : bills) {
    DiagnosisRow row{
        .phase = bill.phase, .cells = {}, .total = bill.total(), .basis = BasisOfTotal(bill)};
    row.cells.resize(diagnosis.columns.size());
    for (const BillTerm& term : bill.terms) {
      if (term.bytes == Bytes()) continue;
      const auto at = std::ranges::find(diagnosis.columns, DiagnosisColumnOf(term.name));
      DiagnosisCell& cell = row.cells[static_cast<std::size_t>(at - diagnosis.columns.begin())];
      cell.bytes += term.bytes;
      cell.basis = std::max(cell.basis, term.basis);
    }
    row.fits = row.total + guard <= budget;
    if (!peak_seen && row.total == peak) row.is_peak = peak_seen = true;
    diagnosis.rows.push_back(std::move(row));
  }
  return diagnosis;
}

std::string DiagnosisTable(const Diagnosis& diagnosis, Bytes budget) {
  std::vector<TableColumn> columns = {{"phase", Align::kLeft}};
  for (const std::string& name : diagnosis.columns) columns.push_back({name, Align::kRight});
  columns.push_back({"total", Align::kRight});
  columns.push_back({"status", Align::kLeft});
  TextTable table(std::move(columns));
  for (const DiagnosisRow& row : diagnosis.rows) {
    std::vector<std::string> cells = {std::string(EnumName(row.phase))};
    for (const DiagnosisCell& cell : row.cells) {
      cells.push_back(
          cell.bytes == Bytes() ? "-  " : StrCat(InMiB(cell.bytes), " ", BasisLetter(cell.basis)));
    }
    cells.push_back(StrCat(InMiB(row.total), " ", BasisLetter(row.basis)));
    cells.push_back(Status(row, budget));
    table.Add(std::move(cells));
  }
  return table.Text();
}

}  // namespace az
