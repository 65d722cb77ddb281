#include "engine/memory/rungs.h"

#include <algorithm>
#include <utility>

#include "scheduler/bill.h"
#include "scheduler/reasons.h"
#include "scheduler/worker_bytes.h"

namespace az {
namespace {

PlanPhase PhaseOf(Ladder ladder) {
  return ladder == Ladder::kTrain ? PlanPhase::kTrain : PlanPhase::kSelfPlay;
}

FailedSizes Failed(Ladder ladder, const Plan& plan, const SizesInForce& in_force) {
  if (ladder == Ladder::kTrain) {
    return {.phase = PlanPhase::kTrain,
            .rows = in_force.micro_batch * plan.learner_shards,
            .precision = plan.train_precision,
            .checkpoint_blocks = in_force.checkpoint_blocks,
            .on_cpu = plan.device == DeviceKind::kCpu || plan.on_cpu.train};
  }
  return {.phase = PlanPhase::kSelfPlay,
          .rows = in_force.largest_bucket,
          .precision = plan.inference_precision,
          .on_cpu = plan.device == DeviceKind::kCpu};
}

// Sizes no lower than those that training has come down to.
bool IsKnown(const OomMessage& oom, const SizesInForce& in_force) {
  if (oom.micro_batch <= 0) return false;  // they are not told, or checkpointing alone is new
  const bool is_checkpointed = in_force.checkpoint_blocks == 0 && oom.checkpoint_blocks > 0;
  return oom.micro_batch > in_force.micro_batch ||
         (oom.micro_batch == in_force.micro_batch && !is_checkpointed);
}

}  // namespace

std::string_view LadderName(Ladder ladder) {
  switch (ladder) {
    case Ladder::kTrain:
      return "train";
    case Ladder::kInference:
      return "inference";
    case Ladder::kHost:
      return "host";
  }
  return "unknown";
}

ClimbState& StateOf(MemoryState& state, Ladder ladder) {
  if (ladder == Ladder::kHost) return state.host;
  return ladder == Ladder::kTrain ? state.train : state.inference;
}

Ladder LadderOf(const OomMessage& oom) {
  return oom.where == "train" ? Ladder::kTrain : Ladder::kInference;
}

void TakeRungOf(Ladder ladder, const Plan& plan, MemoryState& state, const SizesInForce& in_force) {
  TakeRung(StateOf(state, ladder));
  const bool is_least = ladder == Ladder::kInference && !plan.buckets.empty() &&
                        in_force.largest_bucket <= plan.buckets.front();
  if (ladder == Ladder::kHost || is_least) return;
  state.failed.push_back(Failed(ladder, plan, in_force));
}

bool NoteRung(Ladder ladder, const OomMessage& oom, const Plan& plan, MemoryState& state,
              SizesInForce& in_force) {
  if (ladder == Ladder::kTrain && IsKnown(oom, in_force)) return false;
  TakeRungOf(ladder, plan, state, in_force);
  if (ladder != Ladder::kHost) Follow(oom, in_force);
  return true;
}

void PlaceFailures(DeviceKind device, MemoryState& state) {
  for (FailedSizes& sizes : state.unplaced) sizes.on_cpu = device == DeviceKind::kCpu;
  state.failed.insert(state.failed.begin(), state.unplaced.begin(), state.unplaced.end());
  state.unplaced.clear();
}

void MoveTo(DeviceKind device, MemoryState& state) {
  if (std::exchange(state.device, device).value_or(device) == device) return;
  std::swap(state.train, state.elsewhere.train);
  std::swap(state.inference, state.elsewhere.inference);
  std::swap(state.host, state.elsewhere.host);
  std::swap(state.failed, state.elsewhere.failed);
}

PlanInput WithLearned(PlanInput input, const MemoryState& state) {
  input.rungs = state.rungs();
  input.failed = state.failed;
  const bool on_cpu = input.device.kind == DeviceKind::kCpu;
  for (const FailedSizes& sizes : state.failed) {
    if (sizes.on_cpu == on_cpu) continue;
    int& rungs = sizes.phase == PlanPhase::kTrain ? input.rungs.train : input.rungs.inference;
    rungs = std::max(0, rungs - 1);
  }
  return input;
}

MemoryState Climbed(MemoryState state, Ladder ladder) {
  Climb(StateOf(state, ladder));
  if (ladder == Ladder::kHost) return state;
  // What failed last is the least of what failed: it may be tried again.
  const auto last =
      std::find_if(state.failed.rbegin(), state.failed.rend(),
                   [ladder](const FailedSizes& sizes) { return sizes.phase == PhaseOf(ladder); });
  if (last != state.failed.rend()) state.failed.erase(std::next(last).base());
  return state;
}

Plan OnTheSameLanes(Plan next, const Plan& running) {
  next.lanes = running.lanes;
  next.slots = running.slots;
  next.blocks = running.blocks;
  next.rows = running.rows;
  // Fewer that play would be slower and free nothing: the processes stay, with all they keep.
  next.num_workers = std::min(std::max(next.num_workers, running.num_workers), running.lanes);
  next.arena_workers = std::min(std::max(next.arena_workers, running.arena_workers), running.lanes);
  return next;
}

bool RunsAlike(const Plan& next, const Plan& running) {
  return PlanDifferences(next, running).empty() && next.on_cpu.runners == running.on_cpu.runners &&
         next.on_cpu.buckets == running.on_cpu.buckets;
}

void BillAgain(const PlanInput& input, Plan& plan) {
  const Bytes planned = Peak(plan.ram);
  plan.worker_bytes = WorkerBytes(input, plan);
  plan.ram = RamBill(input, plan);
  plan.vram = VramBill(input, plan);
  plan.allocator_cap = AllocatorCap(input, plan);
  const Bytes more = std::max(Bytes(), Peak(plan.ram) - planned);
  plan.on_cpu.allocator_cap = std::max(Bytes(), plan.on_cpu.allocator_cap - more);
}

}  // namespace az
