#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>

#include "base/strings.h"
#include "engine/apps/plan_sections.h"
#include "scheduler/bill.h"
#include "scheduler/diagnosis.h"
#include "scheduler/planner.h"
#include "scheduler/text_table.h"

namespace az {
namespace {

using Json = nlohmann::ordered_json;

constexpr int kLeastEnd = 8;
constexpr int kMostWorkers = 256;  // the config's own limit
constexpr std::size_t kBar = 40;

// The numbers of workers up to `end`: 1, 2, 3, 4, 6, 8, 12, 16, …
std::vector<int> Counts(int end) {
  std::vector<int> counts;
  for (int power = 1; power <= end; power *= 2) {
    counts.push_back(power);
    if (power >= 2 && power * 3 / 2 <= end) counts.push_back(power * 3 / 2);
  }
  return counts;
}

double MovesPerSecond(const PlanInput& input, const Plan& plan) {
  return plan.predicted_rows_per_s / std::max(1, input.wishes.visits);
}

std::string Bar(double value, double largest) {
  if (largest <= 0) return "";
  return std::string(static_cast<std::size_t>(std::lround(value / largest * kBar)), '#');
}

bool IsMeasured(const std::vector<SweepPoint>& points) {
  return std::ranges::any_of(
      points, [](const SweepPoint& point) { return point.measured_moves_per_s.has_value(); });
}

std::string Peaks(const std::vector<PhaseBill>& bills) {
  return StrCat(InMiB(Peak(bills)), " ", BasisLetter(BasisOfPeak(bills)));
}

Json PointJson(const PlanInput& input, const SweepPoint& point) {
  Json json = {{"num_workers", point.workers}, {"fits", point.plan.has_value()}};
  if (point.plan) {
    json["host_memory_peak_bytes"] = Peak(point.plan->ram).count();
    json["device_memory_peak_bytes"] = Peak(point.plan->vram).count();
    json["host_memory_basis"] = EnumName(BasisOfPeak(point.plan->ram));
    json["device_memory_basis"] = EnumName(BasisOfPeak(point.plan->vram));
    json["rows_per_s"] = point.plan->predicted_rows_per_s;
    json["moves_per_s"] = MovesPerSecond(input, *point.plan);
    json["rates_basis"] = EnumName(point.plan->rates);
  }
  if (point.measured_moves_per_s) {
    json["measured_moves_per_s"] = *point.measured_moves_per_s;
    json["measured_host_memory_peak_bytes"] = point.measured_ram.value_or(Bytes()).count();
  }
  return json;
}

}  // namespace

std::vector<SweepPoint> SweepWorkers(const PlanInput& input) {
  PlanInput open = input;
  open.wishes.num_workers.reset();
  const Result<Plan> own = MakePlan(open);
  const int end = std::clamp(own ? 2 * own->num_workers : kLeastEnd, kLeastEnd, kMostWorkers);
  std::vector<SweepPoint> points;
  for (const int workers : Counts(end)) {
    PlanInput fixed = input;
    fixed.wishes.num_workers = workers;
    if (!fixed.wishes.arena_workers) fixed.wishes.arena_workers = workers;
    SweepPoint point{.workers = workers};
    Result<Plan> plan = MakePlan(fixed);
    if (plan && plan->num_workers == workers) point.plan = std::move(plan).value();
    points.push_back(std::move(point));
  }
  return points;
}

PlanSection SweepSection(const PlanInput& input, const std::vector<SweepPoint>& points) {
  const bool gpu = input.device.kind == DeviceKind::kCuda;
  const bool measured = IsMeasured(points);
  std::vector<TableColumn> columns = {{"num_workers"}};
  if (gpu) columns.push_back({"device MiB"});
  columns.insert(columns.end(), {{"host MiB"}, {"rows/s"}, {"moves/s"}});
  if (measured) columns.insert(columns.end(), {{"measured MiB"}, {"measured moves/s"}});
  columns.push_back(
      {measured ? "measured moves/s, and its best" : "rows/s, and its best", Align::kLeft});

  const auto value = [measured](const SweepPoint& point) {
    if (measured) return point.measured_moves_per_s.value_or(0);
    return point.plan ? point.plan->predicted_rows_per_s : 0;
  };
  double best = 0;
  for (const SweepPoint& point : points) best = std::max(best, value(point));

  TextTable table(columns);
  Json rows = Json::array();
  for (const SweepPoint& point : points) {
    rows.push_back(PointJson(input, point));
    std::vector<std::string> cells = {StrCat(point.workers)};
    if (!point.plan) {
      cells.resize(columns.size());
      cells.back() = "does not fit";
      table.Add(std::move(cells));
      continue;
    }
    const Plan& plan = *point.plan;
    if (gpu) cells.push_back(Peaks(plan.vram));
    cells.push_back(Peaks(plan.ram));
    const std::string_view rates = BasisLetter(plan.rates);
    cells.push_back(StrCat(FormatCount(plan.predicted_rows_per_s), " ", rates));
    cells.push_back(StrCat(FormatCount(MovesPerSecond(input, plan)), " ", rates));
    if (measured) {
      cells.push_back(point.measured_ram ? StrCat(InMiB(*point.measured_ram), " m") : "-");
      cells.push_back(point.measured_moves_per_s
                          ? StrCat(FormatCount(*point.measured_moves_per_s), " m")
                          : "-");
    }
    const bool is_best = value(point) >= 0.99 * best;
    cells.push_back(StrCat(Bar(value(point), best), is_best ? " *" : ""));
    table.Add(std::move(cells));
  }
  std::string text = StrCat("num_workers from 1 on, ", input.device.name,
                            input.device.simulated ? " SIMULATED" : "", ", ", input.device.cores,
                            " core(s); moves/s = rows/s over search.visits, as if every simulation "
                            "asked the network\n",
                            table.Text());
  return {.name = "sweep", .text = std::move(text), .json = rows.dump()};
}

}  // namespace az
