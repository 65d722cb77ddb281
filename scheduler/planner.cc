#include "scheduler/planner.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "base/strings.h"
#include "scheduler/bill.h"
#include "scheduler/ideal_plan.h"
#include "scheduler/ladder.h"
#include "scheduler/placement.h"
#include "scheduler/reasons.h"
#include "scheduler/shortage.h"
#include "scheduler/throughput.h"

namespace az {
namespace {

// A rung of each ladder.
struct Choice {
  std::size_t host = 0;
  std::size_t inference = 0;
  std::size_t train = 0;
};

int Permille(double slower, double ideal) {
  if (!(ideal > 0) || !(slower > ideal)) return 0;
  return static_cast<int>(std::min(1e6, 1000.0 * (slower / ideal - 1.0)));
}

Plan IdealWith(const PlanInput& input, const CpuPart& part) {
  Plan ideal = IdealPlan(input);
  ideal.on_cpu = part;
  return ideal;
}

// Looks for the cheapest choice that fits. Confined to one call of MakePlan.
class Search {
 public:
  Search(const PlanInput& input, const Budgets& budgets, const CpuPart& part)
      : input_(input),
        budgets_(budgets),
        ideal_(IdealWith(input, part)),
        hosts_(HostLadder(input, ideal_)),
        inferences_(InferenceLadder(input, ideal_)),
        trains_(TrainLadder(input, ideal_)),
        ideal_row_us_(1e6 / PredictedRowsPerSecond(input, ideal_)),
        ideal_step_ms_(PredictedStepMillis(input, ideal_)),
        work_(ideal_),
        falls_(input.calibration.inference.empty() && input.calibration.training.empty()) {}

  const Plan& ideal() const { return ideal_; }

  // The choice to run with: the cheapest that fits and has not failed, or, when that is lower, so
  // many rungs below the cheapest that fits as failures have cost. A failure is both a size and a
  // rung, and costs one step. Empty: nothing fits.
  std::optional<Choice> Chosen() {
    const std::optional<Choice> allowed = Cheapest();
    if (!allowed || input_.rungs == RungsTaken{}) return allowed;
    minds_failures_ = false;
    const std::optional<Choice> cheapest = Cheapest();
    minds_failures_ = true;
    const Choice lowered = Lowered(cheapest.value_or(*allowed));
    const Choice lower = {std::max(allowed->host, lowered.host),
                          std::max(allowed->inference, lowered.inference),
                          std::max(allowed->train, lowered.train)};
    return FirstThatFits(lower).value_or(*allowed);
  }

  // The choice whose memory is the nearest to the budgets.
  Choice Smallest() {
    Choice best = Last();
    if (falls_) return best;
    const auto missing = [this](const Choice& choice) {
      const Bytes vram =
          VramPeak(input_, Sizes(choice)) + VramGuardOf(input_, budgets_.vram) - budgets_.vram;
      return std::pair(std::max(Bytes(), vram), RamPeak(input_, Sizes(choice)));
    };
    for (std::size_t i = 0; i < inferences_.size(); ++i) {
      for (std::size_t t = 0; t < trains_.size(); ++t) {
        const Choice choice{hosts_.size() - 1, i, t};
        if (missing(choice) < missing(best)) best = choice;
      }
    }
    return best;
  }

  // The plan of a choice with its bills and predictions; reasons are still open.
  Plan PlanOf(const Choice& choice) {
    Plan plan = Sizes(choice);
    plan.host_rungs = static_cast<int>(choice.host);
    plan.inference_rungs = static_cast<int>(choice.inference);
    plan.train_rungs = static_cast<int>(choice.train);
    plan.price = PriceOf(choice);
    plan.worker_bytes = WorkerBytes(input_, plan);
    plan.ram_budget = budgets_.ram;
    plan.ram_guard = RamGuardOf(input_, budgets_.ram);
    plan.ram = RamBill(input_, plan);
    plan.vram = VramBill(input_, plan);
    if (!plan.vram.empty()) {
      plan.vram_budget = budgets_.vram;
      plan.vram_guard = VramGuardOf(input_, budgets_.vram);
    }
    plan.allocator_cap = AllocatorCap(input_, plan);
    plan.predicted_rows_per_s = PredictedRowsPerSecond(input_, plan);
    plan.predicted_step_ms = PredictedStepMillis(input_, plan);
    plan.rates = BasisOfRates(input_, plan);
    return plan;
  }

