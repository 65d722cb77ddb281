// What the Governor writes into metrics.jsonl: a line a phase, and one an event.

#include <algorithm>
#include <cmath>
#include <functional>
#include <nlohmann/json.hpp>

#include "base/check.h"
#include "base/strings.h"
#include "engine/memory/governor.h"
#include "engine/process/oom_message.h"
#include "scheduler/bill.h"
#include "scheduler/suggestions.h"

namespace az {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kHistoryPoints = 32;
constexpr std::size_t kSuggestionsShown = 2;
constexpr std::size_t kTermsShown = 3;

Json Number(std::optional<Bytes> bytes) { return bytes ? Json(bytes->count()) : Json(); }
Json Number(std::int64_t value) { return value < 0 ? Json() : Json(value); }

std::optional<Bytes> Known(std::int64_t bytes) {
  if (bytes < 0) return {};
  return Bytes(bytes);
}

Json LayersJson(const MemoryLayersMessage& layers) {
  return {{"requested_bytes", Number(layers.requested_bytes)},
          {"allocated_bytes", Number(layers.allocated_bytes)},
          {"active_bytes", Number(layers.active_bytes)},
          {"reserved_bytes", Number(layers.reserved_bytes)},
          {"inactive_split_bytes", Number(layers.inactive_split_bytes)},
          {"largest_hole_bytes", Number(layers.largest_hole_bytes)},
          {"peak_allocated_bytes", Number(layers.peak_allocated_bytes)},
          {"peak_reserved_bytes", Number(layers.peak_reserved_bytes)},
          {"alloc_retries", Number(layers.alloc_retries)}};
}

std::string_view SourceName(GpuShare::Source source) {
  switch (source) {
    case GpuShare::Source::kListed:
      return "listed";
    case GpuShare::Source::kDelta:
      return "delta";
    case GpuShare::Source::kUnknown:
      return "unknown";
  }
  return "unknown";
}

Bytes PredictedOf(const std::vector<PhaseBill>& bills, PlanPhase phase) {
  for (const PhaseBill& bill : bills) {
    if (bill.phase == phase) return bill.total();
  }
  return Bytes();
}

// What this process has on the card beside its allocator: the context and the modules. Unknown
// where ours is only what came since the start, or the allocator is of the RAM.
std::optional<Bytes> ContextOf(const MemoryUse& use, bool serves) {
  const std::optional<Bytes> reserved = Known(use.layers.reserved_bytes);
  if (!serves || use.gpu_share.source != GpuShare::Source::kListed) return {};
  if (!use.gpu_share.bytes || !reserved) return {};
  return *use.gpu_share.bytes - *reserved;
}

std::vector<BillTerm> LargestTerms(const std::vector<PhaseBill>& bills, PlanPhase phase) {
  const auto bill = std::ranges::find(bills, phase, &PhaseBill::phase);
  if (bill == bills.end()) return {};
  std::vector<BillTerm> terms = bill->terms;
  std::ranges::stable_sort(terms, std::greater<>(), &BillTerm::bytes);
  terms.resize(std::min(terms.size(), kTermsShown));
  return terms;
}

std::optional<Bytes> CoTenants(const MemoryUse& use) {
  if (!use.gpu.used || !use.gpu_share.bytes) return std::nullopt;
  return *use.gpu.used - *use.gpu_share.bytes;
}

// `serves`: the phase ran on the card, not on the processor beside it.
Json GpuJson(const MemoryPeaks& peaks, const MemoryUse& after, const Plan& plan, PlanPhase phase,
             bool serves) {
  Json json = {{"serves", serves},
               {"budget_bytes", plan.vram_budget.count()},
               {"predicted_bytes", PredictedOf(plan.vram, phase).count()},
               {"peak_used_bytes", Number(peaks.gpu)},
               {"peak_ours_bytes", Number(peaks.gpu_own)},
               {"ours_source", SourceName(after.gpu_share.source)},
               {"context_bytes", Number(ContextOf(after, serves))},
               {"ours_bytes", Number(after.gpu_share.bytes)},
               {"used_bytes", Number(after.gpu.used)},
               {"total_bytes", Number(after.gpu.total)},
               {"free_bytes", Number(after.gpu.free)},
               {"co_tenants_bytes", Number(CoTenants(after))}};
  return json;
}

// A library's text may be no UTF-8.
std::string Dump(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

// "requested_bytes=1048576 free_bytes=unknown", as a log line has it.
std::string LogText(const Json& json) {
  std::vector<std::string> parts;
  for (const auto& [key, value] : json.items()) {
    if (value.is_object()) {
      parts.push_back(StrCat(key, "=\"", LogText(value), "\""));
    } else {
      parts.push_back(StrCat(key, "=", value.is_null() ? "unknown" : Dump(value)));
    }
  }
  return Join(parts, " ");
}

}  // namespace

MetricsLine Governor::Event(std::string_view event) const {
  MetricsLine line;
  line.Add("kind", std::string_view("memory_event")).Add("event", event);
  if (phase_) {
    line.Add("phase", std::string_view(phase_->name))
        .Add("iteration", static_cast<std::int64_t>(phase_->iteration));
  }
  return line;
}

void Governor::Write(const MetricsLine& line) {
  const Result<void> written = s_.metrics.Append(line);
  if (!written) s_.log.Warn(StrCat("event=metrics_lost error=\"", written.error().message, "\""));
}

void Governor::WritePhase(const ReleasedMessage& released, const MemoryUse& after,
                          Bytes freed_here) {
  const MemoryPeaks& peaks = phase_->peaks;
  Json workers = Json::array();
  for (const LaneBytesUsed& worker : after.workers) workers.push_back(worker.bytes.count());
  Json history = Json::array();
  for (const MemorySample& sample : history_.Since(phase_->began, kHistoryPoints)) {
    history.push_back({std::round(1e3 * Seconds(sample.at - phase_->began)) / 1e3,
                       sample.ram.count(), Number(sample.gpu_own)});
  }
  const std::optional<double> fragmentation = Fragmentation(
      Known(released.before.inactive_split_bytes), Known(released.before.reserved_bytes));
  const double seconds = Seconds(s_.clock.Now() - phase_->began);
  const double cpu = Seconds(phase_->sampling_cpu);
  Json json = {{"phase", phase_->name},
               {"iteration", phase_->iteration},
               {"seconds", seconds},
               {"samples", peaks.samples},
               {"monitor_cpu_fraction", seconds > 0 ? Json(cpu / seconds) : Json()},
               {"predicted_bytes", PredictedOf(s_.plan.ram, phase_->phase).count()},
               {"budget_bytes", s_.plan.ram_budget.count()},
               {"peak_bytes", peaks.ram.count()},
               {"peak_supervisor_bytes", peaks.supervisor.count()},
               {"peak_device_bytes", peaks.device.count()},
               {"peak_workers_bytes", peaks.workers.count()},
               {"segment_bytes", after.segment.count()},
               {"after_bytes", after.Ram().count()},
               {"after_device_bytes", after.device.count()},
               {"after_workers_bytes", workers},
               {"host_free_bytes", Number(after.host_free)},
               {"freed_bytes", released.freed_bytes + freed_here.count()},
               {"freed_device_bytes", released.freed_device_bytes},
               {"proportional_bytes", s_.fleet.ProportionalMemory().count()},
               {"allocator", LayersJson(released.before)},
               {"allocator_after", LayersJson(released.after)},
               {"fragmentation_fraction", fragmentation ? Json(*fragmentation) : Json()},
               {"train_rungs", s_.state.train.rungs},
               {"inference_rungs", s_.state.inference.rungs},
               {"host_rungs", s_.state.host.rungs},
               {"history", history}};
  if (s_.plan.device == DeviceKind::kCuda) {
    json["gpu"] = GpuJson(peaks, after, s_.plan, phase_->phase, !IsBesideGpu());
  }
  MetricsLine line;
  line.Add("kind", std::string_view("memory"));
  AZ_CHECK(static_cast<bool>(line.Merge(json.dump()))) << "a JSON object is one";
  Write(line);
  s_.log.Info(StrCat("event=memory phase=", phase_->name, " iteration=", phase_->iteration,
                     " peak_bytes=", peaks.ram.count(), " after_bytes=", after.Ram().count(),
                     " freed_bytes=", released.freed_bytes + freed_here.count(),
                     " budget_bytes=", s_.plan.ram_budget.count()));
}

// The figures of the failure, what was planned, and what others have now.
void Governor::ReportOom(const OomMessage& oom) {
  const bool on_gpu = s_.plan.device == DeviceKind::kCuda && !IsBesideGpu();
  const std::vector<PhaseBill>& bills = on_gpu ? s_.plan.vram : s_.plan.ram;
  PlanPhase phase = phase_ ? phase_->phase : serving_;
  if (oom.where == "train") phase = PlanPhase::kTrain;
  Json terms = Json::object();
  for (const BillTerm& term : LargestTerms(bills, phase)) terms[term.name] = term.bytes.count();
  const MemoryUse now = s_.fleet.Memory();
  const std::string rung = oom.rung.empty() ? "cleaned up" : oom.rung;
  const Json json = {{"where", oom.where},
                     {"cause", OomCauseName(CauseOfOom(FiguresOf(oom)))},
                     {"requested_bytes", Number(oom.requested_bytes)},
                     {"free_bytes", Number(oom.free_bytes)},
                     {"below_cap_bytes", Number(oom.below_cap_bytes)},
                     {"layers", LayersJson(oom.memory)},
                     {"predicted_bytes", PredictedOf(bills, phase).count()},
                     {"budget_bytes", (on_gpu ? s_.plan.vram_budget : s_.plan.ram_budget).count()},
                     {"largest_terms_bytes", std::move(terms)},
                     {"co_tenants_bytes", on_gpu ? Number(CoTenants(now)) : Json()},
                     {"host_free_bytes", Number(now.host_free)},
                     {"rung", rung},
                     {"text", oom.text}};
  s_.log.Warn(StrCat("event=oom ", LogText(json)));
  s_.display.Say(StrCat("out of memory in ", oom.where, ": ", rung, ", the work was done again"));
  MetricsLine line = Event("oom");
  AZ_CHECK(static_cast<bool>(line.Merge(Dump(json)))) << "a JSON object is one";
  Write(line);
}

std::string Governor::Advice(bool of_gpu) const {
  std::vector<std::string> texts;
  for (const Suggestion& one : Suggest(WithLearned(s_.input, s_.state), s_.plan)) {
    const Bytes saved = of_gpu ? one.vram_saved : one.ram_saved;
    if (saved > Bytes() && texts.size() < kSuggestionsShown) texts.push_back(SuggestionText(one));
  }
  if (!texts.empty()) return StrCat("what would help: ", Join(texts, "; "));
  const std::vector<PhaseBill>& bills = of_gpu ? s_.plan.vram : s_.plan.ram;
  std::vector<std::string> largest;
  for (const BillTerm& term : LargestTerms(bills, phase_->phase)) {
    largest.push_back(StrCat(term.name, " ", FormatBytes(term.bytes)));
  }
  if (largest.empty()) return "";
  return StrCat("largest in the plan: ", Join(largest, ", "));
}

}  // namespace az
