#include "scheduler/simulated_phases.h"

#include <algorithm>

#include "scheduler/priors.h"
#include "scheduler/simulated_device.h"
#include "scheduler/watch.h"

namespace az {
namespace {

constexpr std::int64_t kMostPieces = 128;  // pieces of a term

bool IsOutsideAllocator(const BillTerm& term) {
  return term.name == "context" || term.name == "allocator slack";
}

// The size of a term's tensors: those of a layer's activations or of a convolution's weights.
Bytes PieceOf(const PlanInput& input, const Plan& plan, PlanPhase phase, const BillTerm& term) {
  const NetShape& net = input.net;
  if (term.name == "activations") {
    const bool trains = phase == PlanPhase::kTrain;
    const std::int64_t rows = trains ? plan.micro_batch : plan.buckets.back();
    const Precision precision = trains ? plan.train_precision : plan.inference_precision;
    const std::int64_t element = precision == Precision::kBf16 ? 2 : 4;
    return Bytes(rows * net.filters * net.cells() * element);
  }
  if (term.name == "workspaces") return kCublasWorkspace;
  return Bytes(std::int64_t{9} * net.filters * net.filters * 4);
}

// The allocations of one run. Confined to SimulatePhases.
class Run {
 public:
  Run(const PlanInput& input, const Plan& plan)
      : input_(input), plan_(plan), device_(CardOf(input)) {
    refused_cap_ = !device_.SetCap(plan.allocator_cap).has_value();
  }

  SimulatedPhase Play(const PhaseBill& bill) {
    SimulatedPhase result{.phase = bill.phase, .predicted = bill.total()};
    if (refused_cap_) result.refused = "the plan leaves nothing for the allocator";
    device_.ResetPeaks();
    std::vector<BillTerm> terms = bill.terms;
    // Networks are loaded before anything runs on them.
    std::ranges::stable_sort(terms, std::ranges::greater(), &BillTerm::bytes);
    std::ranges::stable_partition(
        terms, [](const BillTerm& term) { return term.name.starts_with("weights "); });
    for (const BillTerm& term : terms) {
      if (!IsOutsideAllocator(term)) Allocate(bill.phase, term, result);
    }
    const MemorySnapshot seen = device_.Snapshot();
    result.peak = bill.terms.empty() ? Bytes() : *seen.reserved_peak + *seen.outside_allocator();
    result.fragmentation = Fragmentation(seen.inactive_split, seen.reserved).value_or(0);
    for (const SimulatedDevice::Piece piece : of_phase_) device_.Free(piece);
    of_phase_.clear();
    device_.EmptyCache();
    return result;
  }

 private:
  static SimulatedCardSpec CardOf(const PlanInput& input) {
    const DeviceFacts& facts = input.device;
    const Bytes total = std::max(facts.vram_total, facts.vram);
    const Bytes context = input.calibration.context.value_or(kCudaContext);
    return {.name = facts.name,
            .total = std::max(total, context),
            .context = context,
            .others = std::min(total - facts.vram, std::max(Bytes(), total - context)),
            .expandable = input.wishes.memory.expandable_segments.value_or(true)};
  }

  void Allocate(PlanPhase phase, const BillTerm& term, SimulatedPhase& result) {
    // The best network stays from phase to phase.
    const bool stays = term.name == "weights best";
    if (stays && has_best_) return;
    has_best_ = has_best_ || stays;
    const Bytes piece = std::max(PieceOf(input_, plan_, phase, term), term.bytes / kMostPieces);
    for (Bytes left = term.bytes; left > Bytes(); left -= std::min(left, piece)) {
      const Result<SimulatedDevice::Piece> taken = device_.Allocate(std::min(left, piece));
      if (!taken) {
        if (result.refused.empty()) result.refused = taken.error().message;
        return;
      }
      if (!stays) of_phase_.push_back(*taken);
    }
  }

  const PlanInput& input_;
  const Plan& plan_;
  SimulatedDevice device_;
  bool refused_cap_ = false;
  bool has_best_ = false;
  std::vector<SimulatedDevice::Piece> of_phase_;
};

}  // namespace

std::vector<SimulatedPhase> SimulatePhases(const PlanInput& input, const Plan& plan) {
  if (plan.vram.empty() || plan.model_sharing != ModelSharing::kShared) return {};
  Run run(input, plan);
  std::vector<SimulatedPhase> phases;
  for (int iteration = 0; iteration < 2; ++iteration) {
    phases.clear();
    for (const PhaseBill& bill : plan.vram) phases.push_back(run.Play(bill));
  }
  return phases;
}

}  // namespace az
