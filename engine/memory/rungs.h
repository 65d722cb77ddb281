#pragma once
// What out-of-memory failures have taught a run: which sizes failed, how far below the plan it
// stands, when it may climb back. Pure over MemoryState; the Governor acts on it.

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

#include "base/result.h"
#include "engine/fleet/device_plan.h"
#include "engine/process/messages.h"
#include "engine/run/memory_state.h"
#include "scheduler/plan.h"

namespace az {

enum class Ladder : std::uint8_t { kTrain, kInference, kHost };
inline constexpr std::array kLadders = {Ladder::kTrain, Ladder::kInference, Ladder::kHost};
std::string_view LadderName(Ladder ladder);
ClimbState& StateOf(MemoryState& state, Ladder ladder);

// Which ladder a failure at this place ("train", "inference", "load", "graph") is of.
Ladder LadderOf(const OomMessage& oom);

// Remembers a failure for which something was given up, as a rung of `ladder`: the sizes that
// failed are listed, and `in_force` becomes what the device says. REQUIRES: oom.rung is not empty;
// cleaning up alone is no rung. False: a training that began again from the top told of sizes that
// are no lower than `in_force`; that is no other rung.
bool NoteRung(Ladder ladder, const OomMessage& oom, const Plan& plan, MemoryState& state,
              SizesInForce& in_force);
// The same for a rung that the Governor takes by itself. One of the host has no sizes; nor is the
// smallest batch listed, because rungs below it keep that size.
void TakeRungOf(Ladder ladder, const Plan& plan, MemoryState& state, const SizesInForce& in_force);

// Failures of unknown place were on this device: the one that the run had then.
void PlaceFailures(DeviceKind device, MemoryState& state);

// The run goes on on `device`: what was learned on the other one is put aside, and what is aside
// comes into force. State of an unknown device is of this one.
void MoveTo(DeviceKind device, MemoryState& state);

// What the planner is given: `input` with what was learned. Its rungs are those of its device.
PlanInput WithLearned(PlanInput input, const MemoryState& state);

// One rung up: the state after it.
MemoryState Climbed(MemoryState state, Ladder ladder);

// `next` with what cannot change while the processes run: lanes and their layout, and no fewer
// workers, nor more than there are lanes. The rest of a rung of the host waits for the next start.
Plan OnTheSameLanes(Plan next, const Plan& running);
// Whether such a plan runs with the sizes of `running`: what it gives up waits for the next start.
bool RunsAlike(const Plan& next, const Plan& running);
// Bills and caps of such a plan anew: its lanes may take more than those it was planned with.
void BillAgain(const PlanInput& input, Plan& plan);

}  // namespace az
