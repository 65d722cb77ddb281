#include "engine/process/restart_policy.h"

#include <signal.h>

#include <algorithm>
#include <optional>
#include <string_view>
#include <utility>

#include "base/check.h"
#include "base/strings.h"

namespace az {
namespace {

// What shells and the dynamic linker exit with when a program is there but does not begin: not
// executable, or one of its libraries is missing.
constexpr int kCannotRun = 126;
constexpr int kNotFound = 127;

// What the run ends with when a restart would only meet the same obstacle again.
std::optional<ExitCode> FinalExitCode(const ChildExit& exit) {
  if (exit.how != ChildExit::How::kExited) return std::nullopt;
  switch (exit.code) {
    case static_cast<int>(ExitCode::kUsage):
      return ExitCode::kUsage;
    case static_cast<int>(ExitCode::kEnvironment):
      return ExitCode::kEnvironment;
    case static_cast<int>(ExitCode::kIncompatible):
    case static_cast<int>(ExitCode::kWrongSegment):
      return ExitCode::kIncompatible;
    case kCannotRun:
    case kNotFound:
      return ExitCode::kEnvironment;
    default:
      return std::nullopt;
  }
}

// Deaths at the end of the list that followed the one before within `window`, the last one
// included.
int Streak(std::span<const ChildDeath> deaths, Duration window) {
  int streak = 1;
  for (std::size_t i = deaths.size() - 1; i > 0; --i, ++streak) {
    if (deaths[i].at - deaths[i - 1].at > window) break;
  }
  return streak;
}

// What a person may do about a SIGKILL that this run did not send.
std::string_view HintFor(const ChildDeath& death) {
  const bool is_foreign =
      death.exit == ChildExit{ChildExit::How::kSignal, SIGKILL} && !death.by_supervisor;
  if (!is_foreign) return "";
  return " (the kernel does so when RAM runs out: lower memory.ram_budget, or stop what else "
         "uses it)";
}

bool Counts(const ChildDeath& death) { return !death.by_kernel || !death.was_ready; }

Duration DelayAfter(const RestartPolicy& policy, std::span<const ChildDeath> deaths) {
  const int streak = Streak(deaths, policy.window);
  const bool by_kernel = deaths.back().by_kernel;
  Duration delay = by_kernel ? policy.kernel_delay : Duration::zero();
  for (int i = 1; i < streak && delay < policy.longest_delay; ++i) {
    delay = delay == Duration::zero() ? policy.delay : 2 * delay;
    if (delay == Duration::zero()) break;
  }
  return std::min(delay, policy.longest_delay);
}

}  // namespace

std::string DescribeExit(const ChildExit& exit) {
  switch (exit.how) {
    case ChildExit::How::kExited:
      return StrCat("exited with ", exit.code);
    case ChildExit::How::kSignal:
      return StrCat("was killed by signal ", exit.code);
    case ChildExit::How::kNotStarted:
      return "could not be started";
  }
  return "";
}

RestartDecision DecideRestart(const RestartPolicy& policy, std::span<const ChildDeath> deaths) {
  AZ_CHECK(!deaths.empty());
  const ChildDeath& last = deaths.back();
  if (const auto code = FinalExitCode(last.exit)) {
    std::string reason = DescribeExit(last.exit);
    if (last.exit.code == kCannotRun || last.exit.code == kNotFound) {
      reason += " (it or a library of it is missing, or no memory to load it, ulimit -v)";
    }
    return {.restart = false, .exit_code = *code, .reason = std::move(reason)};
  }
  const auto recent = std::count_if(deaths.begin(), deaths.end(), [&](const ChildDeath& death) {
    return Counts(death) && last.at - death.at <= policy.window;
  });
  if (policy.most_deaths > 0 && Counts(last) && recent > policy.most_deaths) {
    return {.restart = false,
            .exit_code = last.exit.how == ChildExit::How::kNotStarted ? ExitCode::kEnvironment
                                                                      : ExitCode::kFailed,
            .reason = StrCat("died ", recent, " times within ", Fixed(Seconds(policy.window), 0),
                             " s; the last time it ", DescribeExit(last.exit), HintFor(last))};
  }
  return {.restart = true, .delay = DelayAfter(policy, deaths), .reason = ""};
}

}  // namespace az
