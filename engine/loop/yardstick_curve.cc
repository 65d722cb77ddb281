#include "engine/loop/yardstick_curve.h"

#include <fstream>
#include <nlohmann/json.hpp>
#include <string>

namespace az {

Result<YardstickCurve> YardstickCurve::Open(const std::filesystem::path& file) {
  AZ_ASSIGN_OR_RETURN(MetricsFile appended, MetricsFile::Open(file));
  YardstickCurve curve(std::move(appended));
  std::ifstream lines(file);
  for (std::string text; std::getline(lines, text);) {
    const auto line = nlohmann::json::parse(text, nullptr, false);
    if (!line.is_object() || !line.contains("iteration")) continue;
    if (line["iteration"].is_number_unsigned()) {
      curve.iterations_.insert(line["iteration"].get<std::uint32_t>());
    }
  }
  return curve;
}

Result<void> YardstickCurve::Append(std::uint32_t iteration, const MetricsLine& line) {
  AZ_RETURN_IF_ERROR(file_.Append(line));
  iterations_.insert(iteration);
  return {};
}

}  // namespace az
