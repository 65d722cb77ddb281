#include "base/log.h"

#include <time.h>
#include <unistd.h>

#include <cstdio>
#include <utility>

namespace az {

Log::Log(int fd, std::string who, LogLevel least) : fd_(fd), who_(std::move(who)), least_(least) {}

void Log::Write(LogLevel level, std::string_view line) const {
  if (fd_ < 0 || level < least_) return;
  constexpr const char* kNames[] = {"debug", "info", "warn", "error"};
  timespec now{};
  ::clock_gettime(CLOCK_REALTIME, &now);
  tm utc{};
  ::gmtime_r(&now.tv_sec, &utc);
  char head[96];
  const int length =
      std::snprintf(head, sizeof head, "%04d-%02d-%02dT%02d:%02d:%02d.%03ldZ %s ",
                    utc.tm_year + 1900, utc.tm_mon + 1, utc.tm_mday, utc.tm_hour, utc.tm_min,
                    utc.tm_sec, now.tv_nsec / 1000000, kNames[static_cast<int>(level)]);
  std::string text(head, static_cast<std::size_t>(length));
  text.append(who_).append(" ").append(line).push_back('\n');
  // A log that cannot be written must not end the run.
  [[maybe_unused]] const auto written = ::write(fd_, text.data(), text.size());
}

}  // namespace az
