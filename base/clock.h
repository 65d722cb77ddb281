#pragma once
// Time is passed in: code asks a Clock, tests own a ManualClock. A Deadline bounds every wait.

#include <chrono>

namespace az {

using Duration = std::chrono::nanoseconds;
using TimePoint = std::chrono::time_point<std::chrono::steady_clock, Duration>;  // CLOCK_MONOTONIC

// Thread-safe.
class Clock {
 public:
  virtual ~Clock() = default;
  virtual TimePoint Now() const = 0;
};

// CLOCK_MONOTONIC: the same in every process of a machine.
class SteadyClock final : public Clock {
 public:
  TimePoint Now() const override { return std::chrono::steady_clock::now(); }
};

// A clock that moves only when a test says so. Thread-compatible.
class ManualClock final : public Clock {
 public:
  TimePoint Now() const override { return now_; }
  void Advance(Duration by) { now_ += by; }

 private:
  TimePoint now_{};
};

// A point in time after which a wait gives up, always on the steady clock. Thread-compatible.
class Deadline {
 public:
  static Deadline In(Duration from_now) {
    return Deadline(std::chrono::steady_clock::now() + from_now);
  }
  static Deadline At(TimePoint at) { return Deadline(at); }
  static Deadline Never() { return Deadline(TimePoint::max()); }

  TimePoint at() const { return at_; }
  bool Passed() const { return at_ != TimePoint::max() && std::chrono::steady_clock::now() >= at_; }
  // The time that is left: never negative, at most `cap`.
  Duration Left(Duration cap) const {
    if (at_ == TimePoint::max()) return cap;
    const Duration left = at_ - std::chrono::steady_clock::now();
    return left < Duration::zero() ? Duration::zero() : left < cap ? left : cap;
  }

 private:
  explicit Deadline(TimePoint at) : at_(at) {}
  TimePoint at_;
};

inline double Seconds(Duration d) { return std::chrono::duration<double>(d).count(); }

// A number of seconds as a Duration, rounded towards zero. REQUIRES: |seconds| < 9e9.
inline Duration DurationOf(double seconds) {
  return std::chrono::duration_cast<Duration>(std::chrono::duration<double>(seconds));
}

}  // namespace az
