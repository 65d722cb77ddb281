// Rungs at the boundaries: what failed or was short is planned with, and climbed back from.

#include <optional>
#include <string>
#include <utility>

#include "base/strings.h"
#include "engine/loop/governor.h"
#include "scheduler/climb.h"
#include "scheduler/planner.h"

namespace az {

void Governor::TakeReports() {
  for (const OomMessage& oom : s_.fleet.TakeOoms()) OnOom(oom, LadderHere(LadderOf(oom)));
}

void Governor::OnOom(const OomMessage& oom, Ladder ladder) {
  WatchOf(ladder).has_failed = true;
  if (!oom.rung.empty()) {
    WatchOf(ladder).must_plan = true;
    NoteRung(ladder, oom, s_.plan, s_.state, in_force_);
  }
  ReportOom(oom);
}

Ladder Governor::LadderOfShortage(bool of_gpu) const {
  const bool trains = phase_->phase == PlanPhase::kTrain;
  // Smaller batches on a GPU free no RAM.
  const bool is_on_gpu = s_.plan.device == DeviceKind::kCuda && !(IsBesideGpu() && trains);
  if (is_on_gpu && !of_gpu) return Ladder::kHost;
  return trains ? Ladder::kTrain : Ladder::kInference;
}

Result<void> Governor::FollowRungs() {
  MemoryState state = s_.state;
  bool has_failed = false;
  bool was_short = false;
  for (const Ladder ladder : kLadders) {
    const bool wants_rung = std::exchange(WatchOf(ladder).wants_rung, false);
    if (std::exchange(WatchOf(ladder).must_plan, false)) {
      has_failed = true;  // and the rung is taken
    } else if (wants_rung) {
      was_short = true;
      TakeRungOf(ladder, s_.plan, state, in_force_);
    }
  }
  if (!has_failed && !was_short) return {};
  AZ_ASSIGN_OR_RETURN(const bool planned,
                      PlanAgain(state, has_failed ? "an allocation failed"
                                                  : StrCat("memory was short in ", phase_->name)));
  if (!planned && has_failed)
    s_.log.Warn("event=no_smaller_plan text=\"the device goes on with what it has\"");
  return {};
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
             FormatBytes(next.cache), " a worker");
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

Result<void> Governor::ClimbBack(Ladder ladder, bool was_clean) {
  const ClimbOptions options{.climb_after = options_.climb_after};
  if (!az::EndIteration(StateOf(s_.state, ladder), options, was_clean)) return {};
  AZ_ASSIGN_OR_RETURN([[maybe_unused]] const bool planned,
                      PlanAgain(Climbed(s_.state, ladder),
                                StrCat("a rung of ", LadderName(ladder), " is tried again")));
  return {};
}

}  // namespace az
