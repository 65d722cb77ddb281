#include "engine/play/gtp_line.h"

#include <gtest/gtest.h>

#include <string>

namespace az {
namespace {

TEST(GtpLine, IsReadAsTheProtocolSays) {
  const auto command = ParseGtpLine("  17\tplay  b\tD4 # the point\r");
  ASSERT_TRUE(command.has_value());
  EXPECT_EQ(command->id, 17u);
  EXPECT_EQ(command->name, "play");
  EXPECT_EQ(command->arguments, (std::vector<std::string>{"b", "D4"}));
}

TEST(GtpLine, MeansNothingWhenNothingIsLeft) {
  for (const char* line : {"", "   ", "\t \r", "# play b d4", " \x01\x02#", "\x7f"}) {
    EXPECT_FALSE(ParseGtpLine(line).has_value()) << line;
  }
}

TEST(GtpLine, ControlCharactersVanishWithinWords) {
  const auto command = ParseGtpLine(std::string_view("na\x01me\0\x1b x", 9));
  ASSERT_TRUE(command.has_value());
  EXPECT_EQ(command->name, "name");
}

TEST(GtpLine, IdsAreWholeNumbersOf31Bits) {
  EXPECT_EQ(ParseGtpLine("2147483647 name")->id, 2147483647u);
  EXPECT_EQ(ParseGtpLine("0 name")->id, 0u);
  EXPECT_EQ(ParseGtpLine("007 name")->id, 7u);
  for (const char* name : {"2147483648", "-1", "1.5", "7x", "99999999999999999999999"}) {
    const auto command = ParseGtpLine(std::string(name) + " name");
    EXPECT_FALSE(command->id.has_value()) << name;
    EXPECT_EQ(command->name, name);
  }
  EXPECT_EQ(ParseGtpLine("5")->id, 5u);
  EXPECT_EQ(ParseGtpLine("5")->name, "");
}

TEST(GtpLine, AnswersEndWithOneEmptyLine) {
  EXPECT_EQ(GtpAnswer(GtpStatus::kSuccess, std::nullopt, ""), "=\n\n");
  EXPECT_EQ(GtpAnswer(GtpStatus::kSuccess, 3, "D4"), "=3 D4\n\n");
  EXPECT_EQ(GtpAnswer(GtpStatus::kFailure, 3, "unknown command"), "?3 unknown command\n\n");
  EXPECT_EQ(GtpAnswer(GtpStatus::kSuccess, std::nullopt, "\na\n\n\nb\x01\n\n"), "=\na\nb\n\n");
}

TEST(GtpLine, ColorsHaveTwoNamesEach) {
  EXPECT_EQ(ParseGtpColor("B"), Player::kFirst);
  EXPECT_EQ(ParseGtpColor("White"), Player::kSecond);
  EXPECT_FALSE(ParseGtpColor("grey").has_value());
  EXPECT_FALSE(ParseGtpColor("").has_value());
}

}  // namespace
}  // namespace az
