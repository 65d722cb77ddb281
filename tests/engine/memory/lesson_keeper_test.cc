#include "engine/memory/lesson_keeper.h"

#include <gtest/gtest.h>

namespace az {
namespace {

class LessonKeeperTest : public testing::Test {
 protected:
  MemoryState learned_;
  Result<void> answer_;  // of the next saves
  int saves_ = 0;
  ManualClock clock_;
  Log log_{-1, "test"};
  LessonKeeper keeper_{learned_,
                       [this] {
                         ++saves_;
                         return answer_;
                       },
                       clock_, log_};
};

TEST_F(LessonKeeperTest, SavesWhatIsNewOnce) {
  keeper_.Tick();
  EXPECT_EQ(saves_, 0);
  learned_.host.rungs = 1;
  keeper_.Tick();
  keeper_.Tick();
  keeper_.Keep();
  EXPECT_EQ(saves_, 1);
}

TEST_F(LessonKeeperTest, TriesAgainWhatCouldNotBeSaved) {
  learned_.host.rungs = 1;
  answer_ = Error{Errc::kNoSpace, "the disk is full"};
  keeper_.Tick();
  keeper_.Tick();
  EXPECT_EQ(saves_, 1) << "not at every tick";
  clock_.Advance(LessonKeeper::kRetry);
  keeper_.Tick();
  EXPECT_EQ(saves_, 2);
  keeper_.Keep();
  EXPECT_EQ(saves_, 3) << "the end waits for nothing";
  answer_ = {};
  keeper_.Keep();
  keeper_.Keep();
  EXPECT_EQ(saves_, 4);
}

}  // namespace
}  // namespace az
