#include "scheduler/per_worker_bill.h"

#include <algorithm>
#include <string>
#include <utility>

#include "base/strings.h"
#include "scheduler/bill.h"
#include "scheduler/diagnosis.h"
#include "scheduler/footprint.h"
#include "scheduler/priors.h"
#include "scheduler/text_table.h"
#include "scheduler/worker_bytes.h"

namespace az {
namespace {

// Sizes of one process of a kind.
struct Process {
  int models = 0;
  Bytes torch;  // of its allocator, on its device
  Bytes host;   // without that
};

// Seg(x) of the header.
Bytes Segments(Bytes live) {
  const Bytes step = MiB(20);
  return MiB(2) + step * ((live + step - Bytes(1)) / step);
}

class Usual {
 public:
  Usual(const PlanInput& input, const Plan& plan)
      : net_(input.net), gpu_(input.device.kind == DeviceKind::kCuda) {
    Plan single = plan;  // a process plays one game and caches nothing
    single.slots = 1;
    single.cache = Bytes();
    trees_ = WorkerBytes(input, single);
    context_ = !gpu_ ? Bytes() : input.calibration.context.value_or(kCudaContext);
    base_ = gpu_ ? kCudaDeviceBase : kCpuDeviceBase;
    workspace_ = gpu_ ? kCublasWorkspace : Bytes();
    const TrainingState state = TrainingStateBytes(net_, Precision::kFp32, 1);
    const Bytes parameters = Bytes(4 * ParameterCount(net_));
    // Weights of the network and of the best one, gradients, two moments: 24 P with nothing
    // averaged.
    const Bytes held = state.weights * 2 + parameters + state.optimizer;
    main_ = {
        .models = 2,
        .torch = workspace_ + held + TrainingRowBytes(net_, Precision::kFp32) * input.wishes.batch,
        .host = base_};
    for (const PhaseBill& bill :
         plan.ram) {  // the positions are the main process's in both designs
      for (const BillTerm& term : bill.terms) {
        if (bill.phase == PlanPhase::kSelfPlay && term.name == "replay window") {
          main_.host += term.bytes;
        }
      }
    }
  }

  Process Unit(int models) const {
    const Bytes weights = Bytes(4 * (ParameterCount(net_) + RunningStatCount(net_)));
    const Bytes rows = Bytes(std::int64_t{kPerWorkerRows} * 4 * 4 * net_.filters * net_.cells());
    const Bytes live = workspace_ + weights * models + rows;
    return {.models = models, .torch = gpu_ ? Segments(live) : live, .host = base_ + trees_};
  }

  // Self-play, and in each worker the new weights beside the old ones.
  PerWorkerPhase Publish(int workers) const {
    PerWorkerPhase sum = Phase(PlanPhase::kPublish, workers, 0);
    const Bytes more = (Unit(2).torch - Unit(1).torch) * workers;
    sum.models += workers;
    sum.torch += more;
    (gpu_ ? sum.device : sum.host) += more;
    if (gpu_) sum.device_at_most += more;
    return sum;
  }

  // The main process and these many others.
  PerWorkerPhase Phase(PlanPhase phase, int workers, int arena_workers) const {
    const Process one = Unit(1);
    const Process two = Unit(2);
    PerWorkerPhase sum{.phase = phase, .processes = 1 + workers + arena_workers};
    sum.contexts = gpu_ ? sum.processes : 0;
    sum.models = main_.models + workers * one.models + arena_workers * two.models;
    sum.context = context_ * sum.contexts;
    sum.torch = main_.torch + one.torch * workers + two.torch * arena_workers;
    sum.host = main_.host + one.host * workers + two.host * arena_workers;
    if (gpu_) {
      sum.device = sum.context + sum.torch;
      sum.device_at_most = std::max(context_, kLargeCudaContext) * sum.contexts + sum.torch;
    } else {
      sum.host += sum.torch;
    }
    return sum;
  }

