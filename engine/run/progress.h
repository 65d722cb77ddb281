#pragma once
// What the person sees while a run goes on. ProgressView is a value; rendering is pure (tests read
// the text); Display writes: one block redrawn in place on a terminal, plain lines elsewhere.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.h"
#include "base/clock.h"
#include "engine/run/run_state.h"

namespace az {

struct ProgressView {
  std::string run;     // "5x5"
  std::string game;    // "hex5"
  std::string device;  // "cpu, 2 runners, bf16"
  int workers = 0;
  std::uint32_t iteration = 0;  // from 0
  int iterations = 0;
  Phase phase = Phase::kSelfPlay;
  std::string match;      // opponent, in match phases
  std::int64_t done = 0;  // games, or training steps
  std::int64_t wanted = 0;
  double games_per_s = 0;
  double evaluations_per_s = 0;
  double mean_batch_rows = 0;
  double server_busy_fraction = 0;  // of the runners' time
  double cache_hit_fraction = 0;
  std::optional<double> loss;        // of the last training step seen
  std::optional<MatchResult> arena;  // running or last gate match
  int promotions = 0;
  Bytes memory_used;
  Bytes memory_budget;
  double elapsed_s = 0;  // of the whole run
  std::optional<double> eta_s;
};

// "1 h 02 min", "3 min 20 s", "45 s".
std::string FormatDuration(double seconds);

// The lines of the live block, each at most `width` columns. Colours only when asked for.
std::vector<std::string> RenderBlock(const ProgressView& view, int width, bool colour);

// One plain line: "self_play 3/100 games 120/400 (41.2/s) …".
std::string RenderLine(const ProgressView& view);

enum class DisplayStyle : std::uint8_t { kQuiet, kLines, kLive };

// kLive on a terminal, kLines otherwise, kQuiet when asked. NO_COLOR (no-color.org) is looked at by
// the caller. Confined to the supervisor's thread. Output errors are ignored: a closed terminal
// must not end a run.
class Display {
 public:
  Display(int fd, DisplayStyle style, bool colour, const Clock& clock)
      : fd_(fd), style_(style), colour_(colour), clock_(clock) {}
  ~Display() { Clear(); }
  Display(const Display&) = delete;
  Display& operator=(const Display&) = delete;

  // Draws if it is time: 5 times a second live, every 10 s in lines.
  void Update(const ProgressView& view);
  // The same for another view: is it time, and with what. `line` stands for the block in lines.
  bool IsDue() const;
  void Draw(const std::vector<std::string>& block, std::string_view line);
  int width() const;  // columns of a live block
  bool is_coloured() const { return colour_; }
  // A line that stays: phase results, warnings. Dropped when quiet.
  void Say(std::string_view line);
  // Like Say, but also when quiet: the final summary.
  void Tell(std::string_view text);
  // Takes the live block away, so that others can write below what stays.
  void Clear();

 private:
  void Write(std::string_view text) const;

  int fd_;
  DisplayStyle style_;
  bool colour_;
  const Clock& clock_;
  TimePoint last_{};
  int drawn_lines_ = 0;
};

}  // namespace az
