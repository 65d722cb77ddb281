#pragma once
// az_plan --sweep num_workers: what the plan would be with each number of workers.

#include <optional>
#include <vector>

#include "engine/apps/plan_section.h"
#include "scheduler/plan.h"

namespace az {

struct SweepPoint {
  int workers = 0;
  std::optional<Plan> plan;  // empty: does not fit, whatever else is given up
  // Of a real run of these many workers; empty: not measured.
  std::optional<double> measured_moves_per_s;
  std::optional<Bytes> measured_ram;
};

// Plans for 1, 2, 3, 4, 6, 8, 12, … workers, up to twice what the planner itself would take but at
// least to 8; arena.num_workers goes with it where it is auto. The number itself is never given up,
// the rest may be.
std::vector<SweepPoint> SweepWorkers(const PlanInput& input);

// A table and a chart of bars.
PlanSection SweepSection(const PlanInput& input, const std::vector<SweepPoint>& points);

}  // namespace az