 private:
  const NetShape net_;
  const bool gpu_;
  Bytes trees_;
  Bytes context_;
  Bytes base_;
  Bytes workspace_;
  Process main_;
};

// The most workers for which `bytes` of a self-play phase is within the budget; 0: not even one.
int MostWorkers(const Usual& usual, Bytes budget, Bytes PerWorkerPhase::*bytes) {
  const Bytes none = usual.Phase(PlanPhase::kSelfPlay, 0, 0).*bytes;
  const Bytes one = usual.Phase(PlanPhase::kSelfPlay, 1, 0).*bytes - none;
  if (none > budget) return 0;
  return static_cast<int>((budget - none) / one);
}

std::string Outcome(const PerWorkerPhase& phase, const Plan& plan) {
  if (phase.host > plan.ram_budget) return "NO: host memory";
  if (plan.vram.empty()) return "fits";
  if (phase.device > plan.vram_budget) return "NO: device memory";
  if (phase.device_at_most > plan.vram_budget) {
    return StrCat("fits; NO at ", FormatBytes(kLargeCudaContext), " a context");
  }
  return "fits";
}

Bytes PhaseTotal(const std::vector<PhaseBill>& bills, PlanPhase phase) {
  const auto found = std::ranges::find(bills, phase, &PhaseBill::phase);
  return found == bills.end() ? Bytes() : found->total();
}

std::string Table(const PlanInput& input, const Plan& plan, const PerWorkerBill& bill) {
  const bool gpu = input.device.kind == DeviceKind::kCuda;
  std::vector<TableColumn> columns = {{"design", Align::kLeft}, {"phase", Align::kLeft}};
  columns.insert(columns.end(), {{"processes"}, {"contexts"}, {"models"}});
  if (gpu) columns.insert(columns.end(), {{"context MiB"}, {"torch MiB"}, {"device MiB"}});
  columns.insert(columns.end(), {{"host MiB"}, {"status", Align::kLeft}});
  TextTable table(std::move(columns));
  for (const PerWorkerPhase& phase : bill.phases) {
    std::vector<std::string> cells = {"per_worker", std::string(EnumName(phase.phase)),
                                      StrCat(phase.processes), StrCat(phase.contexts),
                                      StrCat(phase.models)};
    if (gpu) {
      for (const Bytes bytes : {phase.context, phase.torch, phase.device}) {
        cells.push_back(InMiB(bytes));
      }
    }
    cells.insert(cells.end(), {InMiB(phase.host), Outcome(phase, plan)});
    table.Add(std::move(cells));
  }
  for (const auto& [phase, name] : EnumNames<PlanPhase>::value) {
    std::vector<std::string> cells = {"shared", std::string(name), StrCat(2 + plan.lanes),
                                      gpu ? "1" : "0",
                                      phase == PlanPhase::kSelfPlay || phase == PlanPhase::kTrain
                                          ? "2"
                                          : "3"};  // best, trained; candidate or newcomer
    if (gpu) {
      const Bytes context = input.calibration.context.value_or(kCudaContext);
      const Bytes total = PhaseTotal(plan.vram, phase);
      cells.insert(cells.end(), {InMiB(context), InMiB(total - context), InMiB(total)});
    }
    cells.insert(cells.end(), {InMiB(PhaseTotal(plan.ram, phase)), "fits"});
    table.Add(std::move(cells));
  }
  return table.Text();
}

// "per_worker: 10 + 4 processes: the usual design's".
std::string BilledWorkers(const PlanInput& input, const PerWorkerBill& bill) {
  const auto from = [](bool written) {
    return written ? "written in the config" : "the usual design's";
  };
  const bool workers = input.wishes.num_workers.has_value();
  const bool arena_workers = input.wishes.arena_workers.has_value();
  const std::string both =
      StrCat("per_worker: ", bill.workers, " + ", bill.arena_workers, " processes: ");
  if (workers == arena_workers) return StrCat(both, from(workers), "\n");
  return StrCat(both, bill.workers, " ", from(workers), ", ", bill.arena_workers, " ",
                from(arena_workers), "\n");
}

std::string AtMost(int workers) {
  return workers < 0 ? "any number of" : StrCat("at most ", workers);
}

}  // namespace

PerWorkerBill MakePerWorkerBill(const PlanInput& input, const Plan& plan) {
  const Usual usual(input, plan);
  PerWorkerBill bill;
  // A plan shares one network among few workers; its auto numbers say nothing about that design.
  const PlanWishes& wishes = input.wishes;
  const int workers = wishes.num_workers ? plan.num_workers : kUsualWorkers;
  const int arena_workers = wishes.arena_workers ? plan.arena_workers : kUsualArenaWorkers;
  bill.workers = workers;
  bill.arena_workers = arena_workers;
  bill.phases = {usual.Phase(PlanPhase::kSelfPlay, workers, 0),
                 usual.Phase(PlanPhase::kTrain, workers, 0),
                 usual.Phase(PlanPhase::kArena, workers, arena_workers), usual.Publish(workers)};
  bill.most_by_host = MostWorkers(usual, plan.ram_budget, &PerWorkerPhase::host);
  if (!plan.vram.empty()) {
    bill.most_by_device = MostWorkers(usual, plan.vram_budget, &PerWorkerPhase::device);
    bill.most_by_device_at_most =
        MostWorkers(usual, plan.vram_budget, &PerWorkerPhase::device_at_most);
  }
  return bill;
}

std::string ComparisonReport(const PlanInput& input, const Plan& plan) {
  const PerWorkerBill bill = MakePerWorkerBill(input, plan);
  const bool gpu = !plan.vram.empty();
  std::string out =
      StrCat("per_worker: each process its own network and ", gpu ? "CUDA context, " : "LibTorch, ",
             "fp32, ", kPerWorkerRows, " rows a time\nshared: this plan. All of it assumed: ",
             gpu ? "contexts and programs are priors" : "programs are priors",
             input.device.simulated ? ". SIMULATED" : "", "\n", BilledWorkers(input, bill),
             Table(input, plan, bill));
  if (gpu) {
    out += StrCat(
        "shared: ", InMiB(Peak(plan.vram)),
        " MiB of device memory at any worker count\nper_worker: ", AtMost(bill.most_by_device),
        " self-play workers; ", AtMost(bill.most_by_device_at_most), " with contexts of ",
        FormatBytes(kLargeCudaContext), "; no arena counted\n");
  }
  const bool device_first = gpu && bill.most_by_device <= bill.most_by_host;
  return StrCat(out, "per_worker runs out of ", device_first ? "device" : "host",
                " memory first: ", AtMost(device_first ? bill.most_by_device : bill.most_by_host),
                " self-play workers, without an arena\n");
}

}  // namespace az
