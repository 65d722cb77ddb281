#include "mcts/search_course.h"

#include "mcts/gumbel_root.h"

namespace az {
namespace {

int TargetVisits(const SearchOptions& options, SearchDepth depth, int visits) {
  switch (depth) {
    case SearchDepth::kFull:
      return visits;
    case SearchDepth::kFast:
      return options.FastVisits(visits);
    case SearchDepth::kPolicy:
      break;
  }
  return 0;
}

}  // namespace

SearchCourse CourseOf(const SearchOptions& options, SearchMode mode, int most, RootTask task) {
  const bool is_full = task.depth == SearchDepth::kFull;
  const int visits = task.visits > 0 ? task.visits : most;
  const int target = TargetVisits(options, task.depth, visits);
  SearchCourse course;
  course.target_visits = static_cast<std::uint32_t>(target);
  course.most_visits = static_cast<std::uint32_t>(options.MostVisits(visits, mode));
  course.counts_kept = options.CountsKept(mode);
  course.explores = mode == SearchMode::kSelfPlay && is_full;
  // Under auto, fast searches stay PUCT's.
  course.uses_gumbel =
      target > 0 && UsesGumbelRoot(options, most) && (is_full || options.root == RootRule::kGumbel);
  course.may_stop = mode == SearchMode::kPlay && options.stop_when_decided;
  const bool many = options.max_in_flight > 1;
  course.rule = {
      .fpu_reduction = options.fpu_reduction, .use_bounds = options.solver, .scan_all = many};
  course.root_rule = course.rule;
  if (course.explores && !course.uses_gumbel) {
    course.root_rule.scan_all = true;  // noise and temperature changed the priors, not the order
    if (options.noise_fraction > 0.0f) course.root_rule.fpu_reduction = 0.0f;
  }
  const bool forces = course.explores && options.forced_playouts > 0.0f;
  course.is_plain = !course.uses_gumbel && !forces && !many && !course.may_stop &&
                    options.c_puct_stdev_scale <= 0.0f &&
                    options.symmetry != SymmetryMode::kCanonical;
  return course;
}

}  // namespace az
