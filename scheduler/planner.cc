#include "scheduler/planner.h"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "base/check.h"
#include "base/strings.h"
#include "scheduler/bill.h"
#include "scheduler/ideal_plan.h"
#include "scheduler/ladder.h"
#include "scheduler/placement.h"
#include "scheduler/plan_search.h"
#include "scheduler/reasons.h"
#include "scheduler/shortage.h"

namespace az {
namespace {

Plan IdealWith(const PlanInput& input, const CpuPart& part) {
  Plan ideal = IdealPlan(input);
  ideal.on_cpu = part;
  return ideal;
}

void SayWhyNoGpu(std::string_view why, Plan& plan) {
  plan.reasons.insert(plan.reasons.begin(),
                      Reason{ReasonKind::kFallback,
                             {"engine.device"},
                             StrCat("everything on the processor, much slower: ", why)});
}

// The plan for the processor, used when the GPU has too little memory for any plan.
Result<Plan> PlanWithoutGpu(const PlanInput& input, const Error& why) {
  AZ_ASSIGN_OR_RETURN(Plan plan, MakePlan(WithoutGpu(input)));
  SayWhyNoGpu(why.message, plan);
  return plan;
}

bool LacksVram(const Plan& plan) {
  return !plan.vram.empty() && Peak(plan.vram) + plan.vram_guard > plan.vram_budget;
}

// The error that says why not even `smallest` is possible.
Error NoChoice(const PlanInput& input, const Plan& smallest) {
  if (!LacksVram(smallest) && Peak(smallest.ram) + smallest.ram_guard <= smallest.ram_budget) {
    return {Errc::kNoMemory, "all sizes that should fit ran out of memory before"};
  }
  return NothingFits(input, smallest);
}

// The cheapest rungs of the GPU and of the processor's process beside it. Both have the same rung
// of the host, as they share the workers.
struct ChoiceOfBoth {
  Choice gpu;
  Choice cpu;
  Price price;
};
// `least`: the first rungs of the host and of the processor that count.
std::optional<ChoiceOfBoth> CheapestOfBoth(PlanSearch& gpu, PlanSearch& cpu, const Choice& least,
                                           const std::vector<Choice>& on_gpu) {
  std::vector<Choice> on_cpu = cpu.DeviceChoices();
  std::erase_if(on_cpu, [&least](const Choice& c) {
    return c.inference < least.inference || c.train < least.train;
  });
  std::optional<ChoiceOfBoth> best;
  for (std::size_t h = least.host; h < gpu.host_rungs(); ++h) {
    if (best && gpu.HostPrice(h) >= best->price) continue;
    const std::optional<Choice> a = gpu.CheapestAt(h, on_gpu);
    const std::optional<Choice> b = a ? cpu.CheapestAt(h, on_cpu) : std::nullopt;
    if (!b) continue;
    const Price price = Sum(gpu.HostPrice(h), Sum(gpu.DevicePrice(*a), cpu.DevicePrice(*b)));
    if (!best || price < best->price) best = ChoiceOfBoth{*a, *b, price};
  }
  return best;
}

// The steps of both, in one list for the reasons.
std::vector<LadderStep> StepsOfBoth(PlanSearch& gpu, PlanSearch& cpu, const ChoiceOfBoth& choice) {
  std::vector<LadderStep> steps = gpu.DeviceSteps(choice.gpu);
  for (LadderStep& step : cpu.DeviceSteps(choice.cpu)) {
    step.taken = StrCat("on the processor ", step.taken);
    steps.push_back(std::move(step));
  }
  std::optional<LadderStep> host = gpu.HostStep(choice.gpu);
  if (!host) return steps;
  host->needs.ram = std::max(host->needs.ram, cpu.HostStep(choice.cpu)->needs.ram);
  steps.push_back(*std::move(host));
  return steps;
}

// Makes the plan with phases on the processor, whose process gets sizes of its own. `start`: the
// choice for the GPU alone.
Result<Plan> PlanBoth(const PlanInput& input, const Budgets& budgets, PlanSearch& gpu,
                      const Choice& start) {
  const CpuPart& part = gpu.ideal().on_cpu;
  const PlanInput cpu_input = InputOnCpu(input, part);
  Plan cpu_ideal = IdealWith(cpu_input, part);
  TakeHost(gpu.ideal(), cpu_ideal);
  const Budgets ram_alone = {.ram = budgets.ram, .vram = Bytes()};
  PlanSearch cpu(cpu_input, ram_alone, cpu_ideal);
  Choice least;  // never goes back up: a failure must not give back what was taken
  if (!cpu_input.failed.empty()) {
    PlanInput untried = cpu_input;
    untried.failed.clear();
    PlanSearch before(untried, ram_alone, cpu_ideal);
    const auto cheapest = CheapestOfBoth(gpu, before, {}, gpu.DeviceChoices());
    if (cheapest) least = {.host = cheapest->gpu.host, .inference = cheapest->cpu.inference};
  }
  std::optional<ChoiceOfBoth> choice = CheapestOfBoth(gpu, cpu, least, gpu.DeviceChoices());
  if (choice && input.rungs != RungsTaken{}) {
    // `start` is below what failed; the processor may ask for less than that.
    const std::size_t host = choice->gpu.host + static_cast<std::size_t>(input.rungs.host);
    const Choice lower = {std::min(std::max(start.host, host), gpu.host_rungs() - 1),
                          std::max(start.inference, choice->gpu.inference),
                          std::max(start.train, choice->gpu.train)};
    // The processor does not get back what the host gave up either.
    least = {lower.host, choice->cpu.inference, choice->cpu.train};
    choice = CheapestOfBoth(gpu, cpu, least, {lower});
  }
  if (!choice) return NoChoice(cpu_input, cpu.PlanOf(cpu.Smallest()));

  Plan plan = gpu.PlanOf(choice->gpu);
  const Plan on_cpu = cpu.PlanOf(choice->cpu);
  TakeOnCpu(on_cpu, plan);
  plan.ram = RamBill(input, plan);
  plan.vram = VramBill(input, plan);
  plan.price = choice->price;
  plan.price.moved = MovedPrice(input, part);
  Plan ideal = gpu.ideal();
  PlanInput told = input;
  if (part.train) {
    plan.rates = std::max(plan.rates, on_cpu.rates);
    TakeTraining(cpu.ideal(), ideal);
    told.wishes.accumulate.reset();
    plan.price.written += input.wishes.accumulate ? 1 : 0;
  }
  plan.reasons = ReasonsFor(told, ideal, plan, StepsOfBoth(gpu, cpu, *choice));
  if (part.train && input.wishes.accumulate) {
    plan.reasons.push_back({ReasonKind::kWarning,
                            {"train.accumulate_grad_batches"},
                            StrCat("accumulate_grad_batches ", *input.wishes.accumulate,
                                   ", written in the config, does not count on the processor")});
  }
  return plan;
}

struct Attempt {
  Result<Plan> plan;
  Bytes least_vram{};  // what would do, where not even the smallest plan fits the GPU; otherwise 0
};

// Plans with the phases of `part` on the processor.
Attempt PlanPlaced(const PlanInput& input, const Budgets& budgets, const CpuPart& part) {
  PlanSearch search(input, budgets, IdealWith(input, part));
  const std::optional<Choice> choice = search.Chosen();
  if (!choice) {
    const Plan smallest = search.PlanOf(search.Smallest());
    return {NoChoice(input, smallest), LacksVram(smallest) ? LeastVram(input, smallest) : Bytes()};
  }
  if (part.any()) return {PlanBoth(input, budgets, search, *choice)};
  Plan plan = search.PlanOf(*choice);
  std::vector<LadderStep> steps = search.DeviceSteps(*choice);
  if (std::optional<LadderStep> host = search.HostStep(*choice)) steps.push_back(*std::move(host));
  plan.reasons = ReasonsFor(input, search.ideal(), plan, steps);
  return {std::move(plan)};
}

// The plan with the first placement that is possible. Where the GPU is too small for all of them,
// the error is that of the placement that needs the least there, if host memory has room for the
// rest of it; otherwise it is that of the placement the config asks for.
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
    if (!PlanPlaced(input, enough, part).plan) continue;  // its message would promise too much
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

PlanInput WithoutGpu(PlanInput input) {
  AZ_CHECK(input.without_gpu.has_value());
  input.device = *input.without_gpu;
  input.without_gpu.reset();
  input.calibration = {};  // measured on the GPU
  input.rungs = {};
  input.wishes.memory.vram_budget.reset();  // the fallback says what became of it
  if (input.wishes.arena_mode == ArenaMode::kGpu) input.wishes.arena_mode.reset();
  return input;
}

Result<Plan> MakePlan(const PlanInput& input) {
  const Budgets budgets = BudgetsOf(input);
  AZ_RETURN_IF_ERROR(CheckInput(input, budgets));
  Result<Plan> plan = PlanSomewhere(input, budgets);
  if (plan && !input.device.gpu_fault.empty()) SayWhyNoGpu(input.device.gpu_fault, *plan);
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
  return input.without_gpu ? PlanWithoutGpu(input, plan.error()) : std::move(plan).error();
}

}  // namespace az
