#include "engine/apps/plan_measure.h"

#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "base/strings.h"
#include "scheduler/diagnosis.h"
#include "scheduler/text_table.h"

namespace az {
namespace {

using Json = nlohmann::ordered_json;

// As weak as the weaker of its two parts.
std::string ErrorText(Bytes predicted, Bytes measured) {
  if (measured == Bytes()) return "-";
  const double error =
      100.0 *
      (static_cast<double>(predicted.count()) / static_cast<double>(measured.count()) - 1.0);
  return StrCat(error >= 0 ? "+" : "", Fixed(error, 1), " % p");
}

}  // namespace

PlanSection MeasureSection(const Measurement& measurement) {
  TextTable table({{"measured", Align::kLeft},
                   {"rows"},
                   {"predicted MiB"},
                   {"peak MiB"},
                   {"error"},
                   {"process MiB"},
                   {"step ms"},
                   {"", Align::kLeft}});
  Json sizes = Json::array();
  for (const MeasuredSize& size : measurement.sizes) {
    table.Add({size.phase, StrCat(size.rows), StrCat(InMiB(size.predicted), " p"),
               size.out_of_memory ? "-" : StrCat(InMiB(size.measured), " m"),
               size.out_of_memory ? "-" : ErrorText(size.predicted, size.measured),
               StrCat(InMiB(size.process), " m"), StrCat(Fixed(size.step_us / 1000, 2), " m"),
               size.out_of_memory ? "out of memory"
               : size.confirms    ? "confirms"
                                  : "probe"});
    sizes.push_back({{"phase", size.phase},
                     {"rows", size.rows},
                     {"confirms", size.confirms},
                     {"out_of_memory", size.out_of_memory},
                     {"predicted_bytes", size.predicted.count()},
                     {"measured_bytes", size.measured.count()},
                     {"process_bytes", size.process.count()},
                     {"step_us", size.step_us},
                     {"predicted_basis", EnumName(Basis::kPredicted)},
                     {"basis", EnumName(Basis::kMeasured)}});
  }
  std::string text = StrCat(
      "measured on ", measurement.device,
      "; peaks of one shard or batch in flight, beside the state (m measured, p predicted)\n",
      table.Text());
  for (const std::string& note : measurement.notes) text += StrCat("  ", note, "\n");
  text += StrCat("the most that a confirming run took above its fit: ",
                 FormatBytes(measurement.calibration.confirm_residual), " p\n");
  const Json json = {{"device", measurement.device},
                     {"sizes", std::move(sizes)},
                     {"confirm_residual_bytes", measurement.calibration.confirm_residual.count()},
                     {"confirm_residual_basis", EnumName(Basis::kPredicted)},
                     {"notes", measurement.notes}};
  return {.name = "measured", .text = std::move(text), .json = json.dump()};
}

}  // namespace az
