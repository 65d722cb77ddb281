#include "engine/config/visits_schedule.h"

#include "engine/config/run_config.h"

namespace az {

VisitsSchedule VisitsScheduleOf(const RunConfig& config) {
  const int last = config.loop.iterations - 1;
  return {
      .first = config.self_play.first_visits.value_or(config.search.visits),
      .full = config.search.visits,
      .full_from = static_cast<std::uint32_t>(config.self_play.full_visits_from.value_or(last))};
}

int VisitsOfIteration(const VisitsSchedule& schedule, std::uint32_t iteration) {
  if (iteration >= schedule.full_from) return schedule.full;
  const std::int64_t rise = schedule.full - schedule.first;
  return schedule.first + static_cast<int>(rise * iteration / schedule.full_from);
}

std::vector<std::string> WithoutVisitsSchedule(const std::vector<std::string>& sets) {
  std::vector<std::string> all = {"self_play.full_visits_from=auto", "self_play.first_visits=auto"};
  all.insert(all.end(), sets.begin(), sets.end());
  return all;
}

}  // namespace az
