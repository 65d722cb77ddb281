#pragma once
// What to do when memory gets short: threshold with hysteresis, fragmentation. Pure: the Governor
// feeds figures and acts on the answers.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/bytes.h"
#include "base/clock.h"

namespace az {

struct WatchOptions {
  Bytes budget;
  double threshold = 0.85;  // share of the budget
  // The plan's own peak and guard: what was planned is no alarm, so the threshold is at least
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

  // One sample. `cached`: what a clean-up could return; unknown counts as nothing. Each crossing is
  // told once: it arms again 5 % of the budget below; for rungs with MayAskForRung, too.
  WatchStep Sample(TimePoint now, Bytes used, Bytes cached);
  // A new plan or budget; the state stays.
  void Replan(const WatchOptions& options);
  // When it is still too high, the next rung is asked for.
  void MayAskForRung() { has_asked_ = false; }

  Bytes threshold() const { return threshold_; }
  bool is_above() const { return is_above_; }
  // The last sample was above 95 %, and above the threshold.
  bool is_too_high() const { return is_too_high_; }

 private:
  WatchOptions options_;
  Bytes threshold_;
  bool is_above_ = false;
  bool is_too_high_ = false;
  bool has_asked_ = false;  // for a rung
  bool has_suggested_ = false;
  std::optional<TimePoint> cleaned_;
};

// Cached memory in pieces that cannot go back: inactive_split / reserved. Empty: unknown.
std::optional<double> Fragmentation(std::optional<Bytes> inactive_split,
                                    std::optional<Bytes> reserved);

// Warns once when fragmentation is above a quarter while the allocator's retries rise.
// Thread-compatible.
class FragmentationWatch {
 public:
  // True: warn now. Unknown figures never warn.
  bool Sample(std::optional<double> fragmentation, std::optional<std::int64_t> retries);

 private:
  std::int64_t retries_ = 0;
  bool has_warned_ = false;
};

}  // namespace az
