#include "engine/data/sample_ratio.h"

#include <algorithm>
#include <cmath>

#include "base/strings.h"

namespace az {

Result<SampleRatio> SampleRatio::Create(const SampleRatioOptions& options) {
  if (!(options.samples_per_position > 0) || options.min_to_sample < 0 ||
      options.largest_sample < 1 || options.largest_insert < 0) {
    return Error{Errc::kInvalid,
                 StrCat("sample ratio: samples_per_position ", options.samples_per_position,
                        " must be above 0, min_to_sample ", options.min_to_sample,
                        " at least 0, largest_sample ", options.largest_sample,
                        " at least 1, largest_insert ", options.largest_insert, " at least 0")};
  }
  const double least =
      std::max(static_cast<double>(options.largest_sample),
               options.samples_per_position * static_cast<double>(options.largest_insert));
  if (!(options.slack >= least)) {
    return Error{Errc::kInvalid,
                 StrCat("sample ratio: slack ", options.slack, " is below ", least,
                        ", the larger of one sample (", options.largest_sample,
                        ") and what one insert of ", options.largest_insert,
                        " positions brings; self-play and training would wait for each other "
                        "for ever (raise the slack)")};
  }
  return SampleRatio(options);
}

Result<SampleRatio> SampleRatio::Restore(const SampleRatioOptions& options, State state) {
  if (state.inserted < 0 || state.sampled < 0) {
    return Error{Errc::kCorrupt, StrCat("sample ratio: ", state.inserted, " inserted and ",
                                        state.sampled, " sampled positions cannot be")};
  }
  AZ_ASSIGN_OR_RETURN(SampleRatio ratio, Create(options));
  ratio.state_ = state;
  return ratio;
}

double SampleRatio::debt() const {
  return options_.samples_per_position * static_cast<double>(state_.inserted) -
         static_cast<double>(state_.sampled);
}

bool SampleRatio::CanSample(std::int64_t positions) const {
  return state_.inserted >= options_.min_to_sample &&
         debt() - static_cast<double>(positions) >= -options_.slack;
}

bool SampleRatio::CanInsert(std::int64_t positions) const {
  if (state_.inserted < options_.min_to_sample) return true;
  return debt() + options_.samples_per_position * static_cast<double>(positions) <= options_.slack;
}

std::int64_t SampleRatio::StepsDue(std::int64_t batch) const {
  AZ_CHECK_GT(batch, 0);
  if (state_.inserted < options_.min_to_sample) return 0;
  return std::max<std::int64_t>(
      0, static_cast<std::int64_t>(std::floor(debt() / static_cast<double>(batch))));
}

}  // namespace az
