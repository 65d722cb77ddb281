#include "scheduler/plan_search.h"

#include <algorithm>
#include <array>
#include <utility>

#include "scheduler/bill.h"
#include "scheduler/throughput.h"
#include "scheduler/worker_bytes.h"

namespace az {
namespace {

int Permille(double slower, double ideal) {
  if (!(ideal > 0) || !(slower > ideal)) return 0;
  return static_cast<int>(std::min(1e6, 1000.0 * (slower / ideal - 1.0)));
}

}  // namespace

Price Sum(const Price& a, const Price& b) {
  return {.moved = a.moved + b.moved,
          .written = a.written + b.written,
          .quality = a.quality + b.quality,
          .slowdown_permille = a.slowdown_permille + b.slowdown_permille};
}

PlanSearch::PlanSearch(const PlanInput& input, const Budgets& budgets, const Plan& ideal)
    : input_(input),
      budgets_(budgets),
      ideal_(ideal),
      hosts_(HostLadder(input, ideal_)),
      inferences_(InferenceLadder(input, ideal_)),
      trains_(TrainLadder(input, ideal_)),
      ideal_row_us_(1e6 / PredictedRowsPerSecond(input, ideal_)),
      ideal_step_ms_(PredictedStepMillis(input, ideal_)),
      work_(ideal_),
      falls_(input.calibration.inference.empty() && input.calibration.training.empty()) {}

std::optional<Choice> PlanSearch::Chosen() {
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

Choice PlanSearch::Smallest() {
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

Plan PlanSearch::PlanOf(const Choice& choice) {
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

std::optional<LadderStep> PlanSearch::StepOf(const std::vector<Rung>& ladder, const Choice& choice,
                                             std::size_t Choice::*at, int taken) {
  if (choice.*at == 0) return std::nullopt;
  const auto what = ladder[choice.*at].what;
  Choice before = choice;
  --(before.*at);
  const Plan now = Sizes(choice);  // a copy: Sizes gives out one object
  const Plan& sizes = Sizes(before);
  return LadderStep{.taken = what(now),
                    .before = what(sizes),
                    .keys = KeysOf(PlanDifferences(now, sizes)),
                    .needs = PeaksOf(input_, sizes),
                    .lowered = taken > 0,
                    .failed = HasFailed(sizes)};
}

std::vector<LadderStep> PlanSearch::DeviceSteps(const Choice& choice) {
  std::vector<LadderStep> steps;
  for (std::optional<LadderStep>& step :
       std::array{StepOf(trains_, choice, &Choice::train, input_.rungs.train),
                  StepOf(inferences_, choice, &Choice::inference, input_.rungs.inference)}) {
    if (step) steps.push_back(*std::move(step));
  }
  return steps;
}

std::optional<LadderStep> PlanSearch::HostStep(const Choice& choice) {
  return StepOf(hosts_, choice, &Choice::host, input_.rungs.host);
}

// The cheapest choice that fits both budgets; nullopt: none does.
std::optional<Choice> PlanSearch::Cheapest() {
  if (Fits({})) return Choice{};
  if (falls_ && !Fits(Last())) return std::nullopt;
  const std::vector<Choice> device = DeviceChoices();
  std::optional<Choice> best;
  Price best_price;
  for (std::size_t h = 0; h < hosts_.size(); ++h) {
    if (best && HostPrice(h) >= best_price) continue;
    if (falls_ && !FitsRam({h, inferences_.size() - 1, trains_.size() - 1})) continue;
    const std::optional<Choice> choice = CheapestAt(h, device);
    if (!choice) continue;
    const Price price = PriceOf(*choice);
    if (best && price >= best_price) continue;
    best = choice;
    best_price = price;
  }
  return best;
}

std::optional<Choice> PlanSearch::CheapestAt(std::size_t host, const std::vector<Choice>& device) {
  std::optional<Choice> best;
  Price best_price;
  for (Choice choice : device) {
    choice.host = host;
    if (best && LeastPrice(choice) >= best_price) continue;
    const Price price = PriceOf(choice);
    if (best && price >= best_price) continue;
    if (!FitsRam(choice) || (!SharesModels() && !FitsVram(choice))) continue;
    best = choice;
    best_price = price;
  }
  return best;
}

Choice PlanSearch::Last() const {
  return {hosts_.size() - 1, inferences_.size() - 1, trains_.size() - 1};
}

// The choice as many rungs further down as failures that no prediction saw have cost.
Choice PlanSearch::Lowered(Choice choice) const {
  const auto down = [](std::size_t rung, int steps, std::size_t size) {
    return std::min(size - 1, rung + static_cast<std::size_t>(std::max(0, steps)));
  };
  return {down(choice.host, input_.rungs.host, hosts_.size()),
          down(choice.inference, input_.rungs.inference, inferences_.size()),
          down(choice.train, input_.rungs.train, trains_.size())};
}

// `choice`, or the next below it on the ladders of the device that fits.
std::optional<Choice> PlanSearch::FirstThatFits(Choice choice) {
  for (std::size_t i = choice.inference; i < inferences_.size(); ++i) {
    for (std::size_t t = choice.train; t < trains_.size(); ++t) {
      if (const Choice next{choice.host, i, t}; Fits(next)) return next;
    }
  }
  return std::nullopt;
}

// The sizes of a choice; valid until the next call.
const Plan& PlanSearch::Sizes(const Choice& choice) {
  TakeHost(hosts_[choice.host].plan, work_);
  TakeInference(inferences_[choice.inference].plan, work_);
  TakeTraining(trains_[choice.train].plan, work_);
  return work_;
}

Price PlanSearch::HostPrice(std::size_t host) const {
  return {.written = hosts_[host].written,
          .quality = hosts_[host].quality,
          .slowdown_permille = static_cast<int>(host)};
}

// The price without the slowdown of self-play and training.
Price PlanSearch::LeastPrice(const Choice& choice) const {
  const Rung& inference = inferences_[choice.inference];
  const Rung& train = trains_[choice.train];
  return Sum(HostPrice(choice.host),
             {.written = inference.written + train.written,
              .quality = inference.quality + train.quality,
              .slowdown_permille = static_cast<int>(choice.inference + choice.train)});
}

Price PlanSearch::PriceOf(const Choice& choice) {
  return Sum(HostPrice(choice.host), DevicePrice(choice));
}

Price PlanSearch::DevicePrice(const Choice& choice) {
  const Plan& plan = Sizes(choice);
  // Beside a GPU only the phases on the processor count.
  const bool is_beside = plan.on_cpu.any() && plan.device == DeviceKind::kCpu;
  const bool serves = !is_beside || plan.on_cpu.arena;
  const bool trains = !is_beside || plan.on_cpu.train;
  Price price = LeastPrice({0, choice.inference, choice.train});
  if (serves) {
    price.slowdown_permille += Permille(1e6 / PredictedRowsPerSecond(input_, plan), ideal_row_us_);
  }
  if (trains) {
    price.slowdown_permille += Permille(PredictedStepMillis(input_, plan), ideal_step_ms_);
  }
  return price;
}

bool PlanSearch::HasFailed(const Plan& plan) const {
  const bool on_cpu = plan.device == DeviceKind::kCpu;
  const bool trains = on_cpu || !plan.on_cpu.train;
  return minds_failures_ && std::ranges::any_of(input_.failed, [&](const FailedSizes& failed) {
           if (failed.on_cpu != on_cpu) return false;
           if (failed.phase == PlanPhase::kTrain) {
             const bool keeps_more = plan.checkpoint_blocks == failed.checkpoint_blocks ||
                                     (plan.checkpoint_blocks == 0 && failed.checkpoint_blocks > 0);
             return trains && keeps_more && plan.train_precision == failed.precision &&
                    plan.micro_batch * plan.learner_shards >= failed.rows;
           }
           return plan.inference_precision == failed.precision &&
                  plan.buckets.back() >= failed.rows;
         });
}

bool PlanSearch::FitsRam(const Choice& choice) {
  return RamPeak(input_, Sizes(choice)) + RamGuardOf(input_, budgets_.ram) <= budgets_.ram;
}
bool PlanSearch::FitsVram(const Choice& choice) {
  if (ideal_.device == DeviceKind::kCpu) return true;
  return VramPeak(input_, Sizes(choice)) + VramGuardOf(input_, budgets_.vram) <= budgets_.vram;
}
bool PlanSearch::Fits(const Choice& choice) {
  return !HasFailed(Sizes(choice)) && FitsRam(choice) && FitsVram(choice);
}

// Whether all workers share the models. Where they do not, fewer workers need less device memory.
bool PlanSearch::SharesModels() const { return ideal_.model_sharing == ModelSharing::kShared; }

std::vector<Choice> PlanSearch::DeviceChoices() {
  std::vector<Choice> choices;
  for (std::size_t i = 0; i < inferences_.size(); ++i) {
    for (std::size_t t = 0; t < trains_.size(); ++t) {
      const Choice choice{hosts_.size() - 1, i, t};
      if (!HasFailed(Sizes(choice)) && FitsVram(choice)) choices.push_back(choice);
    }
  }
  return choices;
}

}  // namespace az
