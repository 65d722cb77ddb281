#include "engine/apps/plan_command.h"

#include <filesystem>
#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "base/strings.h"
#include "engine/apps/plan_sections.h"
#include "engine/apps/program.h"
#include "engine/config/plan_json.h"
#include "engine/memory/kept_probe.h"
#include "engine/memory/measure.h"
#include "engine/memory/trial_run.h"
#include "scheduler/per_worker_bill.h"
#include "scheduler/planner.h"
#include "scheduler/report.h"
#include "scheduler/suggestions.h"

namespace az {
namespace {

constexpr std::size_t kMostSuggestions = 4;  // in the text output

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

// Measures, keeps the result for az_train, and uses it for the plans made from here on.
Result<PlanSection> MeasureNow(const PlanArguments& arguments,
                               const std::filesystem::path& programs, PlanSetup& setup) {
  if (setup.input.device.simulated) {
    return Error{Errc::kInvalid, StrCat("--measure with --simulate ", arguments.simulate,
                                        ": a card that is not here cannot be measured")};
  }
  const SteadyClock clock;
  AZ_ASSIGN_OR_RETURN(
      const Measurement measurement,
      Measure(setup.loaded.config, *setup.game, setup.input, programs, clock, {.prices = true}));
  setup.input.calibration = measurement.calibration;
  PlanSection section = MeasureSection(measurement);
  const Result<void> kept = KeepProbe(setup.input, programs, measurement.calibration);
  if (!kept) section.text += StrCat("  not kept for az_train: ", kept.error().message, "\n");
  return section;
}

// Runs the real processes with each number of workers, up to twice the plan's.
Result<void> MeasurePoints(const PlanSetup& setup, const std::filesystem::path& programs,
                           std::vector<SweepPoint>& points) {
  const SteadyClock clock;
  for (SweepPoint& point : points) {
    if (!point.plan || point.workers > 2 * setup.input.device.cores) continue;
    const TrialSetup trial{
        .config = setup.loaded.config, .game = *setup.game, .clock = clock, .programs = programs};
    AZ_ASSIGN_OR_RETURN(const Trial seen, RunTrial(trial, *point.plan));
    point.measured_moves_per_s = seen.moves_per_s;
    point.measured_ram = seen.memory;
  }
  return {};
}

// The best few suggestions, and the best one that changes what is learned if it is not among them:
// a smaller network is never chosen for a person, but always mentioned.
std::string SuggestionLines(const std::vector<Suggestion>& ranked) {
  std::string text;
  bool changes_learning = false;
  for (std::size_t i = 0; i < ranked.size(); ++i) {
    if (i >= kMostSuggestions && (changes_learning || !ranked[i].changes_learning)) continue;
    changes_learning |= ranked[i].changes_learning;
    text += StrCat("  ", SuggestionText(ranked[i]), "\n");
  }
  return text;
}

nlohmann::ordered_json SuggestionsJson(const std::vector<Suggestion>& ranked, Basis rates) {
  nlohmann::ordered_json json = nlohmann::ordered_json::array();
  for (const Suggestion& one : ranked) {
    json.push_back({{"key", one.key},
                    {"from", one.from},
                    {"to", one.to},
                    {"device_bytes_saved", one.vram_saved.count()},
                    {"host_bytes_saved", one.ram_saved.count()},
                    {"bytes_basis", EnumName(Basis::kPredicted)},
                    {"slowdown_percent", one.slowdown_permille / 10.0},
                    {"slowdown_basis", EnumName(rates)},
                    {"changes_learning", one.changes_learning}});
  }
  return json;
}

// What more memory would buy, and what would take less.
PlanSection Advice(const PlanInput& input, const Plan& plan) {
  const std::vector<std::string> more = WhatMoreBuys(input, plan, GiB(1));
  const std::vector<Suggestion> less = Suggest(input, plan);
  std::string text;
  for (const std::string& line : more) text += line + "\n";
  if (!less.empty()) {
    text += StrCat("to take less memory (bytes predicted, time ", EnumName(plan.rates), ")\n",
                   SuggestionLines(less));
  }
  const nlohmann::ordered_json json = {{"one_gib_more", more},
                                       {"to_take_less", SuggestionsJson(less, plan.rates)}};
  return {.name = "advice", .text = std::move(text), .json = json.dump()};
}

// The plan's JSON object with the other sections as members.
std::string Merged(const std::string& plan, const std::vector<PlanSection>& sections) {
  using Json = nlohmann::ordered_json;
  Json json = Json::parse(plan);
  for (const PlanSection& section : sections) json[section.name] = Json::parse(section.json);
  return json.dump(2) + "\n";
}

}  // namespace

Result<std::string> PlanCommand(const PlanArguments& arguments) {
  AZ_RETURN_IF_ERROR(CheckArguments(arguments));
  AZ_ASSIGN_OR_RETURN(PlanSetup setup, SetUpPlan(arguments));
  std::vector<PlanSection> sections;
  AZ_ASSIGN_OR_RETURN(const std::filesystem::path programs, FindPrograms());
  if (arguments.measure) {
    AZ_ASSIGN_OR_RETURN(sections.emplace_back(), MeasureNow(arguments, programs, setup));
  } else {
    const KeptProbe kept = UseKeptProbe(setup.loaded.config, programs, setup.input);
    if (!kept.refused.empty()) {
      sections.push_back({.name = "kept_probe",
                          .text = kept.refused + "\n",
                          .json = nlohmann::json(kept.refused).dump()});
    }
  }
  Result<Plan> planned = MakePlan(setup.input);
  if (!planned) return WithOrigin(planned.error(), setup.loaded.origins);
  const Plan plan = *std::move(planned);
  const bool only_explains = !arguments.explain.empty();
  if (only_explains) {
    AZ_ASSIGN_OR_RETURN(sections.emplace_back(),
                        Explain(arguments, setup, plan, arguments.explain));
  }
  const bool lays_out = setup.input.device.simulated && !plan.vram.empty() &&
                        plan.model_sharing == ModelSharing::kShared;
  if (!only_explains && lays_out) sections.push_back(SimulatedSection(setup.input, plan));
  if (!only_explains) sections.push_back(Advice(setup.input, plan));
  if (!arguments.sweep.empty()) {
    std::vector<SweepPoint> points = SweepWorkers(setup.input);
    if (arguments.measure) AZ_RETURN_IF_ERROR(MeasurePoints(setup, programs, points));
    sections.push_back(SweepSection(setup.input, points));
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
