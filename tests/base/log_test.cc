#include "base/log.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <regex>
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

TEST(Log, ALineHasTimeLevelAndSource) {
  const std::string text =
      Written(LogLevel::kInfo, [](const Log& log) { log.Warn("event=batch rows=192"); });
  const std::regex form(
      R"(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z warn worker_3 event=batch rows=192\n)");
  EXPECT_TRUE(std::regex_match(text, form)) << text;
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
