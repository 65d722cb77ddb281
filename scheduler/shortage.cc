#include "scheduler/shortage.h"

#include <algorithm>
#include <functional>
#include <string>
#include <vector>

#include "base/strings.h"
#include "scheduler/bill.h"
#include "scheduler/report.h"

namespace az {
namespace {

// The least budget in whole MiB under which `peak` fits with its guard.
Bytes LeastBudget(Bytes peak, const std::function<Bytes(Bytes)>& guard) {
  Bytes low = peak;  // does not fit, or only just
  Bytes high = peak * 2 + GiB(1);
  while (peak + guard(high) > high) high = high * 2;
  while (high - low > MiB(1)) {
    const Bytes middle = low + (high - low) / 2;
    (peak + guard(middle) <= middle ? high : low) = middle;
  }
  return MiB((high + MiB(1) - Bytes(1)) / MiB(1));
}

// Says how much memory there must be for `wish` to give a budget of `least`; empty where that is
// the same number.
std::string OutOf(const MemorySize& wish, Bytes least) {
  if (wish.share_permille == 0 || wish.share_permille >= 1000) return "";
  const Bytes whole((least.count() * 1000 + wish.share_permille - 1) / wish.share_permille);
  return StrCat(" until ", (whole + MiB(1) - Bytes(1)) / MiB(1),
                " MiB are available, as the budget is ", wish.share_permille / 10.0, " % of that");
}

// A kind of memory that is too small, and what to do about it.
struct Kind {
  std::string_view what;
  std::string_view key;      // the budget's key
  std::string_view smaller;  // what makes the largest phase smaller and only a person can choose
};
Kind HostOf(const PlanInput& input) {
  return {"memory", "memory.ram_budget",
          input.wishes.matches_alone
              ? "take smaller networks or fewer simulations"
              : "make the network, train.window_max or search.visits smaller"};
}
Kind DeviceOf(const PlanInput& input) {
  return {"device memory", "memory.vram_budget",
          input.wishes.matches_alone ? "take smaller networks" : "make the network smaller"};
}

std::string TooLittle(const Kind& kind, Bytes budget, Bytes least, const std::string& out_of,
                      const std::vector<PhaseBill>& bills) {
  const PhaseBill& worst =
      *std::ranges::max_element(bills, {}, [](const PhaseBill& bill) { return bill.total(); });
  std::vector<BillTerm> terms = worst.terms;
  std::ranges::stable_sort(terms, std::greater<>(), &BillTerm::bytes);
  std::vector<std::string> largest;
  for (std::size_t i = 0; i < std::min<std::size_t>(3, terms.size()); ++i) {
    largest.push_back(StrCat(terms[i].name, " ", FormatBytes(terms[i].bytes)));
  }
  return StrCat("too little ", kind.what, ": the smallest plan needs ", FormatBytes(worst.total()),
                " in phase ", EnumName(worst.phase), " (", Join(largest, ", "),
                ", ...), the budget is ", FormatBytes(budget), "; the least that would do is ",
                least / MiB(1), " MiB (free some", out_of, ", raise ", kind.key, ", or ",
                kind.smaller, ")");
}

}  // namespace

MemorySize RamBudgetWish(const PlanInput& input) {
  return input.wishes.memory.ram_budget.value_or(MemorySize::Share(850));
}
MemorySize VramBudgetWish(const PlanInput& input) {
  return input.wishes.memory.vram_budget.value_or(MemorySize::Share(1000));
}

Result<void> CheckInput(const PlanInput& input, const Budgets& budgets) {
  if (budgets.ram > input.device.ram) {
    return Error{Errc::kInvalid,
                 StrCat("memory.ram_budget = ", FormatBytes(budgets.ram), " is more than the ",
                        FormatBytes(input.device.ram), " that are available here")};
  }
  if (input.device.kind == DeviceKind::kCuda && budgets.vram > input.device.vram) {
    return Error{Errc::kInvalid,
                 StrCat("memory.vram_budget = ", FormatBytes(budgets.vram), " is more than the ",
                        FormatBytes(input.device.vram), " free on ", input.device.name)};
  }
  const bool on_gpu = input.device.kind == DeviceKind::kCuda;
  const bool shares = input.wishes.memory.model_sharing == ModelSharing::kShared;
  if (input.wishes.arena_mode == ArenaMode::kGpu && !on_gpu) {
    return Error{Errc::kInvalid,
                 StrCat("arena.mode = gpu: the run has no GPU, it is on ", input.device.name,
                        " (set arena.mode: auto, or engine.device)")};
  }
  if (input.wishes.arena_mode == ArenaMode::kCpu && on_gpu && !shares) {
    return Error{Errc::kInvalid,
                 "arena.mode = cpu: with memory.model_sharing: per_worker the arena runs where "
                 "self-play does (set arena.mode: auto, or model_sharing: shared)"};
  }
  return {};
}

Bytes LeastVram(const PlanInput& input, const Plan& smallest) {
  return LeastBudget(Peak(smallest.vram), [&](Bytes b) { return VramGuardOf(input, b); });
}

Error NothingFits(const PlanInput& input, const Plan& smallest) {
  if (!smallest.vram.empty() && Peak(smallest.vram) + smallest.vram_guard > smallest.vram_budget) {
    const Bytes least = LeastVram(input, smallest);
    const std::string others = input.device.co_tenants ? CoTenantsText(input.device) : "";
    return {Errc::kNoMemory, StrCat(TooLittle(DeviceOf(input), smallest.vram_budget, least,
                                              OutOf(VramBudgetWish(input), least), smallest.vram),
                                    others.empty() ? "" : "; ", others)};
  }
  const Bytes least =
      LeastBudget(Peak(smallest.ram), [&](Bytes b) { return RamGuardOf(input, b); });
  return {Errc::kNoMemory, TooLittle(HostOf(input), smallest.ram_budget, least,
                                     OutOf(RamBudgetWish(input), least), smallest.ram)};
}

}  // namespace az
