#include "engine/train/training_data.h"

#include <algorithm>
#include <utility>

#include "base/check.h"

namespace az {

TrainingData::TrainingData(const GameOps& game, const JournalIdentity& run,
                           const TrainOptions& options)
    : game_(game),
      run_(run),
      options_{.start_positions = options.window_start,
               .max_positions = options.window_max,
               .held_out_fraction = options.held_out_fraction,
               .sampled = options.fast_plies == FastPlies::kValue ? SampledPlies::kFastToo
                                                                  : SampledPlies::kWithPolicy,
               .merges_duplicates = options.merge_duplicates,
               .surprise = {.policy_share = options.surprise_weight,
                            .value_share = options.surprise_value_weight}} {
  StartOver();
}

void TrainingData::StartOver() {
  feed_.reset();
  window_ = std::make_unique<ReplayWindow>(options_);
  feed_ = std::make_unique<ReplayFeed>(game_, run_, *window_);
  read_.clear();
  before_iteration_ = 0;
}

Result<void> TrainingData::Read(std::span<const LaneLimit> journals,
                                std::uint32_t before_iteration) {
  AZ_CHECK_GE(before_iteration, 1U);
  if (GoesBack(journals, before_iteration)) StartOver();
  std::vector<JournalExtent> extents;
  for (const LaneLimit& lane : journals) extents.push_back({lane.path, lane.bytes});
  if (Result<void> read = feed_->ReadTo(extents, before_iteration - 1); !read) {
    StartOver();
    return read;
  }
  read_ = std::move(extents);
  before_iteration_ = before_iteration;
  return {};
}

// Neither readers nor window can go back: an iteration that is done again with fewer games needs
// new ones.
bool TrainingData::GoesBack(std::span<const LaneLimit> journals,
                            std::uint32_t before_iteration) const {
  if (before_iteration < before_iteration_) return true;
  return std::any_of(read_.begin(), read_.end(), [&](const JournalExtent& known) {
    const auto lane = std::find_if(journals.begin(), journals.end(), [&](const LaneLimit& limit) {
      return limit.path == known.path;
    });
    return lane == journals.end() || lane->bytes < known.bytes;
  });
}

}  // namespace az
