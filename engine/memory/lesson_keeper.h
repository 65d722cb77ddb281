#pragma once
// LessonKeeper: writes what a run or a tournament learns of its memory into state.json from the
// moment it is learned, so that the next start plans with it whatever ends this one.

#include <chrono>
#include <functional>
#include <utility>

#include "base/clock.h"
#include "base/log.h"
#include "base/result.h"
#include "engine/run/memory_state.h"

namespace az {

// Confined to the supervisor's main thread.
class LessonKeeper {
 public:
  // `learned` stands in the file as it is now, and `save` writes it there, at any time: what is
  // saved beside it must be right in the middle of a phase too. All outlive the keeper.
  LessonKeeper(const MemoryState& learned, std::function<Result<void>()> save, const Clock& clock,
               const Log& log)
      : learned_(learned), kept_(learned), save_(std::move(save)), clock_(clock), log_(log) {}

  // A few times a second: saves when there is something new. What could not be saved is tried again
  // after kRetry, and told of once in the log.
  void Tick();
  // The same, at once.
  void Keep();
  static constexpr Duration kRetry = std::chrono::seconds(1);

 private:
  const MemoryState& learned_;
  MemoryState kept_;  // as in the file
  std::function<Result<void>()> save_;
  const Clock& clock_;
  const Log& log_;
  TimePoint retry_at_{};  // epoch: the last save succeeded
};

}  // namespace az
