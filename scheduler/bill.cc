#include "scheduler/bill.h"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <optional>

#include "base/strings.h"
#include "scheduler/footprint.h"
#include "scheduler/placement.h"
#include "scheduler/priors.h"
#include "scheduler/throughput.h"
#include "scheduler/worker_bytes.h"

namespace az {
namespace {

constexpr Bytes kGraph = MiB(2);  // a captured bucket, beside its buffers
constexpr Bytes kLibraryPlans =
    MiB(10);                          // oneDNN keeps code and plans of each layer and batch size
constexpr int kWindowMoveBytes = 32;  // a packed move and its share of the game's headers
constexpr int kPolicyEntryBytes = 4;  // action and weight
constexpr int kKeyBytes = 8;          // of a position, where equal ones are merged
constexpr int kWeightBytes = 4;       // of a position, where they differ
// A position's entry in the index of samples, and its place while that is made.
constexpr int kIndexBytes = 20 + 16;

// Adds up a phase; with a bill to fill in it also keeps the terms. Terms of no bytes are dropped.
class BillMaker {
 public:
  explicit BillMaker(PhaseBill* bill) : bill_(bill) {}
  BillMaker& Add(std::string_view name, Bytes bytes, Basis basis) {
    if (bytes <= Bytes()) return *this;
    total_ += bytes;
    if (bill_ != nullptr) bill_->terms.push_back({std::string(name), bytes, basis});
    return *this;
  }
  Bytes total() const { return total_; }

