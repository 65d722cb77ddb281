#include "base/strong_id.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <type_traits>
#include <unordered_set>

namespace az {
namespace {

using LaneId = StrongId<struct LaneTag, std::uint16_t>;
using BlockId = StrongId<struct BlockTag, std::uint16_t>;

static_assert(sizeof(LaneId) == 2 && std::is_trivially_copyable_v<LaneId>);
static_assert(!std::is_convertible_v<std::uint16_t, LaneId>, "a number is no id");
static_assert(!std::is_convertible_v<LaneId, BlockId>, "ids do not mix");

TEST(StrongId, ComparesAndHashes) {
  EXPECT_EQ(LaneId(3), LaneId(3));
  EXPECT_LT(LaneId(2), LaneId(3));
  EXPECT_EQ(LaneId().value(), 0);
  const std::unordered_set<LaneId> lanes = {LaneId(1), LaneId(1), LaneId(2)};
  EXPECT_EQ(lanes.size(), 2u);
}

}  // namespace
}  // namespace az
