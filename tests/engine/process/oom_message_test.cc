#include "engine/process/oom_message.h"

#include <gtest/gtest.h>

namespace az {
namespace {

OomFigures All() {
  return {.requested = MiB(118),
          .allocated = MiB(300),
          .cached = MiB(30),
          .free = MiB(35),
          .below_cap = MiB(40),
          .rounding = KiB(20)};
}

TEST(OomMessage, CarriesTheFiguresThereAndBack) {
  const OomMessage message = OomMessageOf("train", "no room", All());
  EXPECT_EQ(message.where, "train");
  EXPECT_EQ(message.text, "no room");
  EXPECT_EQ(message.requested_bytes, MiB(118).count());
  EXPECT_EQ(message.memory.reserved_bytes, MiB(330).count());
  EXPECT_EQ(FiguresOf(message), All());
}

TEST(OomMessage, WhatIsUnknownStaysUnknown) {
  EXPECT_EQ(FiguresOf(OomMessageOf("load", "", {})), OomFigures{});
  OomFigures without_cap = All();
  without_cap.below_cap.reset();
  EXPECT_EQ(FiguresOf(OomMessageOf("load", "", without_cap)), without_cap);
}

}  // namespace
}  // namespace az
