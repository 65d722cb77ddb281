#pragma once
// az_plan --measure: the device process's measurements, as a section of the report.

#include "engine/apps/plan_section.h"
#include "engine/memory/measure.h"

namespace az {

PlanSection MeasureSection(const Measurement& measurement);

}  // namespace az
