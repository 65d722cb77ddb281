#include "engine/loop/plan_training.h"

#include <utility>

namespace az {

Result<PlannedTraining> PlanTraining(const RunConfig& config,
                                     const std::filesystem::path& programs) {
  AZ_ASSIGN_OR_RETURN(Panel panel, ReadPanel(config));
  AZ_ASSIGN_OR_RETURN(PlannedRun planned, PlanRun(config, programs, panel.needs));
  return PlannedTraining{std::move(planned), std::move(panel)};
}

}  // namespace az
