// Weights or batches that the device has no room for: rungs until it has.

#include <algorithm>
#include <string>
#include <utility>

#include "base/strings.h"
#include "engine/memory/governor.h"
#include "engine/process/oom_message.h"

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

OomMessage Refused(std::string where, const Error& error, std::string rung) {
  OomMessage oom = OomMessageOf(std::move(where), error.message, FiguresOf(error.message));
  oom.rung = std::move(rung);
  return oom;
}

std::int64_t WholeMiB(Bytes bytes) { return (bytes + MiB(1) - Bytes(1)) / MiB(1); }

}  // namespace

// Calls until it is not for lack of room for weights or batches.
template <class Call>
auto Governor::WithRoom(const Call& call) -> decltype(call()) {
  while (true) {
    auto done = call();
    TakeReports();
    if (done || done.error().code != Errc::kNoMemory) return done;
    AZ_RETURN_IF_ERROR(MakeRoom(done.error()));
  }
}

Result<void> Governor::Load(int slot, const std::filesystem::path& checkpoint,
                            std::uint64_t version) {
  return WithRoom([&] { return s_.fleet.Load(slot, checkpoint, version); });
}

Result<void> Governor::Prepare(PlanPhase phase) {
  serving_ = phase;
  const Result<void> placed = s_.fleet.Place(phase);
  TakeReports();
  if (placed || placed.error().code != Errc::kNoMemory) return placed;
  return MakeRoom(placed.error());
}

Result<void> Governor::Play(const std::function<Result<void>()>& play) { return WithRoom(play); }

Result<ReleasedMessage> Governor::ReleaseAll() {
  return WithRoom([this] { return s_.fleet.Release(CleanupLevel::kFull); });
}

Result<TrainedMessage> Governor::Train(const std::function<Result<TrainedMessage>()>& train) {
  while (true) {
    Result<TrainedMessage> trained = train();
    TakeReports();
    if (trained || trained.error().code != Errc::kNoMemory) return trained;
    AZ_RETURN_IF_ERROR(MakeRoomToTrain(trained.error()));
  }
}

Result<bool> Governor::Descend(Ladder ladder, const OomMessage& oom, std::string_view why) {
  WatchOf(ladder).has_failed = true;
  WatchOf(ladder).wants_rung = false;  // this is the rung
  if (!WithRung(ladder, s_.state)) return false;
  OnOom(oom, ladder);
  return PlanAgain(s_.state, why);
}

// The device has emptied its caches and tried twice.
Result<void> Governor::MakeRoom(const Error& refused) {
  const bool of_batch = s_.fleet.LackedRoom() == NoRoomFor::kBatch;
  const std::string_view why = of_batch ? "the smallest batch did not fit" : "weights did not fit";
  OomMessage oom = Refused(of_batch ? "inference" : "load", refused, "less for batches");
  bool made = false;
  if (!IsBesideGpu()) {
    AZ_ASSIGN_OR_RETURN(made, Descend(Ladder::kInference, oom, why));
  }
  if (!made && LacksRam()) {
    oom.rung = "less for workers";
    AZ_ASSIGN_OR_RETURN(made, Descend(Ladder::kHost, oom, why));
  }
  if (!made) return NoRoom(refused);
  return {};
}

Result<void> Governor::MakeRoomToTrain(const Error& refused) {
  if (s_.fleet.LacksWeights()) return MakeRoom(refused);
  if (s_.fleet.LackedRoom() == NoRoomFor::kProcess && !LacksRam()) return MakeRoomInRam(refused);
  return MakeRoomForTraining(refused);
}

// The kernel killed it although its networks are on the GPU: no smaller step frees any RAM.
Result<void> Governor::MakeRoomInRam(const Error& killed) {
  const OomMessage oom = Refused("train", killed, "less for workers");
  AZ_ASSIGN_OR_RETURN(const bool made, Descend(Ladder::kHost, oom, "RAM ran out in training"));
  if (made) return {};
  return Error{Errc::kNoMemory,
               StrCat(killed.message, "; the workers have nothing more to give up",
                      host_waits_ ? " until the next start" : "", ", and the budget is ",
                      FormatBytes(s_.plan.ram_budget),
                      " (lower memory.ram_budget to what the machine has left, stop what else uses "
                      "RAM, or lower train.window_max)")};
}

// The device has gone down its ladder to the end. What is left is what only a plan can change:
// fewer shards, training on the processor, less for workers where the networks are in RAM.
Result<void> Governor::MakeRoomForTraining(const Error& refused) {
  constexpr std::string_view kWhy = "training did not fit";
  OomMessage oom = Refused("train", refused, "another plan for training");
  AZ_ASSIGN_OR_RETURN(bool made, Descend(Ladder::kTrain, oom, kWhy));
  if (!made && LacksRam()) {
    oom.rung = "less for workers";
    AZ_ASSIGN_OR_RETURN(made, Descend(Ladder::kHost, oom, kWhy));
  }
  if (!made) return NoRoomForTraining(refused);
  return {};
}

Error Governor::NoRoom(const Error& refused) const {
  const bool is_beside = IsBesideGpu();
  const bool on_gpu = !LacksRam();
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

Error Governor::NoRoomForTraining(const Error& refused) const {
  const bool on_gpu = !LacksRam();
  return {Errc::kNoMemory,
          StrCat(refused.message, "; ", s_.plan.learner_shards, " shard(s) of ",
                 in_force_.micro_batch, " rows are the least already, and the budget is ",
                 FormatBytes(on_gpu ? s_.plan.vram_budget : s_.plan.ram_budget), " (raise ",
                 on_gpu ? "memory.vram_budget" : "memory.ram_budget",
                 " and see that no other program takes it, or make the network smaller)")};
}

}  // namespace az
