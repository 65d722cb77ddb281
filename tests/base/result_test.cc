#include "base/result.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>

namespace az {
namespace {

Result<int> Half(int value) {
  if (value % 2 != 0) return Error{Errc::kInvalid, "odd"};
  return value / 2;
}
Result<void> NeedsEven(int value) {
  AZ_RETURN_IF_ERROR(Half(value));
  return {};
}
Result<int> Quarter(int value) {
  AZ_ASSIGN_OR_RETURN(const int half, Half(value));
  AZ_ASSIGN_OR_RETURN(const int quarter, Half(half));
  return quarter;
}

TEST(Result, HoldsAValueOrAnError) {
  EXPECT_EQ(Half(4).value(), 2);
  EXPECT_FALSE(Half(3));
  EXPECT_EQ(Half(3).error().code, Errc::kInvalid);
  EXPECT_TRUE(NeedsEven(2));
  EXPECT_EQ(NeedsEven(1).error().message, "odd");
}

TEST(Result, MacrosHandTheErrorUp) {
  EXPECT_EQ(Quarter(8).value(), 2);
  EXPECT_EQ(Quarter(6).error().message, "odd");
}

TEST(Result, CarriesMoveOnlyValues) {
  Result<std::unique_ptr<int>> result = std::make_unique<int>(7);
  const std::unique_ptr<int> owned = *std::move(result);
  EXPECT_EQ(*owned, 7);
}

TEST(Result, ContextIsAddedInFront) {
  const Error error = WithContext("open journal x", {Errc::kIo, "bad disk"});
  EXPECT_EQ(error.message, "open journal x: bad disk");
  EXPECT_EQ(error.code, Errc::kIo);
}

TEST(ResultDeathTest, TheWrongSideIsABug) {
  EXPECT_DEATH((void)Half(3).value(), "odd");
  EXPECT_DEATH((void)Half(4).error(), "check failed");
}

TEST(ErrcName, IsShortLowerCaseAndReadsBack) {
  EXPECT_EQ(ErrcName(Errc::kNoSpace), "no_space");
  for (int code = 0; code <= static_cast<int>(Errc::kStopped); ++code) {
    EXPECT_EQ(ErrcFromName(ErrcName(static_cast<Errc>(code))), static_cast<Errc>(code));
  }
}

}  // namespace
}  // namespace az
