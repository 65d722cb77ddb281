// Weights that the device has no room for: rungs of inference until it has.

#include <algorithm>

#include "base/strings.h"
#include "engine/loop/governor.h"
#include "scheduler/planner.h"

namespace az {
namespace {

// What the plan says that one slot's weights take in the process of this phase.
Bytes SlotBytes(const std::vector<PhaseBill>& bills, PlanPhase phase) {
  for (const PhaseBill& bill : bills) {
    if (bill.phase != phase) continue;
    for (const BillTerm& term : bill.terms) {
      if (term.name == "weights best") return term.bytes;
    }
  }
  return Bytes();
}

std::int64_t WholeMiB(Bytes bytes) { return (bytes + MiB(1) - Bytes(1)) / MiB(1); }

}  // namespace

Result<void> Governor::Load(int slot, const std::filesystem::path& checkpoint,
                            std::uint64_t version) {
  while (true) {
    const Result<void> loaded = s_.fleet.Load(slot, checkpoint, version);
    TakeReports();
    if (loaded || loaded.error().code != Errc::kNoMemory) return loaded;
    AZ_RETURN_IF_ERROR(MakeRoom(loaded.error()));
  }
}

Result<void> Governor::Prepare(PlanPhase phase) {
  serving_ = phase;
  const Result<void> placed = s_.fleet.Place(phase);
  TakeReports();
  if (placed || placed.error().code != Errc::kNoMemory) return placed;
  return MakeRoom(placed.error());
}

Result<void> Governor::Play(const std::function<Result<void>()>& play) {
  while (true) {
    const Result<void> played = play();
    if (played || played.error().code != Errc::kNoMemory) return played;
    TakeReports();
    AZ_RETURN_IF_ERROR(MakeRoom(played.error()));
  }
}

// The device has emptied its caches and tried twice.
Result<void> Governor::MakeRoom(const Error& refused) {
  const bool is_host = IsBesideGpu();
  MemoryState state = s_.state;
  TakeRungOf(is_host ? Ladder::kHost : Ladder::kInference, s_.plan, state, in_force_);
  const Result<Plan> next = MakePlan(WithLearned(s_.input, state));
  const bool is_lower = next && (is_host ? next->host_rungs > s_.plan.host_rungs
                                         : next->inference_rungs > s_.plan.inference_rungs);
  if (!is_lower) return NoRoom(refused);
  OnOom({.where = "load",
         .text = refused.message,
         .rung = is_host ? "less for workers" : "less for batches"});
  must_plan_ = false;
  AZ_ASSIGN_OR_RETURN(const bool planned, PlanAgain(s_.state, "weights did not fit"));
  if (!planned) return NoRoom(refused);
  return {};
}

Error Governor::NoRoom(const Error& refused) const {
  const bool is_beside = IsBesideGpu();
  const bool on_gpu = s_.plan.device == DeviceKind::kCuda && !is_beside;
  const Bytes budget = on_gpu ? s_.plan.vram_budget : s_.plan.ram_budget;
  const int rows = is_beside ? s_.plan.on_cpu.buckets.back() : s_.plan.buckets.back();
  const std::string_view given_up = is_beside
                                        ? ", on the processor, leave no room, and the workers have "
                                          "nothing more to give up"
                                        : ", are the least already";
  // All that was missing is a part of what the weights take.
  const Bytes enough = budget + SlotBytes(on_gpu ? s_.plan.vram : s_.plan.ram, serving_);
  return {
      Errc::kNoMemory,
      StrCat(refused.message, "; batches of ", rows, " rows, ", runners(), " at a time", given_up,
             ", and the budget is ", FormatBytes(budget), "; the least that would do is ",
             WholeMiB(enough), " MiB (raise ", on_gpu ? "memory.vram_budget" : "memory.ram_budget",
             " and see that no other program takes it, or make the network smaller)")};
}

}  // namespace az
