// What the Governor writes into metrics.jsonl: a line a phase, and one an event.

#include <algorithm>
#include <cmath>
#include <functional>
#include <nlohmann/json.hpp>

#include "base/check.h"
#include "base/strings.h"
#include "engine/loop/governor.h"
#include "scheduler/bill.h"
#include "scheduler/suggestions.h"

namespace az {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kHistoryPoints = 32;
constexpr std::size_t kSuggestionsShown = 2;

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

// What this process has on the card beside its allocator: the context and the modules.
std::optional<Bytes> ContextOf(const MemoryUse& use) {
  const std::optional<Bytes> reserved = Known(use.layers.reserved_bytes);
  if (!use.gpu_share.bytes || !reserved) return {};
  return *use.gpu_share.bytes - *reserved;
}

Json GpuJson(const MemoryPeaks& peaks, const MemoryUse& after, const Plan& plan, PlanPhase phase) {
  Json json = {{"budget_bytes", plan.vram_budget.count()},
               {"predicted_bytes", PredictedOf(plan.vram, phase).count()},
               {"peak_used_bytes", Number(peaks.gpu)},
               {"peak_ours_bytes", Number(peaks.gpu_own)},
               {"ours_source", SourceName(after.gpu_share.source)},
               {"context_bytes", Number(ContextOf(after))},
               {"ours_bytes", Number(after.gpu_share.bytes)},
               {"used_bytes", Number(after.gpu.used)},
               {"total_bytes", Number(after.gpu.total)},
               {"free_bytes", Number(after.gpu.free)}};
  std::optional<Bytes> others;
  if (after.gpu.used && after.gpu_share.bytes) others = *after.gpu.used - *after.gpu_share.bytes;
  json["co_tenants_bytes"] = Number(others);
  return json;
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
    json["gpu"] = GpuJson(peaks, after, s_.plan, phase_->phase);
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

std::string Governor::Advice(bool of_gpu) const {
  std::vector<std::string> texts;
  for (const Suggestion& one : Suggest(WithLearned(s_.input, s_.state), s_.plan)) {
    const Bytes saved = of_gpu ? one.vram_saved : one.ram_saved;
    if (saved > Bytes() && texts.size() < kSuggestionsShown) texts.push_back(SuggestionText(one));
  }
  if (!texts.empty()) return StrCat("what would help: ", Join(texts, "; "));
  const std::vector<PhaseBill>& bills = of_gpu ? s_.plan.vram : s_.plan.ram;
  const auto bill = std::ranges::find(bills, phase_->phase, &PhaseBill::phase);
  if (bill == bills.end()) return "";
  std::vector<BillTerm> terms = bill->terms;
  std::ranges::stable_sort(terms, std::greater<>(), &BillTerm::bytes);
  std::vector<std::string> largest;
  for (std::size_t i = 0; i < std::min<std::size_t>(3, terms.size()); ++i) {
    largest.push_back(StrCat(terms[i].name, " ", FormatBytes(terms[i].bytes)));
  }
  return StrCat("largest in the plan: ", Join(largest, ", "));
}

}  // namespace az
