#include "engine/process/last_words.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <stdlib.h>
#include <unistd.h>

#include <string>

#include "base/files.h"
#include "base/log.h"

namespace az {
namespace {

class LastWordsTest : public ::testing::Test {
 protected:
  LastWordsTest() {
    char path[] = "/tmp/az_last_words_XXXXXX";
    UniqueFd made(::mkstemp(path));
    // As a run opens its log: to append, not to read.
    fd_.Reset(::open(path, O_WRONLY | O_APPEND | O_CLOEXEC));
    ::unlink(path);
  }
  void Add(const std::string& text) const {
    ASSERT_EQ(::write(fd_.get(), text.data(), text.size()), static_cast<ssize_t>(text.size()));
  }
  std::string Words(std::int64_t from = 0) const { return LastWords(fd_.get(), from, "device"); }

  UniqueFd fd_;
};

TEST_F(LastWordsTest, AreWhatALibraryWrotePastTheLog) {
  Log(fd_.get(), "train").Info("event=child_started");
  Add("az_device: error while loading shared libraries: libx.so: no such file\n");
  Log(fd_.get(), "train").Warn("event=child_died");
  EXPECT_EQ(Words(), "az_device: error while loading shared libraries: libx.so: no such file");
}

TEST_F(LastWordsTest, AreItsOwnErrorNotThatOfAnother) {
  Log(fd_.get(), "device").Error("no plan came");
  Log(fd_.get(), "worker_0").Error("another");
  Log(fd_.get(), "device").Info("event=something");
  EXPECT_EQ(Words(), "no plan came");
}

TEST_F(LastWordsTest, AreOfTheNewestProcessOnly) {
  Add("terminate called\n");
  const std::int64_t size = FileSize(fd_.get());
  EXPECT_EQ(size, 17);
  EXPECT_EQ(Words(size), "");
  Add("again\n\n");
  EXPECT_EQ(Words(size), "again");
}

TEST_F(LastWordsTest, AreShort) {
  Add(std::string(200'000, 'x'));
  EXPECT_EQ(Words(), std::string(300, 'x'));
}

TEST(LastWords, AreNoneWithoutALog) {
  EXPECT_EQ(FileSize(-1), 0);
  EXPECT_EQ(LastWords(-1, 0, "device"), "");
}

}  // namespace
}  // namespace az