 private:
  PhaseBill* bill_;
  Bytes total_;
};

// What the terms of a bill are made from: computed once, used in every phase.
struct Terms {
  // Of the host.
  Bytes workers;
  Bytes segment;
  Bytes window;
  Bytes prefetch;
  // Of the network on its device, whichever that is.
  Bytes slot;         // weights of one model slot, the larger of a match
  Bytes other_slot;   // and the smaller
  int networks = 1;   // of different sizes
  Bytes batch;        // activations of one batch in flight
  Bytes activations;  // of all batches that run at a time
  Basis activations_basis;
  Bytes io;
  TrainingState state;
  Bytes step;  // saved rows and temporaries of a training step
  Basis step_basis;
};

Bytes SupervisorBytes(const PlanInput& input) { return kSupervisorBase + input.wishes.solver; }

// Positions in the window and batches being assembled.
Bytes WindowBytes(const PlanInput& input) {
  const PlanWishes& wishes = input.wishes;
  std::int64_t position = kWindowMoveBytes + kPolicyEntryBytes * input.game.branching;
  if (wishes.merges_positions || wishes.weighs_positions) position += kIndexBytes;
  if (wishes.merges_positions) position += kKeyBytes;
  if (wishes.weighs_positions) position += kWeightBytes;
  return Bytes(wishes.window_positions * position);
}
Bytes PrefetchBytes(const PlanInput& input) {
  const NetShape& net = input.net;
  const std::int64_t heads =
      (net.opponent_head ? net.actions + 1 : 0) + (net.short_term_head ? 1 : 0);
  const std::int64_t shares = input.wishes.merges_positions ? 3 : 0;
  const std::int64_t floats =
      std::int64_t{net.planes} * net.cells() + net.actions + 4 + heads + shares;
  const std::int64_t row = 8 * std::int64_t{input.game.words} + 4 * floats + net.actions;
  return Bytes((input.wishes.prefetch + 1) * std::int64_t{input.wishes.batch} * row);
}

const ProbedInference* Probed(const PlanInput& input, const Plan& plan) {
  for (const ProbedInference& probed : input.calibration.inference) {
    if (probed.precision == plan.inference_precision) return &probed;
  }
  return nullptr;
}
const ProbedTraining* ProbedStep(const PlanInput& input, const Plan& plan) {
  for (const ProbedTraining& probed : input.calibration.training) {
    if (probed.precision == plan.train_precision &&
        probed.checkpoint_blocks == plan.checkpoint_blocks) {
      return &probed;
    }
  }
  return nullptr;
}

// Measured only for exactly what was run: this size, with this many at once.
Basis BasisOf(const FittedPeak& peak, int rows, bool ran_together) {
  return ran_together && peak.WasSeen(rows) ? Basis::kMeasured : Basis::kPredicted;
}

// A CPU has several forms of inference, and which one a processor takes is not known here: the
// largest is billed.
bool MayBeDirect(const Plan& plan) {
  return plan.device == DeviceKind::kCpu && plan.inference_precision == Precision::kBf16;
}
Bytes SlotBytes(const NetShape& net, const Plan& plan) {
  const auto plain = [&](CpuUnit unit) {
    return InferenceStateBytes(net, plan.inference_precision, unit);
  };
  if (!MayBeDirect(plan)) return plain(CpuUnit::kVectors);
  return std::max({plain(CpuUnit::kVectors), plain(CpuUnit::kTiles), DirectStateBytes(net)});
}
Bytes ForwardBytes(const NetShape& net, const Plan& plan) {  // of a runner
  const auto plain = [&](CpuUnit unit) {
    return InferenceBatchBytes(net, plan.inference_precision, plan.buckets.back(), unit);
  };
  if (!MayBeDirect(plan)) return plain(CpuUnit::kVectors);
  return std::max(
      {plain(CpuUnit::kVectors), plain(CpuUnit::kTiles), DirectScratchBytes(net, CpuUnit::kTiles)});
}

// Any two players of a tournament may meet: the two largest are billed, and any runner may run the
// largest forward.
void AddMatchNets(const PlanInput& input, const Plan& plan, Terms& terms) {
  if (input.match_nets.empty()) return;
  std::vector<Bytes> slots = {terms.slot};
  std::vector<NetShape> sizes = {input.net};
  for (const NetShape& net : input.match_nets) {
    slots.push_back(SlotBytes(net, plan));
    if (std::ranges::count(sizes, net) > 0) continue;
    sizes.push_back(net);
    const Bytes batch = ForwardBytes(net, plan);
    if (batch <= terms.batch) continue;
    terms.batch = batch;
    terms.activations = batch * plan.runners;
    terms.activations_basis = Basis::kPredicted;
  }
  std::ranges::sort(slots, std::ranges::greater());
  terms.slot = slots[0];
  terms.other_slot = slots[1];
  terms.networks = static_cast<int>(sizes.size());
}

Terms TermsOf(const PlanInput& input, const Plan& plan) {
  const int bucket = plan.buckets.back();
  const std::int64_t rows = std::int64_t{plan.runners} * bucket;
  const NetShape& net = input.net;
  Terms terms = {.workers = WorkerBytes(input, plan) * plan.lanes,
                 .segment = SegmentBytes(input, plan),
                 .window = WindowBytes(input),
                 .prefetch = PrefetchBytes(input),
                 .slot = SlotBytes(net, plan),
                 .other_slot = SlotBytes(net, plan),
                 .batch = ForwardBytes(net, plan),
                 .activations = ForwardBytes(net, plan) * plan.runners,
                 .activations_basis = Basis::kPredicted,
                 .io = IoRowBytes(net, input.game.words, plan.inference_precision) * rows,
                 .state = TrainingStateBytes(net, plan.train_precision, plan.learner_shards),
                 .step = TrainingStepBytes(net, plan.train_precision, plan.checkpoint_blocks,
                                           plan.micro_batch) *
                         plan.learner_shards,
                 .step_basis = Basis::kPredicted};
  if (const ProbedInference* probed = Probed(input, plan)) {
    terms.batch = probed->peak.At(bucket);
    terms.activations = terms.batch * RunAtOnce(plan);
    terms.activations_basis = BasisOf(probed->peak, bucket, probed->at_once == RunAtOnce(plan));
  }
  if (const ProbedTraining* probed = ProbedStep(input, plan)) {
    terms.step = probed->peak.At(plan.micro_batch) * plan.learner_shards;
    terms.step_basis =
        BasisOf(probed->peak, plan.micro_batch, probed->at_once == plan.learner_shards);
  }
  AddMatchNets(input, plan, terms);
  return terms;
}

// The network's terms of a phase. The learner's state lives in training alone: between trainings it
// is a checkpoint.
void AddNet(const Terms& terms, PlanPhase phase, BillMaker& bill) {
  const bool plays = phase == PlanPhase::kSelfPlay || phase == PlanPhase::kArena;
  bill.Add("weights best", terms.slot, Basis::kPredicted);
  if (phase == PlanPhase::kArena) {
    bill.Add("weights candidate", terms.other_slot, Basis::kPredicted);
  }
  if (phase == PlanPhase::kPublish) bill.Add("weights being loaded", terms.slot, Basis::kPredicted);
  if (phase == PlanPhase::kTrain) {
    bill.Add("training weights", terms.state.weights, Basis::kPredicted)
        .Add("gradients", terms.state.gradients, Basis::kPredicted)
        .Add("optimizer", terms.state.optimizer, Basis::kPredicted)
        .Add("averaged weights", terms.state.average, Basis::kPredicted)
        .Add("bf16 copies", terms.state.casts, Basis::kPredicted)
        .Add("activations", terms.step, terms.step_basis);
  }
  if (plays) bill.Add("activations", terms.activations, terms.activations_basis);
  if (plays) bill.Add("inputs and outputs", terms.io, Basis::kPredicted);
}

Bytes LiveOf(const Terms& terms, PlanPhase phase) {
  return phase == PlanPhase::kTrain ? terms.step : terms.activations + terms.io;
}

// A worker's device process of its own, with one batch at a time: its networks, buffers and slack,
// without what any process of that kind has.
Bytes OwnNetworks(const Plan& plan, const Terms& terms, PlanPhase phase) {
  Bytes slots = terms.slot;
  if (phase == PlanPhase::kArena) slots += terms.other_slot;
  if (phase == PlanPhase::kPublish) slots += terms.slot;
  return slots + terms.batch + terms.io / plan.runners;
}

// A device process without what it holds. Beside a GPU the processor's has the same libraries.
Bytes DeviceBase(const Plan& plan) {
  return plan.device == DeviceKind::kCuda || plan.on_cpu.any() ? kCudaDeviceBase : kCpuDeviceBase;
}

// One phase of host memory.
void AddRam(const PlanInput& input, const Plan& plan, const Terms& terms, PlanPhase phase,
            BillMaker& bill) {
  const bool cpu = plan.device == DeviceKind::kCpu;
  const Bytes base = DeviceBase(plan);
  bill.Add("supervisor", SupervisorBytes(input), Basis::kAssumed)
      .Add("device process", base, Basis::kAssumed)
      .Add("workers", terms.workers, Basis::kPredicted)
      .Add("segment", terms.segment, Basis::kPredicted)
      .Add("replay window", terms.window, Basis::kPredicted);
  if (plan.model_sharing == ModelSharing::kPerWorker) {
    const Bytes slack = MiB(20) + kLibraryPlans * terms.networks +
                        (terms.batch + terms.io / plan.runners) * 13 / 10;
    const Bytes networks = cpu ? OwnNetworks(plan, terms, phase) + slack : terms.io / plan.runners;
    bill.Add("workers' networks", (base + networks) * plan.lanes, Basis::kAssumed);
  }
  if (phase == PlanPhase::kTrain) {
    bill.Add("batches ahead", terms.prefetch, Basis::kPredicted)
        .Add("checkpoint copies", terms.state.saved() * 2, Basis::kPredicted);
  }
  if (!cpu) {
    bill.Add("pinned buffers", terms.io, Basis::kPredicted);
    return;
  }
  AddNet(terms, phase, bill);
  const Bytes state = phase == PlanPhase::kTrain ? terms.state.total() : terms.slot * 2;
  bill.Add("allocator slack",
           kLibraryPlans * terms.networks + CpuSlackBytes(state + LiveOf(terms, phase)),
           Basis::kAssumed);
}

// One phase of a GPU's memory.
void AddVram(const PlanInput& input, const Plan& plan, const Terms& terms, PlanPhase phase,
             BillMaker& bill) {
  const Calibration& seen = input.calibration;
  const std::int64_t streams = phase == PlanPhase::kTrain ? 3 : 2;
  const int models = phase == PlanPhase::kArena ? 2 : 1;
  const Bytes context = seen.context.value_or(kCudaContext);
  // Each batch in flight has a private pool a model for all buckets.
  const auto captures = static_cast<std::int64_t>(plan.buckets.size()) * plan.runners;
  const Bytes graphs =
      plan.cuda_graphs ? (terms.batch * plan.runners + kGraph * captures) * models : Bytes();
  bill.Add("context", context, seen.context ? Basis::kMeasured : Basis::kAssumed)
      .Add("workspaces", kCublasWorkspace * streams, Basis::kAssumed);
  AddNet(terms, phase, bill);
  bill.Add("graphs", graphs, Basis::kAssumed);
  if (plan.model_sharing == ModelSharing::kPerWorker) {
    const Bytes own =
        context + kCublasWorkspace * 2 + OwnNetworks(plan, terms, phase) + graphs + MiB(64);
    bill.Add("workers' networks", own * plan.lanes, Basis::kAssumed);
  }
  bill.Add("allocator slack", std::max(MiB(64), LiveOf(terms, phase) / 10), Basis::kAssumed);
}

using AddPhase = void (*)(const PlanInput&, const Plan&, const Terms&, PlanPhase, BillMaker&);

// A plan with what its bills are made from. Phases on the processor beside a GPU are billed as its
// process has them; before its sizes are chosen by a plan of their own, they are in that one's bill
// alone.
class Billed {
 public:
  Billed(const PlanInput& input, const Plan& plan)
      : input_(input), plan_(plan), terms_(TermsOf(input, plan)) {
    if (plan.device != DeviceKind::kCuda || plan.on_cpu.buckets.empty()) return;
    cpu_input_ = InputOnCpu(input, plan.on_cpu);
    cpu_plan_ = PlanOnCpu(plan);
    cpu_terms_ = TermsOf(*cpu_input_, *cpu_plan_);
  }
  void Add(AddPhase add, PlanPhase phase, BillMaker& bill) const {
    const bool is_mine =
        !plan_.on_cpu.any() || plan_.on_cpu.Serves(phase) == (plan_.device == DeviceKind::kCpu);
    if (is_mine) {
      add(input_, plan_, terms_, phase, bill);
    } else if (cpu_plan_ && add == AddRam) {
      AddRam(*cpu_input_, *cpu_plan_, *cpu_terms_, phase, bill);
    }
  }

