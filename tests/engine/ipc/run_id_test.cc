#include "engine/ipc/run_id.h"

#include <gtest/gtest.h>

namespace az {
namespace {

TEST(RunId, TextRoundTrip) {
  const RunId id{{0x00, 0x01, 0x9F, 0xFF}};
  EXPECT_EQ(ToHex(id), "00019fff000000000000000000000000");
  EXPECT_EQ(*ParseRunId(ToHex(id)), id);
  EXPECT_EQ(*ParseRunId("00019FFF000000000000000000000000"), id);
}

TEST(RunId, TwoAreNotTheSame) { EXPECT_NE(*NewRunId(), *NewRunId()); }

TEST(RunId, OtherTextIsRefused) {
  for (const char* text :
       {"", "00", "00019fff00000000000000000000000g", "00019fff0000000000000000000000000",
        " 0019fff000000000000000000000000"}) {
    EXPECT_FALSE(ParseRunId(text).has_value()) << text;
  }
}

}  // namespace
}  // namespace az
