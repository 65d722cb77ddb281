#include "base/strings.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "base/rng.h"

namespace az {
namespace {

TEST(StrCat, TakesTextNumbersAndFacts) {
  EXPECT_EQ(StrCat("a", std::string("b"), 'c', 1, -2, 3u, true, 0.5), "abc1-23true0.5");
  EXPECT_EQ(StrCat(std::numeric_limits<std::int64_t>::min()), "-9223372036854775808");
  EXPECT_EQ(StrCat(std::numeric_limits<std::uint64_t>::max()), "18446744073709551615");
  EXPECT_EQ(StrCat(std::int8_t{65}), "65") << "small integers are numbers, not characters";
}

TEST(StrCat, DoublesReadBackTheSame) {
  Rng rng(4);
  for (int i = 0; i < 1000; ++i) {
    const double value =
        (rng.Uniform() - 0.5) * std::pow(10.0, static_cast<double>(rng.Below(40)) - 20);
    double read = 0;
    ASSERT_TRUE(ParseDouble(StrCat(value), read));
    EXPECT_EQ(read, value);
  }
}

TEST(Parse, TakesTheWholeTextOrNothing) {
  std::int64_t number = 7;
  EXPECT_TRUE(ParseInt("-12", number));
  EXPECT_EQ(number, -12);
  for (const char* text : {"", "12x", "1.5", " 1", "9223372036854775808", "+"}) {
    EXPECT_FALSE(ParseInt(text, number)) << text;
  }
  std::uint64_t count = 0;
  EXPECT_TRUE(ParseUint("18446744073709551615", count));
  EXPECT_FALSE(ParseUint("-1", count));
  double real = 0;
  EXPECT_TRUE(ParseDouble("1e-3", real));
  EXPECT_EQ(real, 1e-3);
  EXPECT_FALSE(ParseDouble("1e-3s", real));
}

TEST(Text, TrimsSplitsAndJoins) {
  EXPECT_EQ(Trim("  a b\t\n"), "a b");
  EXPECT_EQ(Trim(" \n"), "");
  EXPECT_EQ(Split("a,,b", ','), (std::vector<std::string_view>{"a", "", "b"}));
  EXPECT_EQ(Split("", ','), (std::vector<std::string_view>{""}));
  EXPECT_EQ(Join({"x", "y", "z"}, ", "), "x, y, z");
  EXPECT_EQ(Join({}, ", "), "");
}

TEST(Text, FormatsNumbersForAPerson) {
  EXPECT_EQ(Fixed(3.14159, 2), "3.14");
  EXPECT_EQ(Fixed(-0.5, 0), "-0");
  EXPECT_EQ(FormatCount(0), "0");
  EXPECT_EQ(FormatCount(999), "999");
  EXPECT_EQ(FormatCount(1234), "1.23 k");
  EXPECT_EQ(FormatCount(999'600), "1.00 M");
  EXPECT_EQ(FormatCount(3.4e6), "3.40 M");
}

TEST(Nearest, FindsLikelyTypingErrorsOnly) {
  const std::vector<std::string> keys = {"search.visits", "search.c_puct", "train.lr"};
  EXPECT_EQ(Nearest("search.vists", keys), "search.visits");
  EXPECT_EQ(Nearest("search.cpuct", keys), "search.c_puct");
  EXPECT_EQ(Nearest("something.else", keys), "");
  EXPECT_EQ(Nearest("x", {}), "");
}

}  // namespace
}  // namespace az
