#include "engine/apps/plan_command.h"

#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "base/strings.h"
#include "engine/apps/plan_explain.h"
#include "engine/apps/plan_section.h"
#include "engine/apps/plan_sweep.h"
#include "engine/apps/plan_write.h"
#include "engine/config/plan_json.h"
#include "scheduler/per_worker_bill.h"
#include "scheduler/planner.h"
#include "scheduler/report.h"

namespace az {
namespace {

Result<void> CheckArguments(const PlanArguments& arguments) {
  if (!arguments.sweep.empty() && arguments.sweep != "num_workers") {
    return Error{Errc::kInvalid,
                 StrCat("--sweep ", arguments.sweep, ": only num_workers can be swept")};
  }
  if (!arguments.compare.empty() && arguments.compare != "per_worker") {
    return Error{Errc::kInvalid,
                 StrCat("--compare ", arguments.compare, ": only per_worker can be compared with")};
  }
  return {};
}

std::string PerWorkerJson(const PerWorkerBill& bill) {
  nlohmann::ordered_json phases = nlohmann::ordered_json::array();
  for (const PerWorkerPhase& phase : bill.phases) {
    phases.push_back({{"phase", EnumName(phase.phase)},
                      {"processes", phase.processes},
                      {"contexts", phase.contexts},
                      {"models", phase.models},
                      {"context_bytes", phase.context.count()},
                      {"torch_bytes", phase.torch.count()},
                      {"device_bytes", phase.device.count()},
                      {"device_bytes_at_most", phase.device_at_most.count()},
                      {"host_bytes", phase.host.count()},
                      {"basis", "assumed"}});
  }
  const auto limit = [](int workers) {
    return workers < 0 ? nlohmann::ordered_json(nullptr) : nlohmann::ordered_json(workers);
  };
  return nlohmann::ordered_json{{"phases", std::move(phases)},
                                {"most_workers_by_device_memory", limit(bill.most_by_device)},
                                {"most_workers_by_host_memory", limit(bill.most_by_host)}}
      .dump();
}

// The plan's object with the other sections in it.
std::string Merged(const std::string& plan, const std::vector<PlanSection>& sections) {
  using Json = nlohmann::ordered_json;
  Json json = Json::parse(plan);
  for (const PlanSection& section : sections) json[section.name] = Json::parse(section.json);
  return json.dump(2) + "\n";
}

}  // namespace

Result<std::string> PlanCommand(const PlanArguments& arguments) {
  AZ_RETURN_IF_ERROR(CheckArguments(arguments));
  AZ_ASSIGN_OR_RETURN(const PlanSetup setup, SetUpPlan(arguments));
  AZ_ASSIGN_OR_RETURN(const Plan plan, MakePlan(setup.input));
  std::vector<PlanSection> sections;
  const bool only_explains = !arguments.explain.empty();
  if (only_explains) {
    AZ_ASSIGN_OR_RETURN(sections.emplace_back(),
                        Explain(arguments, setup, plan, arguments.explain));
  }
  if (!arguments.sweep.empty()) {
    sections.push_back(SweepSection(setup.input, SweepWorkers(setup.input)));
  }
  if (!arguments.compare.empty()) {
    sections.push_back({.name = "per_worker",
                        .text = ComparisonReport(setup.input, plan),
                        .json = PerWorkerJson(MakePerWorkerBill(setup.input, plan))});
  }
  if (!arguments.write.empty()) {
    AZ_RETURN_IF_ERROR(WriteTunedConfig(setup, plan, arguments.write));
    sections.push_back({.name = "written",
                        .text = StrCat("written: ", arguments.write, "\n"),
                        .json = nlohmann::json(arguments.write).dump()});
  }
  if (arguments.json) return Merged(PlanJson(setup.input, plan), sections);
  std::string text = only_explains ? "" : PlanReport(setup.input, plan);
  for (const PlanSection& section : sections) text += (text.empty() ? "" : "\n") + section.text;
  return text;
}

}  // namespace az
