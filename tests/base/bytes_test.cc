#include "base/bytes.h"

#include <gtest/gtest.h>

#include <string_view>

namespace az {
namespace {

TEST(Bytes, FormatsWithThreeDigits) {
  struct Case {
    Bytes bytes;
    std::string_view text;
  };
  for (const Case& c :
       {Case{Bytes(0), "0 B"}, Case{Bytes(512), "512 B"}, Case{Bytes(1536), "1.50 KiB"},
        Case{MiB(36), "36 MiB"}, Case{Bytes(36'909'875), "35.2 MiB"}, Case{GiB(4), "4 GiB"},
        Case{Bytes(12'605'728'522), "11.74 GiB"}, Case{Bytes(-2048), "-2 KiB"}}) {
    EXPECT_EQ(FormatBytes(c.bytes), c.text);
  }
}

TEST(Bytes, ReadsBinaryAndDecimalUnits) {
  EXPECT_EQ(ParseBytes("512MiB").value(), MiB(512));
  EXPECT_EQ(ParseBytes(" 4 GiB ").value(), GiB(4));
  EXPECT_EQ(ParseBytes("12GB").value(), Bytes(12'000'000'000));
  EXPECT_EQ(ParseBytes("1.5KiB").value(), Bytes(1536));
  EXPECT_EQ(ParseBytes("0B").value(), Bytes(0));
}

TEST(Bytes, RefusesWhatIsNoSizeAndSaysWhy) {
  struct Case {
    std::string_view text;
    std::string_view why;
  };
  for (const Case& c :
       {Case{"4096", "has no unit"}, Case{"-1GiB", "is negative"}, Case{"4gb", "is not a unit"},
        Case{"", "is not a size"}, Case{"MiB", "is not a size"}, Case{"nanGiB", "is not a size"},
        Case{"infB", "is not a size"}, Case{"9999999TiB", "is too large"},
        Case{"1 MiB x", "is not a unit"}}) {
    const Result<Bytes> bytes = ParseBytes(c.text);
    ASSERT_FALSE(bytes) << c.text;
    EXPECT_EQ(bytes.error().code, Errc::kInvalid);
    EXPECT_NE(bytes.error().message.find(c.why), std::string::npos) << bytes.error().message;
  }
}

TEST(Bytes, AddsAmongItsOwnKind) {
  EXPECT_EQ(MiB(1) + KiB(512) * 2, MiB(2));
  EXPECT_EQ(GiB(1) / MiB(1), 1024);
  EXPECT_EQ(MiB(3) / 2, KiB(1536));
  EXPECT_LT(MiB(1), GiB(1));
}

}  // namespace
}  // namespace az
