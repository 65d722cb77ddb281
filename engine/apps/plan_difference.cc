#include <cmath>
#include <optional>
#include <string_view>
#include <vector>

#include "base/strings.h"
#include "engine/apps/plan_sections.h"
#include "engine/apps/plan_values.h"
#include "scheduler/bill.h"

namespace az {

std::string PlanDifference(const Plan& from, const Plan& to) {
  std::vector<std::string> parts;
  for (const std::string_view key : PlannedKeys()) {
    const std::optional<std::string> before = PlanValue(from, key);
    const std::optional<std::string> after = PlanValue(to, key);
    if (before != after && after) parts.push_back(StrCat(key, " ", *after));
  }
  const auto memory = [&parts](std::string_view name, Bytes before, Bytes after) {
    if (before == after) return;
    parts.push_back(StrCat(name, " ", FormatBytes(before), " -> ", FormatBytes(after)));
  };
  memory("device memory", Peak(from.vram), Peak(to.vram));
  memory("host memory", Peak(from.ram), Peak(to.ram));
  const double rows = to.predicted_rows_per_s;
  if (std::fabs(rows - from.predicted_rows_per_s) > 0.005 * from.predicted_rows_per_s) {
    parts.push_back(StrCat("rows/s ", FormatCount(from.predicted_rows_per_s), " -> ",
                           FormatCount(rows), " (", EnumName(to.rates), ")"));
  }
  return parts.empty() ? std::string(kSamePlan) : Join(parts, "; ");
}

}  // namespace az
