#pragma once
// ProgressTimer: decides when a search ends by ThinkLimits other than simulations, and when it
// reports.

#include "base/clock.h"
#include "engine/play/thinker.h"

namespace az {

// Confined to one thread. The references outlive it.
class ProgressTimer {
 public:
  ProgressTimer(const ThinkLimits& limits, const OnProgress& on_progress, const Clock& clock)
      : limits_(limits),
        on_progress_(on_progress),
        clock_(clock),
        start_(clock.Now()),
        next_(start_ + limits.progress_every) {}

  // Whether the search goes on. `thought` makes a Thought of what is known so far; it is called
  // only when a report is due.
  template <class F>
  bool GoesOn(F thought) {
    const TimePoint now = clock_.Now();
    if (limits_.time && now - start_ >= *limits_.time) return false;
    if (limits_.goes_on && !limits_.goes_on()) return false;
    if (!on_progress_ || now < next_) return true;
    next_ = now + limits_.progress_every;
    return on_progress_(thought());
  }

  double seconds() const { return Seconds(clock_.Now() - start_); }

 private:
  const ThinkLimits& limits_;
  const OnProgress& on_progress_;
  const Clock& clock_;
  TimePoint start_;
  TimePoint next_;
};

}  // namespace az
