#include "engine/run/yardstick_curve.h"

#include <fstream>
#include <limits>
#include <nlohmann/json.hpp>
#include <string_view>
#include <utility>

#include "engine/run/yardstick_report.h"

namespace az {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kSettings = "settings";

bool IsLook(const Json& line) {
  return line.is_object() && line.contains("iteration") && line["iteration"].is_number_unsigned() &&
         line.contains("network") && line["network"].is_string() && line.contains(kSettings);
}

}  // namespace

std::string ToJson(const YardstickSettings& settings) {
  const Json json = {{kSettings,
                      {{"sims", settings.sims},
                       {"positions", settings.measured.positions},
                       {"games", settings.measured.games},
                       {"seed", settings.measured.seed},
                       {"search", settings.search}}}};
  return json.dump();
}

Result<MetricsLine> YardstickPoint(const YardstickSubject& subject, const RunCost& cost,
                                   const YardstickSettings& settings,
                                   const YardstickReport& report) {
  MetricsLine line;
  line.Add("kind", std::string_view("yardstick"))
      .Add("iteration", std::int64_t{subject.iteration})
      .Add("elapsed_s", cost.elapsed_s);
  if (cost.evaluations) {
    line.Add("evaluations", static_cast<std::int64_t>(*cost.evaluations));
  } else {
    line.Add("evaluations", std::numeric_limits<double>::quiet_NaN());  // null
  }
  line.Add("network", std::string_view(subject.network));
  AZ_RETURN_IF_ERROR(line.Merge(ToJson(settings)));
  AZ_RETURN_IF_ERROR(line.Merge(YardstickJson(report)));
  return line;
}

Result<YardstickCurve> YardstickCurve::Open(const std::filesystem::path& file) {
  AZ_ASSIGN_OR_RETURN(MetricsFile appended, MetricsFile::Open(file));
  YardstickCurve curve(std::move(appended));
  std::ifstream lines(file);
  for (std::string text; std::getline(lines, text);) {
    const auto line = Json::parse(text, nullptr, false);
    if (!IsLook(line)) continue;
    curve.looks_.emplace(line["iteration"].get<std::uint32_t>(), line["network"].get<std::string>(),
                         Json{{kSettings, line[kSettings]}}.dump());
  }
  return curve;
}

bool YardstickCurve::Holds(const YardstickSubject& subject,
                           const YardstickSettings& settings) const {
  return looks_.contains(Key(subject.iteration, subject.network, ToJson(settings)));
}

Result<void> YardstickCurve::Append(const YardstickSubject& subject,
                                    const YardstickSettings& settings, const MetricsLine& line) {
  AZ_RETURN_IF_ERROR(file_.Append(line));
  looks_.emplace(subject.iteration, subject.network, ToJson(settings));
  return {};
}

}  // namespace az
