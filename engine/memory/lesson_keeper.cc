#include "engine/memory/lesson_keeper.h"

#include "base/strings.h"

namespace az {

void LessonKeeper::Tick() {
  if (retry_at_ == TimePoint{} || clock_.Now() >= retry_at_) Keep();
}

void LessonKeeper::Keep() {
  if (learned_ == kept_) return;
  const MemoryState saving = learned_;
  const Result<void> saved = save_();
  if (saved) {
    kept_ = saving;
    retry_at_ = TimePoint{};
    return;
  }
  const bool is_told = retry_at_ != TimePoint{};
  retry_at_ = clock_.Now() + kRetry;
  if (!is_told) log_.Warn(StrCat("event=lessons_not_kept text=\"", saved.error().message, "\""));
}

}  // namespace az
