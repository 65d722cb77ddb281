#include "engine/apps/inspect_memory.h"

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>
#include <vector>

#include "base/files.h"
#include "base/strings.h"
#include "engine/apps/inspect_dir.h"

namespace az {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kEventsShown = 20;

// The GPU's part of a phase. Figures that its driver does not report are nullopt.
struct GpuSummary {
  std::int64_t budget = 0;  // the newest line's
  std::int64_t predicted = 0;
  std::optional<std::int64_t> peak;  // this process's; the largest of all lines
  std::optional<std::int64_t> used;  // all processes'; the largest of all lines
  std::optional<std::int64_t> free;  // the newest line's
  std::optional<std::int64_t> co_tenants;
  std::int64_t freed = 0;  // the largest of all lines
};

// All lines of one phase, put together.
struct PhaseSummary {
  std::string name;
  int times = 0;
  std::int64_t predicted = 0;  // the newest line's
  std::int64_t peak = 0;       // this and the next three: each the largest of all lines
  std::int64_t device = 0;
  std::int64_t workers = 0;
  std::int64_t supervisor = 0;
  std::int64_t after = 0;  // the newest line's
  std::int64_t freed = 0;  // the largest of all lines
  std::optional<GpuSummary> gpu;
};

struct RunMemory {
  RunState state;
  Json plan;
  std::vector<PhaseSummary> phases;  // in the order of their first lines
  std::vector<Json> events;
  Json last;                 // the newest phase's line; null: none yet
  double seconds = 0;        // the length of the phases whose monitoring was timed
  double monitor_cpu_s = 0;  // the monitoring's CPU time in them
};

// The file may be damaged or edited by a person: a key that is missing or of another type reads as
// nullopt, 0 or empty, and nothing throws.
std::optional<std::int64_t> Known(const Json& json, const char* key) {
  const auto found = json.find(key);
  if (found == json.end() || !found->is_number_integer()) return {};
  return found->get<std::int64_t>();
}

std::int64_t Number(const Json& json, const char* key) { return Known(json, key).value_or(0); }

// The member if it is an object, otherwise an empty object.
Json Part(const Json& json, const char* key) {
  const auto found = json.find(key);
  return found != json.end() && found->is_object() ? *found : Json::object();
}

std::string Text(const Json& json, const char* key) {
  const auto found = json.find(key);
  return found != json.end() && found->is_string() ? found->get<std::string>() : "";
}

// The member if it is a list, otherwise an empty list.
Json List(const Json& json, const char* key) {
  const auto found = json.find(key);
  return found != json.end() && found->is_array() ? *found : Json::array();
}

// Whether the phase of this `gpu` object ran on the GPU; otherwise the line's allocator figures are
// about RAM.
bool Serves(const Json& gpu) {
  const auto found = gpu.find("serves");
  return found == gpu.end() || !found->is_boolean() || found->get<bool>();
}

void AddPhase(const Json& line, std::vector<PhaseSummary>& phases) {
  const std::string name = Text(line, "phase");
  auto phase = std::ranges::find(phases, name, &PhaseSummary::name);
  if (phase == phases.end()) phase = phases.insert(phases.end(), PhaseSummary{.name = name});
  ++phase->times;
  phase->predicted = Number(line, "predicted_bytes");
  phase->after = Number(line, "after_bytes");
  phase->peak = std::max(phase->peak, Number(line, "peak_bytes"));
  phase->device = std::max(phase->device, Number(line, "peak_device_bytes"));
  phase->workers = std::max(phase->workers, Number(line, "peak_workers_bytes"));
  phase->supervisor = std::max(phase->supervisor, Number(line, "peak_supervisor_bytes"));
  phase->freed = std::max(phase->freed, Number(line, "freed_bytes"));
  const Json seen = Part(line, "gpu");
  if (seen.empty()) return;
  if (!phase->gpu) phase->gpu.emplace();
  GpuSummary& gpu = *phase->gpu;
  gpu.budget = Number(seen, "budget_bytes");
  gpu.predicted = Number(seen, "predicted_bytes");
  gpu.peak = std::max(gpu.peak, Known(seen, "peak_ours_bytes"));  // nullopt is less than any number
  gpu.used = std::max(gpu.used, Known(seen, "peak_used_bytes"));
  gpu.free = Known(seen, "free_bytes");
  gpu.co_tenants = Known(seen, "co_tenants_bytes");
  if (Serves(seen)) gpu.freed = std::max(gpu.freed, Number(line, "freed_device_bytes"));
}

void AddMonitoring(const Json& line, RunMemory& run) {
  const auto share = line.find("monitor_cpu_fraction");
  const auto seconds = line.find("seconds");
  if (share == line.end() || !share->is_number()) return;
  if (seconds == line.end() || !seconds->is_number()) return;
  run.seconds += seconds->get<double>();
  run.monitor_cpu_s += share->get<double>() * seconds->get<double>();
}

Result<RunMemory> Read(const std::filesystem::path& dir) {
  RunMemory run;
  AZ_ASSIGN_OR_RETURN(run.state, ReadRunState(dir));
  AZ_ASSIGN_OR_RETURN(const std::string plan, ReadFile(dir / "plan.json"));
  run.plan = Json::parse(plan, nullptr, /*allow_exceptions=*/false);
  if (!run.plan.is_object() || !run.plan.contains("host_memory") || !run.plan.contains("plan")) {
    return Error{Errc::kCorrupt, StrCat((dir / "plan.json").string(),
                                        " is damaged (restore it from a copy; a run that goes on "
                                        "writes it anew)")};
  }
  AZ_ASSIGN_OR_RETURN(const std::string metrics, ReadFile(dir / "metrics.jsonl"));
  for (const std::string_view text : Split(metrics, '\n')) {
    Json line = Json::parse(text, nullptr, /*allow_exceptions=*/false);
    if (!line.is_object()) continue;
    const std::string kind = Text(line, "kind");
    if (kind == "memory") {
      AddPhase(line, run.phases);
      AddMonitoring(line, run);
      run.last = std::move(line);
    } else if (kind == "memory_event") {
      run.events.push_back(std::move(line));
    }
  }
  return run;
}

Json OrNull(std::optional<std::int64_t> value) { return value ? Json(*value) : Json(); }

Json ToJson(const GpuSummary& gpu) {
  return {{"budget_bytes", gpu.budget},
          {"predicted_bytes", gpu.predicted},
          {"peak_ours_bytes", OrNull(gpu.peak)},
          {"peak_used_bytes", OrNull(gpu.used)},
          {"free_bytes", OrNull(gpu.free)},
          {"co_tenants_bytes", OrNull(gpu.co_tenants)},
          {"freed_bytes", gpu.freed}};
}

Json ToJson(const RunMemory& run) {
  Json phases = Json::array();
  for (const PhaseSummary& phase : run.phases) {
    phases.push_back({{"phase", phase.name},
                      {"times", phase.times},
                      {"predicted_bytes", phase.predicted},
                      {"peak_bytes", phase.peak},
                      {"peak_device_bytes", phase.device},
                      {"peak_workers_bytes", phase.workers},
                      {"peak_supervisor_bytes", phase.supervisor},
                      {"after_bytes", phase.after},
                      {"freed_bytes", phase.freed},
                      {"gpu", phase.gpu ? ToJson(*phase.gpu) : Json()}});
  }
  return {
      {"schema", 2},
      {"budget_bytes", Number(run.plan.at("host_memory"), "budget_bytes")},
      {"calibration", List(run.plan, "calibration")},
      {"phases", std::move(phases)},
      {"allocator", run.last.is_null() ? Json() : run.last.value("allocator", Json())},
      {"gpu", run.last.is_null() ? Json() : run.last.value("gpu", Json())},
      {"monitor_cpu_fraction", run.seconds > 0 ? Json(run.monitor_cpu_s / run.seconds) : Json()},
      {"train_rungs", run.state.memory.train.rungs},
      {"inference_rungs", run.state.memory.inference.rungs},
      {"host_rungs", run.state.memory.host.rungs},
      {"events", run.events}};
}

std::string Size(std::int64_t bytes) { return FormatBytes(Bytes(bytes)); }
std::string Size(std::optional<std::int64_t> bytes) { return bytes ? Size(*bytes) : "unknown"; }

std::string PercentOf(std::int64_t part, std::int64_t whole) {
  if (whole == 0) return "unknown";
  return StrCat(Fixed(100.0 * static_cast<double>(part) / static_cast<double>(whole), 0), " %");
}

std::string Row(const std::vector<std::string>& cells) {
  std::string row;
  for (std::size_t i = 0; i < cells.size(); ++i) {
    char cell[32];
    std::snprintf(cell, sizeof cell, i == 0 ? "%-11s" : "%11s", cells[i].c_str());
    row += cell;
  }
  return row + "\n";
}

std::string PhaseTable(const RunMemory& run) {
  if (run.phases.empty()) return "no phase has ended yet\n";
  const std::int64_t budget = Number(run.plan.at("host_memory"), "budget_bytes");
  std::string text = Row({"phase", "times", "predicted", "peak", "of budget", "device", "workers",
                          "supervisor", "after", "freed"});
  for (const PhaseSummary& phase : run.phases) {
    text += Row({phase.name, StrCat(phase.times), Size(phase.predicted), Size(phase.peak),
                 PercentOf(phase.peak, budget), Size(phase.device), Size(phase.workers),
                 Size(phase.supervisor), Size(phase.after), Size(phase.freed)});
  }
  return text;
}

// The table of the same phases on the card; empty without a GPU.
std::string GpuTable(const RunMemory& run) {
  std::string rows;
  for (const PhaseSummary& phase : run.phases) {
    if (!phase.gpu) continue;
    const GpuSummary& gpu = *phase.gpu;
    rows += Row({phase.name, StrCat(phase.times), Size(gpu.predicted), Size(gpu.peak),
                 gpu.peak ? PercentOf(*gpu.peak, gpu.budget) : "unknown", Size(gpu.used),
                 Size(gpu.co_tenants), Size(gpu.free), Size(gpu.freed)});
  }
  if (rows.empty()) return "";
  const std::string names = Row({"on the GPU", "times", "predicted", "peak", "of budget", "used",
                                 "co-tenants", "free", "freed"});
  return StrCat("\n", names, rows);
}

// The layers of GPU memory (docs/memory.md, Layers), each inside the next, and what lies between
// them.
std::string GpuLayersLine(const Json& last) {
  const Json gpu = last.is_null() ? Json() : Part(last, "gpu");
  if (gpu.empty()) return "";
  const Json layers = Serves(gpu) ? Part(last, "allocator_after") : Json::object();
  const std::optional<std::int64_t> reserved = Known(layers, "reserved_bytes");
  std::optional<std::int64_t> cached;
  if (const auto allocated = Known(layers, "allocated_bytes"); allocated && reserved) {
    cached = *reserved - *allocated;
  }
  return StrCat(
      "GPU        after ", Text(last, "phase"), " of iteration ", Number(last, "iteration"),
      ": requested ", Size(Known(layers, "requested_bytes")), ", allocated ",
      Size(Known(layers, "allocated_bytes")), ", active ", Size(Known(layers, "active_bytes")),
      ", reserved ", Size(reserved), " (cached ", Size(cached), "), ours ",
      Size(Known(gpu, "ours_bytes")), " (context ", Size(Known(gpu, "context_bytes")), "; by ",
      Text(gpu, "ours_source"), "), used ", Size(Known(gpu, "used_bytes")), " (co-tenants ",
      Size(Known(gpu, "co_tenants_bytes")), "), total ", Size(Known(gpu, "total_bytes")), "\n");
}

// The share of a core that sampling took; empty where it was not timed.
std::string MonitorLine(const RunMemory& run) {
  if (run.seconds <= 0) return "";
  return StrCat("monitor    ", Fixed(100 * run.monitor_cpu_s / run.seconds, 4),
                " % of a core over ", Fixed(run.seconds, 0), " s of phases\n");
}

// A member in words: "free 1 GiB" for "free_bytes". An object's members are in brackets, all in
// bytes where its key says so.
std::string InWords(std::string_view key, const Json& value, bool is_bytes = false) {
  is_bytes = is_bytes || key.ends_with("_bytes");
  std::string name(key.substr(0, key.rfind("_bytes")));
  std::ranges::replace(name, '_', ' ');
  if (value.is_object()) {
    std::vector<std::string> members;
    for (const auto& [of, member] : value.items()) members.push_back(InWords(of, member, is_bytes));
    return StrCat(name, " (", Join(members, ", "), ")");
  }
  return StrCat(name, " ",
                value.is_null()                         ? "unknown"
                : value.is_string()                     ? value.get<std::string>()
                : is_bytes && value.is_number_integer() ? Size(value.get<std::int64_t>())
                                                        : value.dump());
}

std::string LayersLine(const Json& last) {
  const Json allocator = Part(last, "allocator");
  if (allocator.empty()) return "";
  std::vector<std::string> layers;
  for (const auto& [key, value] : allocator.items()) {
    layers.push_back(InWords(key, value));
  }
  return StrCat("allocator  in ", Text(last, "phase"), " of iteration ", Number(last, "iteration"),
                ": ", Join(layers, ", "), "\n");
}

std::string RungLine(std::string_view ladder, const ClimbState& state) {
  if (state.rungs == 0) return StrCat("rungs      ", ladder, ": as planned\n");
  return StrCat("rungs      ", ladder, ": ", state.rungs, " given up, ", state.clean,
                " clean iterations since\n");
}

std::string FailedLine(const FailedSizes& sizes) {
  return StrCat("failed     ", EnumName(sizes.phase), ": ", sizes.rows, " rows in ",
                EnumName(sizes.precision), sizes.checkpoint_blocks > 0 ? ", checkpointed" : "",
                sizes.on_cpu ? ", on the processor" : "", "\n");
}

std::string EventLine(const Json& event) {
  std::vector<std::string> parts;
  for (const auto& [key, value] : event.items()) {
    if (key == "kind" || key == "event" || key == "phase" || key == "iteration") continue;
    if (value.is_string() && value.get<std::string>().empty()) continue;
    parts.push_back(InWords(key, value));
  }
  const std::string where = Text(event, "phase");
  return StrCat(
      "event      ", Text(event, "event"),
      where.empty() ? "" : StrCat(" in ", where, " of iteration ", Number(event, "iteration")),
      ": ", Join(parts, ", "), "\n");
}

// Names the part of the prediction that rests on batches that were run; the rest is formulas and
// priors.
std::string MeasuredLines(const Json& plan) {
  std::string text;
  for (const Json& fit : List(plan, "calibration")) {
    std::vector<std::string> sizes;
    for (const Json& size : List(fit, "measured")) {
      sizes.push_back(StrCat(Number(size, "rows")));
    }
    text += StrCat("measured   ", Text(fit, "phase"), " in ", Text(fit, "precision"), " with ",
                   Join(sizes, ", "), " rows, ", Number(fit, "at_once"),
                   " at a time; other sizes are fitted\n");
  }
  return text.empty() ? "measured   nothing: the plan is predicted from formulas\n\n" : text + "\n";
}

std::string GpuBudget(const Json& plan) {
  const Json memory = Part(plan, "device_memory");
  if (memory.empty()) return "";
  return StrCat("; on the GPU ", Size(Number(memory, "budget_bytes")), ", guard ",
                Size(Number(memory, "guard_bytes")));
}

std::string Words(const std::filesystem::path& dir, const RunMemory& run) {
  const Json& plan = run.plan.at("plan");
  const Json& host = run.plan.at("host_memory");
  const Json device = Part(run.plan, "device");
  std::string text =
      StrCat("run        ", dir.string(), ": iteration ", run.state.iteration, ", phase ",
             PhaseName(run.state.phase), ", on ", Text(device, "name"), "\nplan       budget ",
             Size(Number(host, "budget_bytes")), ", guard ", Size(Number(host, "guard_bytes")),
             GpuBudget(run.plan), "; training ", Number(plan, "learner_shards"), " x ",
             Number(plan, "micro_batch"), " rows x ", Number(plan, "accumulate_grad_batches"),
             "; workers ", Number(plan, "num_workers"), " and ", Number(plan, "arena_num_workers"),
             "\n\n");
  text += MeasuredLines(run.plan) + PhaseTable(run) + GpuTable(run) + "\n" + LayersLine(run.last);
  text += GpuLayersLine(run.last) + MonitorLine(run);
  text += RungLine("training", run.state.memory.train);
  text += RungLine("inference", run.state.memory.inference);
  text += RungLine("host", run.state.memory.host);
  for (const FailedSizes& sizes : run.state.memory.failed) text += FailedLine(sizes);
  const std::size_t events = run.events.size();
  const std::size_t first = events > kEventsShown ? events - kEventsShown : 0;
  if (first > 0) text += StrCat("event      ", first, " earlier ones are in metrics.jsonl\n");
  for (std::size_t i = first; i < events; ++i) text += EventLine(run.events[i]);
  if (events == 0) text += "event      none\n";
  return text;
}

}  // namespace

Result<std::string> InspectMemory(const std::filesystem::path& dir, bool as_json) {
  AZ_ASSIGN_OR_RETURN(const RunMemory run, Read(dir));
  return as_json ? ToJson(run).dump() + "\n" : Words(dir, run);
}

}  // namespace az
