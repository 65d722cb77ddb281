#include "base/log.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <string>

namespace az {
namespace {

std::string Written(LogLevel least, void (*use)(const Log&)) {
  std::array<int, 2> ends{};
  EXPECT_EQ(::pipe(ends.data()), 0);
  use(Log(ends[1], "worker_3", least));
  ::close(ends[1]);
  std::string text(4096, '\0');
  const ssize_t count = ::read(ends[0], text.data(), text.size());
  ::close(ends[0]);
  text.resize(static_cast<std::size_t>(count));
  return text;
}

// A line's form, without the time it was written at.
std::string WithDigitsAs9(std::string text) {
  std::ranges::replace_if(
      text, [](char c) { return c >= '0' && c <= '9'; }, '9');
  return text;
}

TEST(Log, ALineHasTimeLevelAndSource) {
  const std::string text =
      Written(LogLevel::kInfo, [](const Log& log) { log.Warn("event=batch rows=192"); });
  EXPECT_EQ(WithDigitsAs9(text), "9999-99-99T99:99:99.999Z warn worker_9 event=batch rows=999\n");
}

TEST(Log, DropsWhatIsBelowItsLevel) {
  EXPECT_EQ(Written(LogLevel::kWarn,
                    [](const Log& log) {
                      log.Debug("a");
                      log.Info("b");
                    }),
            "");
}

TEST(Log, WithoutADescriptorSaysNothing) { Log(-1, "nobody").Error("lost"); }

}  // namespace
}  // namespace az
