#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/strings.h"
#include "engine/apps/plan_sections.h"
#include "scheduler/diagnosis.h"
#include "scheduler/text_table.h"

namespace az {
namespace {

using Json = nlohmann::ordered_json;

// The relative error of the prediction. Its basis is "p", the weaker one of the two figures.
std::string ErrorText(Bytes predicted, std::optional<Bytes> measured) {
  if (measured.value_or(Bytes()) == Bytes()) return "-";
  const double error =
      100.0 *
      (static_cast<double>(predicted.count()) / static_cast<double>(measured->count()) - 1.0);
  return StrCat(error >= 0 ? "+" : "", Fixed(error, 1), " % p");
}

std::string PeakText(std::optional<Bytes> peak) { return peak ? StrCat(InMiB(*peak), " m") : "-"; }

Json PeakJson(std::optional<Bytes> peak) { return peak ? Json(peak->count()) : Json(nullptr); }

std::string SizesText(const std::vector<MeasuredSize>& sizes) {
  TextTable table({{"measured", Align::kLeft},
                   {"rows"},
                   {"predicted MiB"},
                   {"first MiB"},
                   {"later MiB"},
                   {"error"},
                   {"process MiB"},
                   {"step ms"},
                   {"", Align::kLeft}});
  for (const MeasuredSize& size : sizes) {
    table.Add({size.phase, StrCat(size.rows), StrCat(InMiB(size.predicted), " p"),
               PeakText(size.first_step), PeakText(size.later_steps),
               ErrorText(size.predicted, size.peak()), StrCat(InMiB(size.process), " m"),
               StrCat(Fixed(size.step_us / 1000, 2), " m"),
               size.out_of_memory ? "out of memory"
               : size.confirms    ? "confirms"
                                  : "probe"});
  }
  return table.Text();
}

Json SizesJson(const std::vector<MeasuredSize>& sizes) {
  Json json = Json::array();
  for (const MeasuredSize& size : sizes) {
    json.push_back({{"phase", size.phase},
                    {"rows", size.rows},
                    {"confirms", size.confirms},
                    {"out_of_memory", size.out_of_memory},
                    {"predicted_bytes", size.predicted.count()},
                    {"measured_bytes", PeakJson(size.peak())},
                    {"first_step_bytes", PeakJson(size.first_step)},
                    {"later_steps_bytes", PeakJson(size.later_steps)},
                    {"process_bytes", size.process.count()},
                    {"step_us", size.step_us},
                    {"predicted_basis", EnumName(Basis::kPredicted)},
                    {"basis", EnumName(Basis::kMeasured)}});
  }
  return json;
}

std::string PricesText(const std::vector<MeasuredPrice>& prices) {
  TextTable table({{"what a rung of the ladder costs", Align::kLeft},
                   {"rows"},
                   {"saves MiB in all"},
                   {"time for the same rows"}});
  for (const MeasuredPrice& price : prices) {
    const std::string rung = StrCat(price.key, ": ", price.from, " -> ", price.to);
    if (price.out_of_memory) {
      table.Add({rung, StrCat(price.rows), "-", "out of memory"});
    } else {
      table.Add({rung, StrCat(price.rows), StrCat(InMiB(price.saved), " m"),
                 StrCat("x ", Fixed(price.time_ratio, 2), " m")});
    }
  }
  return prices.empty() ? "" : table.Text();
}

Json PricesJson(const std::vector<MeasuredPrice>& prices) {
  Json json = Json::array();
  for (const MeasuredPrice& price : prices) {
    Json one = {{"key", price.key},
                {"from", price.from},
                {"to", price.to},
                {"rows", price.rows},
                {"out_of_memory", price.out_of_memory}};
    if (!price.out_of_memory) {
      one["bytes_saved"] = price.saved.count();
      one["time_ratio"] = price.time_ratio;
      one["basis"] = EnumName(Basis::kMeasured);
    }
    json.push_back(std::move(one));
  }
  return json;
}

}  // namespace

PlanSection MeasureSection(const Measurement& measurement) {
  std::string text = StrCat("measured on ", measurement.device,
                            "; peaks of one shard or batch in flight, beside the state, in the "
                            "first step and in\nthose after it, error of the larger one (m "
                            "measured, p predicted)\n",
                            SizesText(measurement.sizes), PricesText(measurement.prices));
  for (const std::string& note : measurement.notes) text += StrCat("  ", note, "\n");
  text += StrCat("the most that a confirming run took above its fit: ",
                 FormatBytes(measurement.calibration.confirm_residual), " p\n");
  const Json json = {{"device", measurement.device},
                     {"sizes", SizesJson(measurement.sizes)},
                     {"prices", PricesJson(measurement.prices)},
                     {"confirm_residual_bytes", measurement.calibration.confirm_residual.count()},
                     {"confirm_residual_basis", EnumName(Basis::kPredicted)},
                     {"notes", measurement.notes}};
  return {.name = "measured", .text = std::move(text), .json = json.dump()};
}

}  // namespace az
