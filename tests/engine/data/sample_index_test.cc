#include "engine/data/sample_index.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "engine/data/position_store.h"
#include "tests/engine/data/records.h"

namespace az {
namespace {

// A game all of whose plies are positions.
PackedGame Game(std::uint32_t index, std::size_t plies, PlyNotes notes) {
  GameRecord record;
  record.id = GameId::Make(GameKind::kSelfPlay, 0, index);
  record.outcome = Outcome::kDraw;
  for (std::size_t ply = 0; ply < plies; ++ply) {
    record.moves.push_back(TestMove(static_cast<int>(ply), 1, {{Action{1}, 100}}));
  }
  return PackedGame(record, SampledPlies::kWithPolicy, std::move(notes));
}

PositionStore StoreOf(std::vector<PackedGame> games) {
  PositionStore store;
  for (PackedGame& game : games) store.Add(std::move(game));
  store.Settle();
  store.IndexSamples();
  return store;
}

TEST(SampleIndex, EqualKeysAreOneGroupOldestFirst) {
  const PositionStore store =
      StoreOf({Game(2, 3, {.keys = {7, 8, 9}}), Game(0, 2, {.keys = {7, 30}}),
               Game(1, 2, {.keys = {7, 9}})});
  const SampleIndex& index = *store.index();
  ASSERT_EQ(index.groups(), 4u);
  const std::span<const PositionAt> sevens = index.members(0);
  ASSERT_EQ(sevens.size(), 3u);
  EXPECT_EQ(sevens[0], (PositionAt{0, 0}));
  EXPECT_EQ(sevens[1], (PositionAt{1, 0}));
  EXPECT_EQ(sevens[2], (PositionAt{2, 0}));
  EXPECT_NEAR(index.weight(0), 1 + std::log2(3.0), 1e-3);
  EXPECT_NEAR(index.weight(1), 1, 1e-9);
  EXPECT_NEAR(index.weight(2), 2, 1e-9);
  EXPECT_EQ(index.members(3).size(), 1u);
}

TEST(SampleIndex, WithoutKeysEveryPositionIsItsOwn) {
  const PositionStore store = StoreOf({Game(0, 2, {.weights = {0.5f, 1.5f}}), Game(1, 1, {})});
  ASSERT_EQ(store.index()->groups(), 3u);
  EXPECT_NEAR(store.index()->weight(0), 0.5, 1e-3);
  EXPECT_NEAR(store.index()->weight(1), 1.5, 1e-3);
  EXPECT_NEAR(store.index()->weight(2), 1.0, 1e-3);
}

TEST(SampleIndex, AGroupOfWeightedPositionsTakesTheirMean) {
  const PositionStore store = StoreOf(
      {Game(0, 1, {.weights = {3.0f}, .keys = {5}}), Game(1, 1, {.weights = {1.0f}, .keys = {5}})});
  ASSERT_EQ(store.index()->groups(), 1u);
  EXPECT_NEAR(store.index()->weight(0), 2 * (1 + 1), 1e-3);
}

// 10^5 draws: every group as often as it weighs, within five deviations; the same draws every time.
TEST(SampleIndex, DrawsByWeight) {
  const PositionStore store =
      StoreOf({Game(0, 4, {.weights = {0.25f, 2.0f, 1.0f, 0.0f}, .keys = {1, 2, 3, 4}}),
               Game(1, 2, {.weights = {0.75f, 1.0f}, .keys = {1, 5}})});
  const SampleIndex& index = *store.index();
  double total = 0;
  for (std::uint32_t group = 0; group < index.groups(); ++group) total += index.weight(group);
  constexpr int kDraws = 100'000;
  std::vector<Sample> samples(kDraws);
  Rng rng(3);
  store.Draw({0, store.positions()}, 2, rng, samples);
  std::vector<int> counts(index.groups());
  for (const Sample& sample : samples) {
    ASSERT_LT(sample.group, counts.size());
    ++counts[sample.group];
    const PositionAt& newest = index.members(sample.group).back();
    EXPECT_EQ(sample.game, newest.game);
    EXPECT_EQ(sample.ply, newest.ply);
  }
  for (std::uint32_t group = 0; group < index.groups(); ++group) {
    const double expected = kDraws * index.weight(group) / total;
    EXPECT_NEAR(counts[group], expected, 5 * std::sqrt(expected) + 1e-9) << group;
  }
  EXPECT_EQ(counts[3], 0) << "weighs nothing";
  std::vector<Sample> again(kDraws);
  Rng same(3);
  store.Draw({0, store.positions()}, 2, same, again);
  EXPECT_EQ(samples, again);
}

TEST(SampleIndex, IsBilledAndGoesWhenTheStoreChanges) {
  PositionStore store = StoreOf({Game(0, 2, {.keys = {1, 2}}), Game(1, 2, {.keys = {1, 2}})});
  const Bytes with = store.memory();
  store.Add(Game(2, 1, {.keys = {1}}));
  EXPECT_EQ(store.index(), nullptr);
  EXPECT_LT(store.memory() - Game(2, 1, {.keys = {1}}).memory(), with);
  EXPECT_GT(Game(0, 2, {.keys = {1, 2}}).memory(), Game(0, 2, {}).memory());
}

}  // namespace
}  // namespace az
