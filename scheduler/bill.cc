#include "scheduler/bill.h"

#include <algorithm>
#include <cstdint>

#include "base/strings.h"
#include "scheduler/footprint.h"
#include "scheduler/priors.h"

namespace az {
namespace {

constexpr std::int64_t kNodeBytes = 32;               // mcts/node.h
constexpr Bytes kGraph = MiB(2);                      // a captured bucket, beside its buffers
constexpr int kWindowMoveBytes = 32;  // a packed move and its share of the game's headers
constexpr int kPolicyEntryBytes = 4;  // action and weight

// Collects terms; drops those of no bytes.
class BillMaker {
 public:
  explicit BillMaker(PlanPhase phase) { bill_.phase = phase; }
  BillMaker& Add(std::string_view name, Bytes bytes, Basis basis) {
    if (bytes > Bytes()) bill_.terms.push_back({std::string(name), bytes, basis});
    return *this;
  }
  PhaseBill Take() { return std::move(bill_); }

 private:
  PhaseBill bill_;
};

// The network's memory on its device, whichever that is.
struct NetTerms {
  Bytes slot;         // weights of one model slot
  Bytes activations;  // of all batches that run at a time
  Bytes io;
  TrainingState state;
  Bytes step;  // saved rows and temporaries of a training step
};

NetTerms NetTermsOf(const PlanInput& input, const Plan& plan) {
  const int bucket = plan.buckets.back();
  const std::int64_t rows = std::int64_t{plan.runners} * bucket;
  const std::int64_t micro_rows = std::int64_t{plan.learner_shards} * plan.micro_batch;
  const NetShape& net = input.net;
  return {.slot = InferenceStateBytes(net, plan.inference_precision),
          .activations = InferenceRowBytes(net, plan.inference_precision) * rows,
          .io = IoRowBytes(net, input.game.words, plan.inference_precision) * rows,
          .state = TrainingStateBytes(net, plan.train_precision, plan.learner_shards),
          .step = TrainingRowBytes(net, plan.train_precision) * micro_rows +
                  StepTemporaryBytes(net) * plan.learner_shards};
}

// The network's terms of a phase; `slack` is what the allocator holds beyond what lives.
void AddNet(const NetTerms& net, PlanPhase phase, BillMaker& bill) {
  const bool plays = phase == PlanPhase::kSelfPlay || phase == PlanPhase::kArena;
  bill.Add("weights best", net.slot, Basis::kPredicted);
  if (phase == PlanPhase::kArena) bill.Add("weights candidate", net.slot, Basis::kPredicted);
  if (phase == PlanPhase::kPublish) bill.Add("weights being loaded", net.slot, Basis::kPredicted);
  bill.Add("training weights", net.state.weights, Basis::kPredicted)
      .Add("gradients", net.state.gradients, Basis::kPredicted)
      .Add("optimizer", net.state.optimizer, Basis::kPredicted)
      .Add("averaged weights", net.state.average, Basis::kPredicted)
      .Add("bf16 copies", net.state.casts, Basis::kPredicted);
  if (phase == PlanPhase::kTrain) bill.Add("activations", net.step, Basis::kPredicted);
  if (plays) bill.Add("activations", net.activations, Basis::kPredicted);
  if (plays) bill.Add("inputs and outputs", net.io, Basis::kPredicted);
}

Bytes LiveOf(const NetTerms& net, PlanPhase phase) {
  return phase == PlanPhase::kTrain ? net.step : net.activations + net.io;
}

// Positions in the window and batches being assembled.
Bytes WindowBytes(const PlanInput& input) {
  const std::int64_t position = kWindowMoveBytes + kPolicyEntryBytes * input.game.branching;
  return Bytes(input.wishes.window_positions * position);
}
Bytes PrefetchBytes(const PlanInput& input) {
  const NetShape& net = input.net;
  const std::int64_t floats = std::int64_t{net.planes} * net.cells() + net.actions + 4;
  const std::int64_t row = 8 * std::int64_t{input.game.words} + 4 * floats + net.actions;
  return Bytes((input.wishes.prefetch + 1) * std::int64_t{input.wishes.batch} * row);
}

}  // namespace

Bytes WorkerBytes(const PlanInput& input, const Plan& plan) {
  const auto tree = [&](int visits) {
    return Bytes(((std::int64_t{visits} + 1) * input.game.branching + 1) * kNodeBytes);
  };
  // A match slot holds a tree for each side. One spare tree a worker serves the reuse of subtrees.
  const Bytes slot = std::max(tree(input.wishes.visits), tree(input.wishes.arena_visits) * 2);
  return kWorkerBase + plan.cache + slot * plan.slots + tree(input.wishes.visits);
}

Bytes SegmentBytes(const PlanInput& input, const Plan& plan) {
  constexpr std::int64_t kPage = 4096;
  constexpr std::int64_t kLine = 64;
  const auto lines = [](std::int64_t bytes) { return (bytes + kLine - 1) / kLine * kLine; };
  const std::int64_t rows = plan.rows;
  const std::int64_t block =
      lines(rows * 8 * input.game.words) + lines(rows * 4 * input.net.actions) + lines(rows * 4);
  const std::int64_t lane = 2 * kPage + plan.blocks * (block + kLine);
  const std::int64_t pages = (lane + kPage - 1) / kPage;
  return Bytes(kPage + plan.lanes * pages * kPage);
}

std::vector<PhaseBill> RamBill(const PlanInput& input, const Plan& plan) {
  const NetTerms net = NetTermsOf(input, plan);
  const bool cpu = plan.device == DeviceKind::kCpu;
  std::vector<PhaseBill> bills;
  for (const auto& [phase, name] : EnumNames<PlanPhase>::value) {
    BillMaker bill(phase);
    bill.Add("supervisor", kSupervisorBase, Basis::kAssumed)
        .Add("device process", cpu ? kCpuDeviceBase : kCudaDeviceBase, Basis::kMeasured)
        .Add("workers", plan.worker_bytes * plan.lanes, Basis::kPredicted)
        .Add("segment", SegmentBytes(input, plan), Basis::kPredicted)
        .Add("replay window", WindowBytes(input), Basis::kPredicted);
    if (phase == PlanPhase::kTrain) {
      bill.Add("batches ahead", PrefetchBytes(input), Basis::kPredicted)
          .Add("checkpoint copies", net.state.saved() * 2, Basis::kPredicted);
    }
    if (cpu) {
      AddNet(net, phase, bill);
      // The C library's allocator was seen to hold up to 2.3 times what a training step keeps
      // alive.
      const Bytes live = LiveOf(net, phase);
      bill.Add("allocator slack", MiB(20) + live * 13 / 10, Basis::kAssumed);
    } else {
      bill.Add("pinned buffers", net.io, Basis::kPredicted);
    }
    bills.push_back(bill.Take());
  }
  return bills;
}

std::vector<PhaseBill> VramBill(const PlanInput& input, const Plan& plan) {
  std::vector<PhaseBill> bills;
  if (plan.device == DeviceKind::kCpu) return bills;
  const NetTerms net = NetTermsOf(input, plan);
  const auto buckets = static_cast<std::int64_t>(plan.buckets.size());
  for (const auto& [phase, name] : EnumNames<PlanPhase>::value) {
    const bool trains = phase == PlanPhase::kTrain;
    const int models = phase == PlanPhase::kArena ? 2 : 1;
    BillMaker bill(phase);
    bill.Add("context", kCudaContext, Basis::kAssumed)
        .Add("workspaces", kCublasWorkspace * (trains ? 3 : 2), Basis::kAssumed);
    AddNet(net, phase, bill);
    if (plan.cuda_graphs) {
      // A model's private pool for all its buckets; captured once, kept through the run.
      const Bytes pool = net.activations + kGraph * buckets;
      bill.Add("graphs", pool * models, Basis::kAssumed);
    }
    const Bytes live = LiveOf(net, phase);
    bill.Add("allocator slack", std::max(MiB(64), live / 10), Basis::kAssumed);
    bills.push_back(bill.Take());
  }
  return bills;
}

Bytes Peak(const std::vector<PhaseBill>& bills) {
  Bytes peak;
  for (const PhaseBill& bill : bills) peak = std::max(peak, bill.total());
  return peak;
}

}  // namespace az
