#include "engine/net/expandable_segments.h"

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace az {
namespace {

TEST(ExpandableSegments, AutoIsOffUnderWslAlone) {
  constexpr std::string_view kWsl = "5.15.153.1-microsoft-standard-WSL2";
  constexpr std::string_view kPlain = "6.1.0-21-amd64";
  EXPECT_TRUE(WantsExpandableSegments(std::nullopt, kPlain));
  EXPECT_FALSE(WantsExpandableSegments(std::nullopt, kWsl));
  EXPECT_TRUE(WantsExpandableSegments(true, kWsl));
  EXPECT_FALSE(WantsExpandableSegments(false, kPlain));
}

// An allocator that refuses with `growing` or `plain`, if any.
struct FakeAllocator {
  std::optional<Errc> growing;
  std::optional<Errc> plain;
  std::vector<bool> settings;
  std::vector<std::string> told;

  Result<void> Settle(bool expandable) {
    return SettleSegments(expandable,
                          {.set = [this](bool value) { settings.push_back(value); },
                           .allocate = [this]() -> Result<void> {
                             const auto refusal = settings.back() ? growing : plain;
                             if (refusal)
                               return Error{*refusal, "CUDA driver error: unknown error"};
                             return {};
                           },
                           .on_plain = [this](const Error& why) { told.push_back(why.message); }});
  }
};

TEST(ExpandableSegments, WhatCanBeAllocatedStays) {
  for (const bool expandable : {true, false}) {
    FakeAllocator allocator;
    EXPECT_TRUE(allocator.Settle(expandable));
    EXPECT_EQ(allocator.settings, std::vector<bool>({expandable}));
    EXPECT_TRUE(allocator.told.empty());
  }
}

TEST(ExpandableSegments, PlainOnesWhereTheDriverCannotMapTheOthers) {
  FakeAllocator allocator{.growing = Errc::kUnavailable};
  EXPECT_TRUE(allocator.Settle(true));
  EXPECT_EQ(allocator.settings, std::vector<bool>({true, false}));
  EXPECT_EQ(allocator.told, std::vector<std::string>({"CUDA driver error: unknown error"}));
}

TEST(ExpandableSegments, ADeviceWithoutMemoryOrBrokenIsAnError) {
  FakeAllocator full{.growing = Errc::kNoMemory};
  EXPECT_EQ(full.Settle(true).error().code, Errc::kNoMemory);
  EXPECT_EQ(full.settings, std::vector<bool>({true})) << "it says nothing about segments";
  FakeAllocator broken{.growing = Errc::kUnavailable, .plain = Errc::kUnavailable};
  EXPECT_EQ(broken.Settle(true).error().code, Errc::kUnavailable);
  EXPECT_EQ(broken.Settle(false).error().code, Errc::kUnavailable);
  EXPECT_TRUE(broken.told.empty());
}

}  // namespace
}  // namespace az
