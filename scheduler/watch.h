#pragma once
// Decides what to do when memory gets short: a threshold with hysteresis, and fragmentation. Pure:
// the Governor feeds in figures and acts on the answers.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/bytes.h"
#include "base/clock.h"

namespace az {

struct WatchOptions {
  Bytes budget;
  double threshold = 0.85;  // a share of the budget
  // The plan's own peak and guard. Planned use raises no alarm: the threshold is at least
  // predicted + guard / 2.
  Bytes predicted;
  Bytes guard;
  Duration cleanup_interval = std::chrono::seconds(30);  // between clean-ups; 0 = never cleans up
};

enum class WatchStep : std::uint8_t {
  kNone,
  kCleanUp,  // return what is cached, at the next safe point
  kSuggest,  // nothing is cached that could go back: tell the person what would help
  kRung,     // above 95 %: one step down the ladder at the next boundary
  kCalm,     // below the threshold again
};
std::string_view WatchStepName(WatchStep step);

// Thread-compatible.
class ThresholdWatch {
 public:
  explicit ThresholdWatch(const WatchOptions& options);

  // Takes one sample. `cached`: what a clean-up could return; 0 where that is unknown.
  // Each crossing of the threshold is reported once, and again only after use fell 5 % of the
  // budget below it; MayAskForRung re-arms the question for a rung, too.
  WatchStep Sample(TimePoint now, Bytes used, Bytes cached);
  // Takes a new plan or budget; the state stays.
  void Replan(const WatchOptions& options);
  // Allows asking for the next rung if use is still too high.
  void MayAskForRung() { has_asked_ = false; }

  Bytes threshold() const { return threshold_; }
  bool is_above() const { return is_above_; }
  // Whether the last sample was above 95 % of the budget and above the threshold.
  bool is_too_high() const { return is_too_high_; }

 private:
  WatchOptions options_;
  Bytes threshold_;
  bool is_above_ = false;
  bool is_too_high_ = false;
  bool has_asked_ = false;  // asked for a rung
  bool has_suggested_ = false;
  std::optional<TimePoint> cleaned_;
};

// The share of reserved memory that is cached in pieces that cannot be returned: inactive_split /
// reserved. nullopt: unknown.
std::optional<double> Fragmentation(std::optional<Bytes> inactive_split,
                                    std::optional<Bytes> reserved);

// Warns once when fragmentation is above a quarter while the allocator's retries rise.
// Thread-compatible.
class FragmentationWatch {
 public:
  // Returns true when a warning is due now. Unknown figures never cause one.
  bool Sample(std::optional<double> fragmentation, std::optional<std::int64_t> retries);

 private:
  std::int64_t retries_ = 0;
  bool has_warned_ = false;
};

}  // namespace az
