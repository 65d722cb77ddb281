// Rungs at the boundaries: what failed or was short is planned with, and climbed back from.

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/strings.h"
#include "engine/memory/governor.h"
#include "scheduler/planner.h"

namespace az {

void Governor::TakeReports() {
  for (const OomMessage& oom : s_.fleet.TakeOoms()) OnOom(oom, LadderHere(LadderOf(oom)));
  if (const int kills = s_.fleet.TakeKernelKills(); kills > 0) OnKernelKills(kills);
}

// The dead said nothing. Whoever took the RAM, less is there than the plan counts on.
void Governor::OnKernelKills(int kills) {
  NoteShortage(/*of_gpu=*/false);
  AskForRung(/*of_gpu=*/false);
  CleanUp(CleanupLevel::kLight);
  s_.fleet.AskRelease(CleanupLevel::kLight);
  s_.log.Warn(StrCat("event=killed_by_kernel processes=", kills));
  Write(Event("killed_by_kernel").Add("processes", std::int64_t{kills}));
  if (phase_ && std::exchange(phase_->told_of_kills, true)) return;
  s_.display.Say(
      "memory: RAM ran out, and the kernel killed a process of this run; it is started again "
      "(lower memory.ram_budget, or stop what else uses RAM)");
}

void Governor::OnOom(const OomMessage& oom, Ladder ladder) {
  WatchOf(ladder).has_failed = true;
  if (!oom.rung.empty() && NoteRung(ladder, oom, s_.plan, s_.state, in_force_)) {
    WatchOf(ladder).must_plan = true;
  }
  ReportOom(oom);
}

std::vector<Ladder> Governor::LaddersOfShortage(bool of_gpu) const {
  if (!s_.with_device) return {Ladder::kHost};
  const bool trains = phase_ && phase_->phase == PlanPhase::kTrain;
  // Smaller batches on a GPU free no RAM.
  const bool is_on_gpu = s_.plan.device == DeviceKind::kCuda && !(IsBesideGpu() && trains);
  if (is_on_gpu && !of_gpu) return {Ladder::kHost};
  const Ladder of_phase = trains ? Ladder::kTrain : Ladder::kInference;
  if (of_gpu) return {of_phase};
  return {of_phase, Ladder::kHost};
}

Governor::LadderWatch* Governor::ToLower(bool of_gpu) {
  for (const Ladder ladder : LaddersOfShortage(of_gpu)) {
    if (!WatchOf(ladder).is_at_end) return &WatchOf(ladder);
  }
  return nullptr;
}

void Governor::NoteShortage(bool of_gpu) {
  for (const Ladder ladder : LaddersOfShortage(of_gpu)) WatchOf(ladder).has_failed = true;
}

void Governor::AskForRung(bool of_gpu) {
  if (LadderWatch* ladder = ToLower(of_gpu)) ladder->wants_rung = true;
}

bool Governor::IsLast(Ladder ladder) const {
  const std::vector<Ladder> of_ram = LaddersOfShortage(/*of_gpu=*/false);
  const auto is_at_end = [this](Ladder l) { return WatchOf(l).is_at_end; };
  return std::ranges::find(of_ram, ladder) == of_ram.end() ||
         std::ranges::all_of(of_ram, is_at_end);
}

Result<void> Governor::FollowRungs() {
  const Plan before = s_.plan;
  MemoryState state = s_.state;
  bool has_failed = false;
  bool is_least = false;  // which nobody was told of
  std::vector<Ladder> lowered;
  for (const Ladder ladder : kLadders) {
    LadderWatch& watch = WatchOf(ladder);
    const bool wants_rung = std::exchange(watch.wants_rung, false);
    if (std::exchange(watch.must_plan, false)) {
      has_failed = true;
      lowered.push_back(ladder);
    } else if (wants_rung) {
      if (std::optional<MemoryState> lower = WithRung(ladder, state)) {
        state = *std::move(lower);
        lowered.push_back(ladder);
      } else {
        const bool was_at_end = std::exchange(watch.is_at_end, true);
        is_least |= !was_at_end && IsLast(ladder);
      }
    }
  }
  const std::string why =
      has_failed ? "an allocation failed" : StrCat("memory was short in ", phase_->name);
  if (!lowered.empty()) {
    AZ_ASSIGN_OR_RETURN(const bool planned, PlanAgain(state, why));
    const bool changes = planned && !RunsAlike(s_.plan, before);
    for (const Ladder ladder : lowered) {
      const bool was_at_end = std::exchange(WatchOf(ladder).is_at_end, !changes);
      is_least |= !changes && !was_at_end && (!planned || IsLast(ladder));
    }
  }
  if (is_least) TellNoSmallerPlan(why);
  return {};
}

std::optional<MemoryState> Governor::WithRung(Ladder ladder, MemoryState state) const {
  if (ladder == Ladder::kHost && host_waits_) return {};
  TakeRungOf(ladder, s_.plan, state, in_force_);
  const Result<Plan> next = MakePlan(WithLearned(s_.input, state));
  if (!next) return {};
  bool is_lower = true;  // what failed is not planned again
  if (ladder == Ladder::kHost) is_lower = next->host_rungs > s_.plan.host_rungs;
  if (ladder == Ladder::kInference) is_lower = next->inference_rungs > s_.plan.inference_rungs;
  if (!is_lower) return {};
  return state;
}

void Governor::TellNoSmallerPlan(std::string_view why) {
  const std::string text =
      StrCat(why, ", and no plan is smaller", host_waits_ ? " until the next start" : "",
             ": the run goes on with what it has (raise ",
             s_.plan.vram_budget > Bytes() ? "memory.vram_budget or " : "",
             "memory.ram_budget, or make the network smaller)");
  s_.log.Warn(StrCat("event=no_smaller_plan text=\"", text, "\""));
  s_.display.Say(StrCat("memory: ", text));
  Write(Event("no_smaller_plan").Add("text", std::string_view(text)));
}

Result<bool> Governor::PlanAgain(const MemoryState& state, std::string_view why) {
  const Result<Plan> planned = MakePlan(WithLearned(s_.input, state));
  if (!planned) return false;
  Plan next = OnTheSameLanes(*planned, s_.plan);
  BillAgain(s_.input, next);
  // All before Apply: it waits for the device, and what fails meanwhile is added by OnOom.
  s_.state = state;
  s_.plan = next;
  in_force_ = SizesOf(next);
  host_waits_ = planned->lanes < next.lanes || planned->slots < next.slots;
  host_climb_waits_ = planned->lanes > next.lanes || planned->slots > next.slots;
  for (LadderWatch& ladder : ladders_) ladder.must_plan = false;
  SetWatches();
  if (const Result<void> applied = s_.fleet.Apply(next); !applied) {
    if (applied.error().code != Errc::kNoMemory) return applied.error();
    AZ_RETURN_IF_ERROR(MakeRoom(applied.error()));  // plans again, further down
    return true;
  }
  const std::string text =
      StrCat(why, ": training ", next.learner_shards, " x ", next.micro_batch, " rows x ",
             next.accumulate, ", checkpointing ", next.checkpoint_blocks, ", largest bucket ",
             next.buckets.empty() ? 0 : next.buckets.back(), ", evaluation cache ",
             FormatBytes(next.cache), " a worker",
             planned->lanes == next.lanes && planned->slots == next.slots
                 ? ""
                 : StrCat(", with the next start ", planned->lanes, " workers of ", planned->slots,
                          " games"));
  s_.log.Info(StrCat("event=planned_again train_rungs=", state.train.rungs,
                     " inference_rungs=", state.inference.rungs, " host_rungs=", state.host.rungs,
                     " text=\"", text, "\""));
  s_.display.Say(StrCat("planned again, ", text));
  Write(Event("planned_again")
            .Add("train_rungs", std::int64_t{state.train.rungs})
            .Add("inference_rungs", std::int64_t{state.inference.rungs})
            .Add("host_rungs", std::int64_t{state.host.rungs})
            .Add("text", std::string_view(text)));
  AZ_RETURN_IF_ERROR(WritePlan());
  return true;
}

Result<void> Governor::ClimbBack(Ladder ladder) {
  AZ_ASSIGN_OR_RETURN(const bool planned,
                      PlanAgain(Climbed(s_.state, ladder),
                                StrCat("a rung of ", LadderName(ladder), " is tried again")));
  if (planned) WatchOf(ladder).is_at_end = false;
  return {};
}

}  // namespace az
