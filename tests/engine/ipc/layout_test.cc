#include "engine/ipc/layout.h"

#include <gtest/gtest.h>

#include <vector>

namespace az {
namespace {

TEST(Layout, Goldens) {
  const SegmentLayout hex5 = ComputeLayout(
      {.lanes = 4, .blocks = 4, .rows = 32, .in_words = 17, .num_actions = 26, .models = 2});
  EXPECT_EQ(hex5.lanes_at, 4096u);
  EXPECT_EQ(hex5.blocks_at, 384u);
  EXPECT_EQ(hex5.planes_at, 4096u);
  EXPECT_EQ(hex5.planes_stride, 4352u);
  EXPECT_EQ(hex5.logits_at, 21504u);
  EXPECT_EQ(hex5.logits_stride, 3328u);
  EXPECT_EQ(hex5.values_at, 34816u);
  EXPECT_EQ(hex5.values_stride, 128u);
  EXPECT_EQ(hex5.lane_bytes, 36864u);
  EXPECT_EQ(hex5.total_bytes, 151552u);

  const SegmentLayout go19 = ComputeLayout(
      {.lanes = 16, .blocks = 4, .rows = 32, .in_words = 102, .num_actions = 362, .models = 2});
  EXPECT_EQ(go19.lane_bytes, 294912u);
  EXPECT_EQ(go19.total_bytes, 4722688u);
}

TEST(Layout, PartsNeitherOverlapNorLoseTheirAlignment) {
  for (const std::uint32_t blocks : {1u, 3u, 8u}) {
    for (const std::uint32_t rows : {1u, 7u, 64u}) {
      for (const std::uint32_t words : {1u, 17u, 4096u}) {
        for (const std::uint32_t actions : {1u, 26u, 65535u}) {
          const SegmentShape shape{.lanes = 3,
                                   .blocks = blocks,
                                   .rows = rows,
                                   .in_words = words,
                                   .num_actions = actions,
                                   .models = 1};
          const SegmentLayout at = ComputeLayout(shape);
          EXPECT_LE(at.blocks_at + blocks * sizeof(BlockLine), at.planes_at);
          EXPECT_GE(at.planes_stride, std::uint64_t{rows} * words * 8);
          EXPECT_EQ(at.planes_at + blocks * at.planes_stride, at.logits_at);
          EXPECT_GE(at.logits_stride, std::uint64_t{rows} * actions * 4);
          EXPECT_EQ(at.logits_at + blocks * at.logits_stride, at.values_at);
          EXPECT_LE(at.values_at + blocks * at.values_stride, at.lane_bytes);
          for (const std::uint64_t offset : {at.planes_at, at.lane_bytes, at.lanes_at}) {
            EXPECT_EQ(offset % 4096, 0u);
          }
          for (const std::uint64_t offset :
               {at.planes_stride, at.logits_stride, at.logits_at, at.values_stride, at.values_at}) {
            EXPECT_EQ(offset % 64, 0u);
          }
          EXPECT_EQ(at.total_bytes, at.lanes_at + 3 * at.lane_bytes);
        }
      }
    }
  }
}

TEST(Layout, ShapesOutOfRangeAreRefusedByName) {
  struct Case {
    SegmentShape shape;
    std::string named;
  };
  const std::vector<Case> cases = {
      {{.lanes = 0}, "lanes = 0"},
      {{.lanes = 257}, "lanes = 257"},
      {{.blocks = 9}, "blocks = 9"},
      {{.rows = 65}, "rows = 65"},
      {{.in_words = 4097}, "in_words = 4097"},
      {{.num_actions = 65536}, "num_actions = 65536"},
      {{.models = 5}, "models = 5"},
  };
  for (const Case& bad : cases) {
    const auto checked = CheckShape(bad.shape);
    ASSERT_FALSE(checked.has_value()) << bad.named;
    EXPECT_EQ(checked.error().code, Errc::kInvalid);
    EXPECT_NE(checked.error().message.find(bad.named), std::string::npos)
        << checked.error().message;
  }
  EXPECT_TRUE(CheckShape({256, 8, 64, 4096, 65535, 4}).has_value());
}

TEST(Layout, HashIsThatOfThisVersion) {
  // Changes with any member: then kLayoutVersion and docs/formats/segment.md change too.
  EXPECT_EQ(kLayoutVersion, 2u);
  EXPECT_EQ(LayoutHash(), 3670362654u);
}

}  // namespace
}  // namespace az
