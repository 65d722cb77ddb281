#include "engine/fleet/failure_limit.h"

#include <gtest/gtest.h>

namespace az {
namespace {

TEST(TooManyFailed, IsAShareOfMoreThanAFew) {
  EXPECT_FALSE(TooManyFailed(19, 19));
  EXPECT_TRUE(TooManyFailed(20, 20));
  EXPECT_FALSE(TooManyFailed(20, 400));
  EXPECT_TRUE(TooManyFailed(21, 400));
}

TEST(TooManyFailedInAll, IsAlsoEveryGameOfAShortPhase) {
  EXPECT_FALSE(TooManyFailedInAll(0, 0));
  EXPECT_TRUE(TooManyFailedInAll(1, 1));
  EXPECT_TRUE(TooManyFailedInAll(10, 10));
  EXPECT_FALSE(TooManyFailedInAll(9, 10));
  EXPECT_TRUE(TooManyFailedInAll(21, 400));
}

}  // namespace
}  // namespace az
