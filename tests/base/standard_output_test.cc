#include "base/standard_output.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdio>
#include <string>

#include "base/files.h"

namespace az {
namespace {

// Standard output is another file until the end of the scope.
class OutputInto {
 public:
  explicit OutputInto(const char* path) : before_(::dup(STDOUT_FILENO)) {
    std::fflush(stdout);
    const UniqueFd file(::open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600));
    EXPECT_TRUE(file.valid()) << path;
    ::dup2(file.get(), STDOUT_FILENO);
  }
  ~OutputInto() {
    std::fflush(stdout);
    std::clearerr(stdout);
    ::dup2(before_.get(), STDOUT_FILENO);
  }

 private:
  UniqueFd before_;
};

TEST(StandardOutput, HasAllThatWasPrintedWhenTheCallReturns) {
  const std::string path = testing::TempDir() + "printed";
  {
    const OutputInto file(path.c_str());
    std::printf("a line\n");
    EXPECT_TRUE(PrintOut("and more\n"));
    EXPECT_EQ(ReadFile(path).value(), "a line\nand more\n");
  }
  ::unlink(path.c_str());
}

TEST(StandardOutput, AFullDiskIsAnError) {
  const std::string long_text(1 << 20, 'x');
  for (const std::string& text : {std::string("short\n"), long_text}) {
    const OutputInto full("/dev/full");
    const Result<void> printed = PrintOut(text);
    ASSERT_FALSE(printed) << text.size();
    EXPECT_EQ(printed.error().code, Errc::kNoSpace);
    EXPECT_NE(printed.error().message.find("standard output"), std::string::npos);
  }
}

TEST(StandardOutput, WhatWasLostBeforeIsTold) {
  const OutputInto full("/dev/full");
  std::printf("lost\n");
  std::fflush(stdout);  // nobody looks
  EXPECT_FALSE(FlushOutput());
}

}  // namespace
}  // namespace az