  // The last step down each ladder, with what stood in the way of the one before.
  std::vector<LadderStep> StepsOf(const Choice& choice) {
    std::vector<LadderStep> steps;
    const auto add = [&](const std::vector<Rung>& ladder, std::size_t Choice::*at, int taken) {
      if (choice.*at == 0) return;
      const auto what = ladder[choice.*at].what;
      Choice before = choice;
      --(before.*at);
      const Plan now = Sizes(choice);  // a copy: Sizes gives out one object
      const Plan& sizes = Sizes(before);
      steps.push_back({.taken = what(now),
                       .before = what(sizes),
                       .keys = KeysOf(PlanDifferences(now, sizes)),
                       .needs = PeaksOf(input_, sizes),
                       .lowered = taken > 0,
                       .failed = HasFailed(sizes)});
    };
    add(trains_, &Choice::train, input_.rungs.train);
    add(inferences_, &Choice::inference, input_.rungs.inference);
    add(hosts_, &Choice::host, input_.rungs.host);
    return steps;
  }

 private:
  // The cheapest choice that fits both budgets; empty: none does.
  std::optional<Choice> Cheapest() {
    if (Fits({})) return Choice{};
    if (falls_ && !Fits(Last())) return std::nullopt;
    const std::vector<Choice> device = DeviceChoices();
    std::optional<Choice> best;
    Price best_price;
    for (std::size_t h = 0; h < hosts_.size(); ++h) {
      if (best && LeastPrice({h, 0, 0}) >= best_price) continue;
      if (falls_ && !FitsRam({h, inferences_.size() - 1, trains_.size() - 1})) continue;
      for (Choice choice : device) {
        choice.host = h;
        if (best && LeastPrice(choice) >= best_price) continue;
        const Price price = PriceOf(choice);
        if (best && price >= best_price) continue;
        if (!FitsRam(choice) || (!SharesModels() && !FitsVram(choice))) continue;
        best = choice;
        best_price = price;
      }
    }
    return best;
  }

  Choice Last() const { return {hosts_.size() - 1, inferences_.size() - 1, trains_.size() - 1}; }

  // So many rungs further down, for failures that no prediction saw.
  Choice Lowered(Choice choice) const {
    const auto down = [](std::size_t rung, int steps, std::size_t size) {
      return std::min(size - 1, rung + static_cast<std::size_t>(std::max(0, steps)));
    };
    return {down(choice.host, input_.rungs.host, hosts_.size()),
            down(choice.inference, input_.rungs.inference, inferences_.size()),
            down(choice.train, input_.rungs.train, trains_.size())};
  }

  // `choice`, or the next below it on the ladders of the device that fits.
  std::optional<Choice> FirstThatFits(Choice choice) {
    for (std::size_t i = choice.inference; i < inferences_.size(); ++i) {
      for (std::size_t t = choice.train; t < trains_.size(); ++t) {
        if (const Choice next{choice.host, i, t}; Fits(next)) return next;
      }
    }
    return std::nullopt;
  }

  // The sizes of a choice; valid until the next call.
  const Plan& Sizes(const Choice& choice) {
    TakeHost(hosts_[choice.host].plan, work_);
    TakeInference(inferences_[choice.inference].plan, work_);
    TakeTraining(trains_[choice.train].plan, work_);
    return work_;
  }

  // The price but for the slower self-play and training.
  Price LeastPrice(const Choice& choice) const {
    const Rung& host = hosts_[choice.host];
    const Rung& inference = inferences_[choice.inference];
    const Rung& train = trains_[choice.train];
    return {.written = host.written + inference.written + train.written,
            .quality = host.quality + inference.quality + train.quality,
            .slowdown_permille = static_cast<int>(choice.host + choice.inference + choice.train)};
  }
  Price PriceOf(const Choice& choice) {
    const Plan& plan = Sizes(choice);
    Price price = LeastPrice(choice);
    price.slowdown_permille += Permille(1e6 / PredictedRowsPerSecond(input_, plan), ideal_row_us_) +
                               Permille(PredictedStepMillis(input_, plan), ideal_step_ms_);
    return price;
  }

