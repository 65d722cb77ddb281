#include "scheduler/report.h"

#include <algorithm>
#include <cstdint>
#include <vector>

#include "base/strings.h"
#include "scheduler/bill.h"
#include "scheduler/footprint.h"

namespace az {
namespace {

std::string PadLeft(std::string text, std::size_t width) {
  return text.size() < width ? std::string(width - text.size(), ' ') + text : text;
}
std::string PadRight(std::string text, std::size_t width) {
  text.resize(std::max(width, text.size()), ' ');
  return text;
}

std::string InMiB(Bytes bytes) {
  return Fixed(static_cast<double>(bytes.count()) / 1048576.0, bytes < MiB(100) ? 1 : 0);
}

// The names of all terms, in the order in which the phases first show them.
std::vector<std::string> TermNames(const std::vector<PhaseBill>& bills) {
  std::vector<std::string> names;
  for (const PhaseBill& bill : bills) {
    for (const BillTerm& term : bill.terms) {
      if (std::ranges::find(names, term.name) == names.end()) names.push_back(term.name);
    }
  }
  return names;
}

// A row a term, a column a phase, the sum below: sums are over what is shown.
std::string Table(std::string_view title, const std::vector<PhaseBill>& bills, Bytes guard,
                  Bytes budget) {
  constexpr std::size_t kName = 24;
  constexpr std::size_t kColumn = 12;
  std::string out = PadRight(StrCat(title, ", MiB"), kName);
  for (const PhaseBill& bill : bills) out += PadLeft(std::string(EnumName(bill.phase)), kColumn);
  out += "\n";
  for (const std::string& name : TermNames(bills)) {
    out += PadRight("  " + name, kName);
    for (const PhaseBill& bill : bills) {
      const auto term = std::ranges::find(bill.terms, name, &BillTerm::name);
      out += PadLeft(term == bill.terms.end()
                         ? "-"
                         : StrCat(InMiB(term->bytes), " ", EnumName(term->basis).substr(0, 1)),
                     kColumn);
    }
    out += "\n";
  }
  const Bytes peak = Peak(bills);
  out += PadRight("  total", kName);
  for (const PhaseBill& bill : bills) {
    out += PadLeft(StrCat(InMiB(bill.total()), bill.total() == peak ? " <" : "  "), kColumn);
  }
  const double share = 100.0 * static_cast<double>((peak + guard).count()) /
                       static_cast<double>(std::max<std::int64_t>(1, budget.count()));
  out +=
      StrCat("\n  peak (<) ", FormatBytes(peak), " + guard ", FormatBytes(guard), " = ",
             Fixed(share, share < 10 ? 1 : 0), " % of the budget of ", FormatBytes(budget), "\n");
  return out;
}

std::string NetText(const NetShape& net) {
  std::string text = StrCat(net.filters, " filters x ", net.res_blocks, " blocks");
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
      ", about ", FormatCount(plan.predicted_rows_per_s), " rows/s (assumed)\n");
  out += StrCat("        learner ", plan.learner_shards, " shard(s) x ", plan.micro_batch,
                " rows x ", plan.accumulate, ", ", EnumName(plan.train_precision), "; a worker ",
                FormatBytes(plan.worker_bytes), " (predicted), of it cache ",
                FormatBytes(plan.cache), "\n");
  return out;
}

}  // namespace

std::string PlanReport(const PlanInput& input, const Plan& plan) {
  const DeviceFacts& device = input.device;
  std::string out = StrCat("device  ", device.name, device.simulated ? " SIMULATED" : "", ", ",
                           device.cores, " core(s), memory ", FormatBytes(device.ram));
  if (device.kind == DeviceKind::kCuda) out += StrCat(", device memory ", FormatBytes(device.vram));
  out += StrCat("\nnet     ", NetText(input.net), "\n");
  out += "        m measured, p predicted by a formula, a assumed\n\n";
  if (!plan.vram.empty()) {
    out += Table("device memory", plan.vram, plan.vram_guard, plan.vram_budget) + "\n";
  }
  out += Table("host memory", plan.ram, plan.ram_guard, plan.ram_budget) + "\n";
  out += Choices(plan);
  for (const std::string& reason : plan.reasons) out += StrCat("  ", reason, "\n");
  return out;
}

}  // namespace az
