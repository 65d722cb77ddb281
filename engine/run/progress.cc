#include "engine/run/progress.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>

#include "base/strings.h"

namespace az {
namespace {

constexpr std::string_view kBold = "\033[1m";
constexpr std::string_view kDim = "\033[2m";
constexpr std::string_view kGreen = "\033[32m";
constexpr std::string_view kReset = "\033[0m";

std::string Percent(double fraction) { return Fixed(100.0 * fraction, 0) + " %"; }

std::string Bar(std::int64_t done, std::int64_t wanted, int width) {
  const double share =
      wanted <= 0 ? 0.0
                  : std::clamp(static_cast<double>(done) / static_cast<double>(wanted), 0.0, 1.0);
  const int filled = static_cast<int>(std::lround(share * width));
  return std::string(static_cast<std::size_t>(filled), '#') +
         std::string(static_cast<std::size_t>(width - filled), '.');
}

std::string PhaseText(const ProgressView& view) {
  std::string text(PhaseName(view.phase));
  std::replace(text.begin(), text.end(), '_', '-');
  if (!view.match.empty()) text += " against " + view.match;
  return text;
}

std::string Unit(const ProgressView& view) {
  return view.phase == Phase::kTrain ? "steps" : "games";
}

std::string ArenaText(const MatchResult& match) {
  return StrCat("+", match.wins, " =", match.draws, " -", match.losses, " (",
                Percent(match.score()), ")");
}

// Cuts by columns; our text is ASCII but for escapes, which are added afterwards.
std::string Fit(std::string line, int width) {
  if (static_cast<int>(line.size()) > width)
    line.resize(static_cast<std::size_t>(std::max(width, 0)));
  return line;
}

int TerminalWidth(int fd) {
  winsize size{};
  if (::ioctl(fd, TIOCGWINSZ, &size) == 0 && size.ws_col > 1) return size.ws_col;
  return 80;
}

}  // namespace

std::string FormatDuration(double seconds) {
  const auto total = static_cast<std::int64_t>(std::llround(std::max(0.0, seconds)));
  if (total < 60) return StrCat(total, " s");
  const auto two = [](std::int64_t n) { return StrCat(n < 10 ? "0" : "", n); };
  if (total < 3600) return StrCat(total / 60, " min ", two(total % 60), " s");
  return StrCat(total / 3600, " h ", two(total / 60 % 60), " min");
}

std::vector<std::string> RenderBlock(const ProgressView& view, int width, bool colour) {
  std::vector<std::string> lines;
  lines.push_back(Fit(StrCat(view.run, "  ", view.game, " on ", view.device, ", ", view.workers,
                             " workers  iteration ", view.iteration + 1, " of ", view.iterations,
                             "  ", FormatDuration(view.elapsed_s),
                             view.eta_s ? ", about " + FormatDuration(*view.eta_s) + " left" : ""),
                      width));
  lines.push_back(Fit(StrCat(PhaseText(view), " [", Bar(view.done, view.wanted, 24), "] ",
                             view.done, "/", view.wanted, " ", Unit(view)),
                      width));
  lines.push_back(
      Fit(StrCat("games/s ", Fixed(view.games_per_s, 1), "  evaluations/s ",
                 FormatCount(view.evaluations_per_s), "  batch ", Fixed(view.mean_batch_rows, 1),
                 "  server busy ", Percent(view.server_busy_fraction), "  cache hits ",
                 Percent(view.cache_hit_fraction)),
          width));
  lines.push_back(Fit(
      StrCat("loss ", view.loss ? Fixed(*view.loss, 4) : "-", "  arena ",
             view.arena ? ArenaText(*view.arena) : "-", "  promotions ", view.promotions,
             "  memory ", FormatBytes(view.memory_used), " of ", FormatBytes(view.memory_budget)),
      width));
  if (colour) {
    lines[0] = StrCat(kBold, lines[0], kReset);
    lines[1] = StrCat(kGreen, lines[1], kReset);
    lines[3] = StrCat(kDim, lines[3], kReset);
  }
  return lines;
}

std::string RenderLine(const ProgressView& view) {
  std::string line = StrCat("iteration ", view.iteration + 1, "/", view.iterations, " ",
                            PhaseText(view), " ", view.done, "/", view.wanted, " ", Unit(view));
  if (view.phase == Phase::kTrain) {
    if (view.loss) line += StrCat(", loss ", Fixed(*view.loss, 4));
  } else {
    line += StrCat(
        ", ", Fixed(view.games_per_s, 1), " games/s, ", FormatCount(view.evaluations_per_s),
        " evaluations/s, batch ", Fixed(view.mean_batch_rows, 1), ", server busy ",
        Percent(view.server_busy_fraction), ", cache hits ", Percent(view.cache_hit_fraction));
    if (view.arena && view.phase != Phase::kSelfPlay) line += ", " + ArenaText(*view.arena);
  }
  line +=
      StrCat(", memory ", FormatBytes(view.memory_used), " of ", FormatBytes(view.memory_budget));
  if (view.eta_s) line += ", about " + FormatDuration(*view.eta_s) + " left";
  return line;
}

bool Display::IsDue() const {
  if (style_ == DisplayStyle::kQuiet) return false;
  const Duration pause = style_ == DisplayStyle::kLive ? Duration(std::chrono::milliseconds(200))
                                                       : Duration(std::chrono::seconds(10));
  return last_ == TimePoint{} || clock_.Now() - last_ >= pause;
}

int Display::width() const { return TerminalWidth(fd_) - 1; }

void Display::Update(const ProgressView& view) {
  if (!IsDue()) return;
  if (style_ == DisplayStyle::kLines) {
    Draw({}, RenderLine(view));
  } else {
    Draw(RenderBlock(view, width(), colour_), {});
  }
}

void Display::Draw(const std::vector<std::string>& block, std::string_view line) {
  if (style_ == DisplayStyle::kQuiet) return;
  last_ = clock_.Now();
  if (style_ == DisplayStyle::kLines) {
    Write(StrCat(line, "\n"));
    return;
  }
  // One write for erasing and drawing, so that the block does not flicker.
  std::string text;
  if (drawn_lines_ > 0) text += StrCat("\033[", drawn_lines_, "A\033[J");
  for (const std::string& part : block) text += part + "\n";
  drawn_lines_ = static_cast<int>(block.size());
  Write(text);
}

void Display::Say(std::string_view line) {
  if (style_ == DisplayStyle::kQuiet) return;
  Tell(line);
}

void Display::Tell(std::string_view text) {
  Clear();
  Write(StrCat(text, "\n"));
}

void Display::Clear() {
  if (drawn_lines_ == 0) return;
  Write(StrCat("\033[", drawn_lines_, "A\033[J"));
  drawn_lines_ = 0;
  last_ = TimePoint{};
}

void Display::Write(std::string_view text) const {
  [[maybe_unused]] const auto written = ::write(fd_, text.data(), text.size());
}

}  // namespace az
