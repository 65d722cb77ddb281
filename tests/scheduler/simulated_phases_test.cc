#include "scheduler/simulated_phases.h"

#include <gtest/gtest.h>

#include "base/rng.h"
#include "scheduler/bill.h"
#include "scheduler/planner.h"
#include "tests/scheduler/plan_testing.h"

namespace az {
namespace {

using testing::Hex5x5;
using testing::OnGpu;
using testing::PlanOf;
using testing::RandomInput;

TEST(SimulatedPhases, EveryPhaseOfThePlanIsLaidOut) {
  const PlanInput input = OnGpu(GiB(12));
  const Plan plan = PlanOf(input);
  const std::vector<SimulatedPhase> phases = SimulatePhases(input, plan);
  ASSERT_EQ(phases.size(), plan.vram.size());
  for (std::size_t i = 0; i < phases.size(); ++i) {
    EXPECT_EQ(phases[i].phase, plan.vram[i].phase);
    EXPECT_EQ(phases[i].predicted, plan.vram[i].total());
    EXPECT_TRUE(phases[i].refused.empty()) << phases[i].refused;
    EXPECT_GT(phases[i].peak, Bytes());
  }
  EXPECT_TRUE(SimulatePhases(Hex5x5(), PlanOf(Hex5x5())).empty()) << "no card";
}

TEST(SimulatedPhases, APhaseOnTheProcessorTakesNothing) {
  PlanInput input = OnGpu(GiB(12));
  input.wishes.arena_mode = ArenaMode::kCpu;
  for (const SimulatedPhase& phase : SimulatePhases(input, PlanOf(input))) {
    EXPECT_EQ(phase.peak == Bytes(), phase.phase == PlanPhase::kArena);
  }
}

TEST(SimulatedPhases, ACapBelowThePlanIsRefused) {
  const PlanInput input = OnGpu(GiB(12));
  Plan plan = PlanOf(input);
  plan.allocator_cap = MiB(64);
  bool refused = false;
  for (const SimulatedPhase& phase : SimulatePhases(input, plan)) refused |= !phase.refused.empty();
  EXPECT_TRUE(refused);
}

// Segments, rounding and what the phase before has left stay inside of the slack that the bill has
// for them; the guard below it is for what nobody foresaw.
TEST(SimulatedPhases, LayoutsStayWithinTheBill) {
  Rng rng(17);
  int simulated = 0;
  for (int round = 0; round < 600; ++round) {
    PlanInput input = RandomInput(rng);
    input.device.kind = DeviceKind::kCuda;
    input.device.vram_total = input.device.vram + MiB(256);
    const Result<Plan> plan = MakePlan(input);
    if (!plan) continue;
    for (const SimulatedPhase& phase : SimulatePhases(input, *plan)) {
      ++simulated;
      EXPECT_TRUE(phase.refused.empty())
          << "round " << round << ", " << EnumName(phase.phase) << ": " << phase.refused;
      EXPECT_LE(phase.peak, phase.predicted) << "round " << round << ", " << EnumName(phase.phase)
                                             << ", guard " << FormatBytes(plan->vram_guard);
    }
  }
  EXPECT_GT(simulated, 600);
}

}  // namespace
}  // namespace az
