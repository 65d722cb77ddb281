#include "engine/ipc/block.h"

#include <gtest/gtest.h>

#include <tuple>
#include <vector>

namespace az {
namespace {

constexpr BlockState kF = BlockState::kFree;
constexpr BlockState kS = BlockState::kSubmitted;
constexpr BlockState kT = BlockState::kTaken;
constexpr BlockState kD = BlockState::kDone;
constexpr BlockState kX = BlockState::kFailed;

TEST(Block, TheTableOfLegalTransitionsIsComplete) {
  const std::vector<std::tuple<BlockState, BlockState, Role>> legal = {
      {kF, kS, Role::kWorker}, {kD, kF, Role::kWorker}, {kX, kF, Role::kWorker},
      {kS, kT, Role::kServer}, {kS, kX, Role::kServer}, {kT, kD, Role::kServer},
      {kT, kX, Role::kServer}, {kT, kS, Role::kServer},
  };
  for (std::uint32_t from = 0; from < 8; ++from) {  // 5 to 7: words that nobody of ours wrote
    for (std::uint32_t to = 0; to < 8; ++to) {
      for (const Role role : {Role::kWorker, Role::kServer}) {
        const std::tuple move{StateOf(from), StateOf(to), role};
        const bool listed = std::find(legal.begin(), legal.end(), move) != legal.end();
        EXPECT_EQ(IsLegal(StateOf(from), StateOf(to), role), listed)
            << from << " to " << to << " by " << static_cast<int>(role);
      }
    }
  }
}

TEST(Block, TheStateWordCarriesTheDeviceEpoch) {
  const std::uint32_t word = StateWord(kT, 12345);
  EXPECT_EQ(StateOf(word), kT);
  EXPECT_EQ(EpochOf(word), 12345u);
}

TEST(BlockDeathTest, AnIllegalStoreEndsTheProcess) {
  BlockLine line{};
  EXPECT_DEATH(StoreState(line, kD, Role::kServer), "free to done");
  EXPECT_DEATH(StoreState(line, kS, Role::kServer), "free to submitted");
}

}  // namespace
}  // namespace az
