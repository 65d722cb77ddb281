#include "base/readable.h"

#include <gtest/gtest.h>

namespace az {
namespace {

TEST(Readable, ForeignTextIsCutAndPrintable) {
  EXPECT_EQ(Shown("d4"), "d4");
  EXPECT_EQ(Shown(std::string_view("a\0b\x1b[2J\n", 8)), "a?b?[2J?");
  EXPECT_EQ(Shown("größe"), "größe");
  EXPECT_EQ(Shown("abcdef", 6), "abcdef");
  EXPECT_EQ(Shown("abcdefg", 6), "abcdef...");
  EXPECT_EQ(Shown(std::string(1'000'000, 'x')).size(), 67u);
}

TEST(Readable, ColumnsAreFilledOnEitherSide) {
  EXPECT_EQ(LeftAligned("ab", 4), "ab  ");
  EXPECT_EQ(RightAligned("ab", 4), "  ab");
  EXPECT_EQ(LeftAligned("abcde", 4), "abcde");
  EXPECT_EQ(RightAligned("abcde", 4), "abcde");
}

TEST(Readable, WhatRoundsToNothingHasNoMinus) {
  EXPECT_EQ(Signed(0.25, 2), "+0.25");
  EXPECT_EQ(Signed(-12.4, 0), "-12");
  EXPECT_EQ(Signed(0.0, 0), "+0");
  EXPECT_EQ(Signed(-0.0, 0), "+0");
  EXPECT_EQ(Signed(-0.004, 2), "+0.00");
  EXPECT_EQ(Signed(-0.006, 2), "-0.01");
}

}  // namespace
}  // namespace az