  bool HasFailed(const Plan& plan) const {
    return minds_failures_ &&
           std::ranges::any_of(input_.failed, [&plan](const FailedSizes& failed) {
             if (failed.phase == PlanPhase::kTrain) {
               if (plan.on_cpu.train) return false;  // it failed on the GPU
               const bool keeps_more =
                   plan.checkpoint_blocks == failed.checkpoint_blocks ||
                   (plan.checkpoint_blocks == 0 && failed.checkpoint_blocks > 0);
               return keeps_more && plan.train_precision == failed.precision &&
                      plan.micro_batch >= failed.rows;
             }
             return plan.inference_precision == failed.precision &&
                    plan.buckets.back() >= failed.rows;
           });
  }

  bool FitsRam(const Choice& choice) {
    return RamPeak(input_, Sizes(choice)) + RamGuardOf(input_, budgets_.ram) <= budgets_.ram;
  }
  bool FitsVram(const Choice& choice) {
    if (ideal_.device == DeviceKind::kCpu) return true;
    return VramPeak(input_, Sizes(choice)) + VramGuardOf(input_, budgets_.vram) <= budgets_.vram;
  }
  bool Fits(const Choice& choice) {
    return !HasFailed(Sizes(choice)) && FitsRam(choice) && FitsVram(choice);
  }

  // Without it, fewer workers need less device memory.
  bool SharesModels() const { return ideal_.model_sharing == ModelSharing::kShared; }

  // Rungs of inference and training whose device memory fits, with the fewest workers where their
  // number matters.
  std::vector<Choice> DeviceChoices() {
    std::vector<Choice> choices;
    for (std::size_t i = 0; i < inferences_.size(); ++i) {
      for (std::size_t t = 0; t < trains_.size(); ++t) {
        const Choice choice{hosts_.size() - 1, i, t};
        if (!HasFailed(Sizes(choice)) && FitsVram(choice)) choices.push_back(choice);
      }
    }
    return choices;
  }

