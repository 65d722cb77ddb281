#include "scheduler/planner.h"

#include <algorithm>
#include <functional>
#include <utility>

#include "base/strings.h"
#include "scheduler/bill.h"
#include "scheduler/ladder.h"
#include "scheduler/reasons.h"
#include "scheduler/throughput.h"

namespace az {
namespace {

constexpr int kCpuBucket = 128;   // past it a core gains nothing (docs/performance.md section 1)
constexpr int kGpuBucket = 4096;  // the knee is looked for below it
constexpr int kMinSlots = 64;
constexpr int kMaxAutoWorkers = 64;
constexpr int kMinShardRows = 32;  // batch norm wants no less

struct Budgets {
  Bytes ram;
  Bytes vram;
};

Budgets BudgetsOf(const PlanInput& input) {
  const MemoryOptions& memory = input.wishes.memory;
  const MemorySize all_but_a_reserve = MemorySize::Share(850);
  Budgets budgets;
  budgets.ram = memory.ram_budget.value_or(all_but_a_reserve).Of(input.device.ram);
  budgets.vram = memory.vram_budget.value_or(MemorySize::Share(1000)).Of(input.device.vram);
  return budgets;
}

// Workers, lanes, runners and the bucket as if memory were free (docs/memory.md section 7).
void ChooseProcesses(const PlanInput& input, Plan& plan) {
  const PlanWishes& wishes = input.wishes;
  const bool cpu = plan.device == DeviceKind::kCpu;
  const int cores = std::max(1, input.device.cores);
  const int usable_cores =
      cpu ? cores : std::max(1, cores - 2);  // the supervisor and the server want some
  const ForwardTime time = AssumedForwardTime(input.device, input.net, plan.inference_precision);
  const double busy_share = time.row_us / (time.row_us + kWorkerMicrosPerRow);
  const int by_work =
      std::clamp(static_cast<int>(usable_cores * busy_share + 0.999), 1, usable_cores);
  plan.runners = cpu ? wishes.runners.value_or(by_work) : 2;
  const int bucket = wishes.max_batch.value_or(cpu ? kCpuBucket : KneeBucket(time, kGpuBucket));
  FitBuckets(plan, bucket);

  // Enough rows in flight for every runner's batch and the one being filled, whatever the number of
  // workers.
  const int in_flight = plan.runners;
  const int wanted_rows = (in_flight + 1) * bucket;
  const auto pipeline = [&](int rows_a_worker) {
    return Pipeline{.time = time,
                    .runners = cpu ? plan.runners : 1,
                    .in_flight = in_flight,
                    .rows_a_worker = rows_a_worker};
  };
  const int most_rows = wishes.slots.value_or(kMaxBlocks * kRowsPerBlock);
  const auto workers_for = [&](int rows_a_worker) {
    // On a CPU one a core: workers sleep while the runners compute, and more of them hide each
    // other's waits.
    return cpu ? std::min(cores, kMaxAutoWorkers)
               : std::clamp(WorkersFor(pipeline(rows_a_worker), bucket), 1,
                            std::min(usable_cores, kMaxAutoWorkers));
  };
  plan.num_workers = wishes.num_workers.value_or(workers_for(most_rows));
  // In the arena a batch holds one model's rows, so half of a worker's rows.
  plan.arena_workers = wishes.arena_workers.value_or(workers_for(std::max(1, most_rows / 2)));
  plan.lanes = std::max(plan.num_workers, plan.arena_workers);
  const int share = (wanted_rows + plan.num_workers - 1) / plan.num_workers;
  const int whole_blocks = (share + kRowsPerBlock - 1) / kRowsPerBlock * kRowsPerBlock;
  plan.slots =
      wishes.slots.value_or(std::clamp(whole_blocks, kMinSlots, kMaxBlocks * kRowsPerBlock));
  FitLane(plan);
  const Pipeline chosen = pipeline(std::min(plan.slots, plan.blocks * plan.rows));
  plan.predicted_rows_per_s = RowsPerSecond(chosen, plan.num_workers, bucket);
  if (cpu) {  // runners and workers share the cores
    const double core_us_a_row = time.Micros(bucket) / bucket + kWorkerMicrosPerRow;
    plan.predicted_rows_per_s = std::min(plan.predicted_rows_per_s, cores * 1e6 / core_us_a_row);
  }
}

void ChooseLearner(const PlanInput& input, Plan& plan) {
  const bool cpu = plan.device == DeviceKind::kCpu;
  const int most_shards = std::max(1, input.wishes.batch / kMinShardRows);
  plan.learner_shards = cpu ? std::clamp(input.device.cores, 1, most_shards) : 1;
  plan.accumulate = input.wishes.accumulate.value_or(1);
  FitMicroBatch(input, plan);
}

Plan IdealPlan(const PlanInput& input) {
  Plan plan;
  plan.device = input.device.kind;
  const Precision fast = input.device.fast_bf16 ? Precision::kBf16 : Precision::kFp32;
  plan.inference_precision = input.wishes.inference_precision.value_or(fast);
  plan.train_precision = input.wishes.train_precision.value_or(fast);
  plan.cache = input.wishes.cache;
  plan.cuda_graphs = plan.device == DeviceKind::kCuda && input.wishes.cuda_graphs.value_or(true);
  ChooseProcesses(input, plan);
  ChooseLearner(input, plan);
  return plan;
}

// One plan of three rungs, with what it costs.
Plan Combine(const PlanInput& input, const Plan& host, const Plan& inference, const Plan& train,
             const Budgets& budgets) {
  Plan plan = host;
  if (plan.device == DeviceKind::kCuda) {
    plan.cuda_graphs = inference.cuda_graphs;
    plan.buckets = inference.buckets;
  }
  plan.learner_shards = train.learner_shards;
  plan.accumulate = train.accumulate;
  plan.micro_batch = train.micro_batch;
  plan.worker_bytes = WorkerBytes(input, plan);
  plan.ram_budget = budgets.ram;
  plan.ram_guard = RamGuard(budgets.ram);
  plan.ram = RamBill(input, plan);
  plan.vram = VramBill(input, plan);
  if (!plan.vram.empty()) {
    plan.vram_budget = budgets.vram;
    plan.vram_guard = VramGuard(budgets.vram);
  }
  return plan;
}

bool FitsRam(const Plan& plan) { return Peak(plan.ram) + plan.ram_guard <= plan.ram_budget; }
bool FitsVram(const Plan& plan) {
  return plan.vram.empty() || Peak(plan.vram) + plan.vram_guard <= plan.vram_budget;
}

bool Fits(const Plan& plan) { return FitsRam(plan) && FitsVram(plan); }

// The first plan that fits, rungs of training tried before those of inference, and those before the
// host's; or the smallest one, which then does not fit.
Plan FirstThatFits(const PlanInput& input, const Budgets& budgets) {
  const Plan ideal = IdealPlan(input);
  const std::vector<Plan> hosts = HostLadder(input, ideal);
  const std::vector<Plan> inferences = InferenceLadder(input, ideal);
  const std::vector<Plan> trains = TrainLadder(input, ideal);
  Plan plan;
  for (std::size_t h = 0; h < hosts.size(); ++h) {
    // Memory only falls down a ladder, so where the last rungs do not fit none does.
    plan = Combine(input, hosts[h], inferences.back(), trains.back(), budgets);
    if (!Fits(plan)) continue;
    for (std::size_t i = 0; i < inferences.size(); ++i) {
      for (std::size_t t = 0; t < trains.size(); ++t) {
        plan = Combine(input, hosts[h], inferences[i], trains[t], budgets);
        plan.host_rungs = static_cast<int>(h);
        plan.inference_rungs = static_cast<int>(i);
        plan.train_rungs = static_cast<int>(t);
        if (Fits(plan)) return plan;
      }
    }
  }
  return plan;
}

// The budget under which `peak` and its guard fit, in whole MiB.
Bytes LeastBudget(Bytes peak, Bytes least_guard) {
  const Bytes by_share((peak.count() * 50 + 48) / 49 + 1);
  const Bytes least = std::max(peak + least_guard, by_share);
  return MiB((least + MiB(1) - Bytes(1)) / MiB(1));
}

std::string TooLittle(std::string_view what, std::string_view key, Bytes budget, Bytes least,
                      const std::vector<PhaseBill>& bills) {
  const PhaseBill& worst =
      *std::ranges::max_element(bills, {}, [](const PhaseBill& bill) { return bill.total(); });
  std::vector<BillTerm> terms = worst.terms;
  std::ranges::stable_sort(terms, std::greater<>(), &BillTerm::bytes);
  std::vector<std::string> largest;
  for (std::size_t i = 0; i < std::min<std::size_t>(3, terms.size()); ++i) {
    largest.push_back(StrCat(terms[i].name, " ", FormatBytes(terms[i].bytes)));
  }
  return StrCat("too little ", what, ": the smallest plan needs ", FormatBytes(worst.total()),
                " in phase ", EnumName(worst.phase), " (", Join(largest, ", "),
                ", ...), the budget is ", FormatBytes(budget), "; the least that would do is ",
                FormatBytes(least), " (free some, raise ", key,
                ", or make the network, train.window_max or search.visits smaller)");
}

Error NothingFits(const Plan& smallest) {
  if (!FitsVram(smallest)) {
    return {Errc::kNoMemory,
            TooLittle("device memory", "memory.vram_budget", smallest.vram_budget,
                      LeastBudget(Peak(smallest.vram), VramGuard(Bytes())), smallest.vram)};
  }
  return {Errc::kNoMemory,
          TooLittle("memory", "memory.ram_budget", smallest.ram_budget,
                    LeastBudget(Peak(smallest.ram), RamGuard(Bytes())), smallest.ram)};
}

Result<void> CheckBudgets(const PlanInput& input, const Budgets& budgets) {
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
  return {};
}

}  // namespace

Bytes RamGuard(Bytes budget) { return std::max(MiB(16), budget / 50); }
Bytes VramGuard(Bytes budget) { return std::max(MiB(128), budget / 50); }

Result<Plan> MakePlan(const PlanInput& input) {
  const Budgets budgets = BudgetsOf(input);
  AZ_RETURN_IF_ERROR(CheckBudgets(input, budgets));
  Plan plan = FirstThatFits(input, budgets);
  if (Fits(plan)) {
    plan.reasons = ReasonsFor(input, IdealPlan(input), plan);
    return plan;
  }
  if (input.wishes.memory.on_overcommit == OnOvercommit::kRefuse) {
    PlanInput degrading = input;
    degrading.wishes.memory.on_overcommit = OnOvercommit::kDegrade;
    const Result<Plan> smaller = MakePlan(degrading);
    if (smaller) {
      return Error{Errc::kInvalid, StrCat("the numbers written in the config do not fit the memory "
                                          "budget (set them to auto, or ",
                                          "memory.on_overcommit: degrade, which would take: ",
                                          Join(smaller->reasons, "; "), ")")};
    }
    return smaller.error();
  }
  return NothingFits(plan);
}

}  // namespace az
