#pragma once
// az_plan --sweep num_workers: the plan for each of several numbers of workers.

#include <optional>
#include <vector>

#include "engine/apps/plan_section.h"
#include "scheduler/plan.h"

namespace az {

struct SweepPoint {
  int workers = 0;
  std::optional<Plan> plan;  // nullopt: it does not fit, whatever else is given up
  // The speed of a real run with so many workers; nullopt: not measured.
  std::optional<double> measured_moves_per_s;
  std::optional<Bytes> measured_ram;
};

// Plans for 1, 2, 3, 4, 6, 8, 12, … workers, up to twice the planner's own choice but at least to
// 8. arena.num_workers is the same number where it is auto. The number of workers is never given
// up; other sizes may be.
std::vector<SweepPoint> SweepWorkers(const PlanInput& input);

// The points as a table and a bar chart.
PlanSection SweepSection(const PlanInput& input, const std::vector<SweepPoint>& points);

}  // namespace az
