#include "scheduler/report.h"

#include <string_view>
#include <vector>

#include "base/strings.h"
#include "scheduler/diagnosis.h"
#include "scheduler/footprint.h"
#include "scheduler/probe.h"
#include "scheduler/text_table.h"

namespace az {
namespace {

constexpr std::size_t kCoTenantsShown = 8;

// Prints one kind of memory: its budget, then the diagnosis.
std::string Memory(std::string_view title, const std::vector<PhaseBill>& bills, Bytes guard,
                   Bytes budget) {
  return StrCat(title, ", MiB   budget ", FormatBytes(budget), ", of it kept free (guard) ",
                FormatBytes(guard), "\n", DiagnosisTable(Diagnose(bills, budget, guard), budget),
                "\n");
}

// `text` indented by `indent` blanks and broken at blanks; its later lines are indented by 4 more.
std::string Wrapped(const std::string& text, std::size_t indent) {
  std::string out;
  std::string line(indent, ' ');
  std::size_t words = 0;  // the number of words in `line`
  for (const std::string_view word : Split(text, ' ')) {
    if (words > 0 && line.size() + 1 + word.size() > kReportWidth) {
      out += line + "\n";
      line.assign(indent + 4, ' ');
      words = 0;
    }
    line += StrCat(words++ > 0 ? " " : "", word);
  }
  return out + line + "\n";
}

std::string NetText(const NetShape& net) {
  std::string text = StrCat(net.filters, " filters x ", net.res_blocks, " blocks");
  if (net.pool_blocks() > 0) text += StrCat(", ", net.pool_blocks(), " pooling");
  if (net.heads > 0) text += StrCat(", ", net.attention_blocks, " x ", net.heads, " heads");
  return StrCat(text, " on ", net.rows, "x", net.cols, "x", net.planes, ", ",
                FormatCount(static_cast<double>(ParameterCount(net))), " parameters, ",
                FormatCount(static_cast<double>(ForwardFlops(net))), "FLOP a position (predicted)");
}

std::string Choices(const Plan& plan) {
  std::vector<std::string> buckets;
  for (const int bucket : plan.buckets) buckets.push_back(StrCat(bucket));
  std::string out = StrCat(
      "chosen  workers ", plan.num_workers, " (arena ", plan.arena_workers, "), slots ", plan.slots,
      ", lanes of ", plan.blocks, " x ", plan.rows, " rows, ",
      plan.device == DeviceKind::kCpu ? "runners " : "batches in flight ", plan.runners, "\n");
  out += StrCat(
      "        buckets ", Join(buckets, " "), ", inference ", EnumName(plan.inference_precision),
      plan.device == DeviceKind::kCuda ? (plan.cuda_graphs ? ", CUDA graphs" : ", no CUDA graphs")
                                       : "",
      plan.device == DeviceKind::kCuda ? StrCat(", arena ", EnumName(plan.arena_models)) : "",
      "\n");
  out += StrCat("        learner ", plan.learner_shards, " shard(s) x ", plan.micro_batch,
                " rows x ", plan.accumulate, ", ", EnumName(plan.train_precision), ", ",
                plan.checkpoint_blocks == 0
                    ? "no checkpointing"
                    : StrCat("checkpoints every ", plan.checkpoint_blocks, " block(s)"),
                "\n        a worker ", FormatBytes(plan.worker_bytes), " (predicted), of it cache ",
                FormatBytes(plan.cache), "; about ", FormatCount(plan.predicted_rows_per_s),
                " rows/s, ", Fixed(plan.predicted_step_ms, 1), " ms a training step (",
                EnumName(plan.rates), ")\n");
  return out;
}

}  // namespace

std::string CoTenantsText(const DeviceFacts& device) {
  if (device.kind != DeviceKind::kCuda || device.simulated) return "";
  if (!device.co_tenants) return "also on the GPU: unknown, its driver lists no processes";
  if (device.co_tenants->empty()) return "";
  std::vector<std::string> shown;
  for (const CoTenant& one : *device.co_tenants) {
    if (shown.size() == kCoTenantsShown) break;
    shown.push_back(StrCat("pid ", one.pid, one.name.empty() ? "" : StrCat(" (", one.name, ")"),
                           " ", one.bytes ? FormatBytes(*one.bytes) : "bytes unknown"));
  }
  const std::size_t more = device.co_tenants->size() - shown.size();
  return StrCat("also on the GPU: ", Join(shown, ", "),
                more > 0 ? StrCat(" and ", more, " more") : "");
}

std::string PlanReport(const PlanInput& input, const Plan& plan) {
  const DeviceFacts& device = input.device;
  std::string out = StrCat("device  ", device.name, device.simulated ? " SIMULATED" : "", ", ",
                           device.cores, " core(s)");
  if (device.kind == DeviceKind::kCuda) {
    out += StrCat(", device memory ", FormatBytes(device.vram), " free");
    if (device.vram_total > Bytes()) out += StrCat(" of ", FormatBytes(device.vram_total));
  }
  out += StrCat(", host memory ", FormatBytes(device.ram), "\n");
  if (const std::string others = CoTenantsText(device); !others.empty()) out += Wrapped(others, 8);
  out += StrCat("net     ", NetText(input.net), "\n");
  out +=
      "        m measured, p predicted by a formula or a fit, a assumed; a sum has the weakest of "
      "its parts\n";
  for (const std::string& line : SeenSizes(input.calibration)) out += Wrapped(line, 8);
  out += "\n";
  if (!plan.vram.empty()) {
    out += Memory("device memory", plan.vram, plan.vram_guard, plan.vram_budget);
  }
  out += Memory("host memory of all processes", plan.ram, plan.ram_guard, plan.ram_budget);
  out += Choices(plan);
  for (const Reason& reason : plan.reasons) out += Wrapped(reason.text, 2);
  if (device.simulated) {
    out +=
        "SIMULATED: nothing was measured on this card; on the card itself run az_plan --measure\n";
  }
  return out;
}

}  // namespace az