  const PlanInput& input_;
  const Budgets budgets_;
  const Plan ideal_;
  const std::vector<Rung> hosts_;
  const std::vector<Rung> inferences_;
  const std::vector<Rung> trains_;
  const double ideal_row_us_;
  const double ideal_step_ms_;
  Plan work_;
  // Memory only falls down a ladder, so where the last rungs do not fit none does. Not so where
  // some rungs were measured and the formulas, which ask for more, speak for the others.
  const bool falls_;
  bool minds_failures_ = true;
};

// The plan for the processor, when the GPU has too little memory for any.
Result<Plan> WithoutGpu(const PlanInput& input, const Error& why) {
  PlanInput other = input;
  other.device = *input.without_gpu;
  other.without_gpu.reset();
  other.calibration = {};  // measured on the GPU
  other.rungs = {};
  other.failed.clear();
  if (other.wishes.arena_mode == ArenaMode::kGpu) other.wishes.arena_mode.reset();
  AZ_ASSIGN_OR_RETURN(Plan plan, MakePlan(other));
  plan.reasons.insert(plan.reasons.begin(),
                      Reason{ReasonKind::kFallback,
                             {"engine.device"},
                             StrCat("everything on the processor, much slower: ", why.message)});
  return plan;
}

// Chooses the sizes of the processor's process beside `plan`, and bills its phases.
Result<void> AddOnCpu(const PlanInput& input, const Budgets& budgets, Plan& plan) {
  const PlanInput cpu = InputOnCpu(input, plan);
  Search search(cpu, {.ram = budgets.ram, .vram = Bytes()}, plan.on_cpu);
  const std::optional<Choice> choice = search.Chosen();
  if (!choice) return NothingFits(cpu, search.PlanOf(search.Smallest()));
  TakeOnCpu(search.PlanOf(*choice), plan);
  plan.worker_bytes = WorkerBytes(input, plan);
  plan.ram = RamBill(input, plan);
  plan.vram = VramBill(input, plan);
  return {};
}

struct Attempt {
  Result<Plan> plan;
  Bytes least_vram{};  // where not even the smallest plan has room on the GPU; else 0
};

// With these phases on the processor.
Attempt PlanPlaced(const PlanInput& input, const Budgets& budgets, const CpuPart& part) {
  Search search(input, budgets, part);
  const std::optional<Choice> choice = search.Chosen();
  if (!choice) {
    const Plan smallest = search.PlanOf(search.Smallest());
    const bool lacks_vram =
        !smallest.vram.empty() && Peak(smallest.vram) + smallest.vram_guard > smallest.vram_budget;
    if (!lacks_vram && Peak(smallest.ram) + smallest.ram_guard <= smallest.ram_budget) {
      return {Error{Errc::kNoMemory, "all sizes that should fit ran out of memory before"}};
    }
    return {NothingFits(input, smallest), lacks_vram ? LeastVram(input, smallest) : Bytes()};
  }
  Plan plan = search.PlanOf(*choice);
  plan.reasons = ReasonsFor(input, search.ideal(), plan, search.StepsOf(*choice));
  plan.price.moved = MovedPhases(input, part);
  if (!part.any()) return {std::move(plan)};
  if (const Result<void> added = AddOnCpu(input, budgets, plan); !added) return {added.error()};
  return {std::move(plan)};
}

// The first placement that does. The error is of the one that needs the least on a GPU that is too
// small for all, if host memory has room for the rest of it; else of the wished one.
Result<Plan> PlanSomewhere(const PlanInput& input, const Budgets& budgets) {
  std::optional<Error> wished;
  std::optional<Error> error;
  Bytes least;
  for (const CpuPart& part : PlacementsOf(input)) {
    Attempt attempt = PlanPlaced(input, budgets, part);
    if (attempt.plan) {
      if (!part.any()) return attempt.plan;
      const std::vector<Reason> placed =
          PlacementReasons(*attempt.plan, wished ? wished->message : "");
      std::vector<Reason>& reasons = attempt.plan->reasons;
      reasons.insert(reasons.begin(), placed.begin(), placed.end());
      return attempt.plan;
    }
    if (!wished) wished = attempt.plan.error();
    const bool asks_less = attempt.least_vram > Bytes() && (!error || attempt.least_vram < least);
    if (!asks_less) continue;
    const Budgets enough = {.ram = budgets.ram, .vram = attempt.least_vram};
    if (!PlanPlaced(input, enough, part).plan) continue;  // the message would promise too much
    error = attempt.plan.error();
    least = attempt.least_vram;
  }
  return error.value_or(*wished);
}

}  // namespace

Budgets BudgetsOf(const PlanInput& input) {
  Budgets budgets;
  budgets.ram = RamBudgetWish(input).Of(input.device.ram);
  if (input.device.kind == DeviceKind::kCuda) {
    budgets.vram = VramBudgetWish(input).Of(input.device.vram);
  }
  return budgets;
}

Bytes RamGuard(Bytes budget) { return std::max(MiB(16), budget / 50); }
Bytes VramGuard(Bytes budget) { return std::max(MiB(128), budget / 50); }

Bytes RamGuardOf(const PlanInput& input, Bytes budget) {
  if (input.wishes.memory.guard) return *input.wishes.memory.guard;
  const bool has_network = input.device.kind == DeviceKind::kCpu;
  const Bytes seen = has_network ? input.calibration.confirm_residual * 3 : Bytes();
  return std::max(RamGuard(budget), seen);
}
Bytes VramGuardOf(const PlanInput& input, Bytes budget) {
  if (input.wishes.memory.guard) return *input.wishes.memory.guard;
  return std::max(VramGuard(budget), input.calibration.confirm_residual * 3);
}

Result<Plan> MakePlan(const PlanInput& input) {
  const Budgets budgets = BudgetsOf(input);
  AZ_RETURN_IF_ERROR(CheckInput(input, budgets));
  Result<Plan> plan = PlanSomewhere(input, budgets);
  if (plan) return plan;
  if (input.wishes.memory.on_overcommit == OnOvercommit::kRefuse) {
    PlanInput degrading = input;
    degrading.wishes.memory.on_overcommit = OnOvercommit::kDegrade;
    degrading.without_gpu.reset();
    const Result<Plan> smaller = MakePlan(degrading);
    if (smaller) {
      return Error{Errc::kInvalid, StrCat("the numbers written in the config do not fit the memory "
                                          "budget (set them to auto, or ",
                                          "memory.on_overcommit: degrade, which would take: ",
                                          Join(TextsOf(smaller->reasons), "; "), ")")};
    }
    if (!input.without_gpu) return smaller.error();
  }
  return input.without_gpu ? WithoutGpu(input, plan.error()) : std::move(plan).error();
}

}  // namespace az