 private:
  const PlanInput& input_;
  const Plan& plan_;
  Terms terms_;
  std::optional<PlanInput> cpu_input_;
  std::optional<Plan> cpu_plan_;
  std::optional<Terms> cpu_terms_;
};

bool Has(const PlanInput& input, PlanPhase phase) {
  return !input.wishes.matches_alone || phase == PlanPhase::kArena;
}

std::vector<PhaseBill> Bills(const PlanInput& input, const Plan& plan, AddPhase add) {
  const Billed billed(input, plan);
  std::vector<PhaseBill> bills;
  for (const auto& [phase, name] : EnumNames<PlanPhase>::value) {
    if (!Has(input, phase)) continue;
    PhaseBill& bill = bills.emplace_back();
    bill.phase = phase;
    bill.terms.reserve(20);
    BillMaker maker(&bill);
    billed.Add(add, phase, maker);
  }
  return bills;
}

Bytes PeakOf(const PlanInput& input, const Plan& plan, AddPhase add) {
  const Billed billed(input, plan);
  Bytes peak;
  for (const auto& [phase, name] : EnumNames<PlanPhase>::value) {
    if (!Has(input, phase)) continue;
    BillMaker maker(nullptr);
    billed.Add(add, phase, maker);
    peak = std::max(peak, maker.total());
  }
  return peak;
}

}  // namespace

std::vector<PhaseBill> RamBill(const PlanInput& input, const Plan& plan) {
  return Bills(input, plan, AddRam);
}

std::vector<PhaseBill> VramBill(const PlanInput& input, const Plan& plan) {
  if (plan.device == DeviceKind::kCpu) return {};
  return Bills(input, plan, AddVram);
}

Bytes RamPeak(const PlanInput& input, const Plan& plan) { return PeakOf(input, plan, AddRam); }
Bytes VramPeak(const PlanInput& input, const Plan& plan) {
  return plan.device == DeviceKind::kCpu ? Bytes() : PeakOf(input, plan, AddVram);
}
PeakBytes PeaksOf(const PlanInput& input, const Plan& plan) {
  return {RamPeak(input, plan), VramPeak(input, plan)};
}

namespace {

// All that the workers' own device processes take at their peak; 0 in the shared design.
Bytes OwnProcesses(const PlanInput& input, const Plan& plan) {
  Plan shared = plan;
  shared.model_sharing = ModelSharing::kShared;
  return RamPeak(input, plan) - RamPeak(input, shared);
}

}  // namespace

Bytes AllocatorCap(const PlanInput& input, const Plan& plan) {
  if (plan.device == DeviceKind::kCuda) {
    const Bytes context = input.calibration.context.value_or(kCudaContext);
    return std::max(Bytes(), plan.vram_budget - plan.vram_guard - context);
  }
  const Bytes others = SupervisorBytes(input) + DeviceBase(plan) +
                       WorkerBytes(input, plan) * plan.lanes + SegmentBytes(input, plan) +
                       WindowBytes(input) + PrefetchBytes(input) + OwnProcesses(input, plan);
  return std::max(Bytes(), plan.ram_budget - plan.ram_guard - others);
}

Basis BasisOfTotal(const PhaseBill& bill) {
  // That a phase takes nothing is what the plan says; nobody has looked.
  Basis weakest = bill.terms.empty() ? Basis::kPredicted : Basis::kMeasured;
  for (const BillTerm& term : bill.terms) weakest = std::max(weakest, term.basis);
  return weakest;
}
Basis BasisOfPeak(const std::vector<PhaseBill>& bills) {
  const Bytes peak = Peak(bills);
  const auto bill =
      std::ranges::find_if(bills, [peak](const PhaseBill& one) { return one.total() == peak; });
  return bill == bills.end() ? Basis::kPredicted : BasisOfTotal(*bill);
}

Bytes Peak(const std::vector<PhaseBill>& bills) {
  Bytes peak;
  for (const PhaseBill& bill : bills) peak = std::max(peak, bill.total());
  return peak;
}

}  // namespace az
