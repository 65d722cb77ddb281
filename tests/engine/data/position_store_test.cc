#include "engine/data/position_store.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <vector>

#include "tests/engine/data/records.h"

namespace az {
namespace {

// A game whose plies have a policy where `has_policy` says so.
PackedGame Game(std::uint32_t iteration, std::uint32_t index, const std::vector<bool>& has_policy) {
  GameRecord record;
  record.id = GameId::Make(GameKind::kSelfPlay, iteration, index);
  record.outcome = Outcome::kFirstWins;
  for (std::size_t ply = 0; ply < has_policy.size(); ++ply) {
    record.moves.push_back(TestMove(static_cast<int>(ply), 1));
    if (has_policy[ply]) record.moves.back().policy = {{Action{1}, 100}, {Action{2}, 200}};
  }
  return PackedGame(record);
}

TEST(PackedGame, FastPliesArePositionsWhenAskedFor) {
  GameRecord record;
  record.id = GameId::Make(GameKind::kSelfPlay, 3, 9);
  record.outcome = Outcome::kFirstWins;
  record.moves = {TestMove(0, 4, {{Action{4}, 65535}}), TestMove(1, 7), TestMove(2, 8),
                  TestMove(3, 9, {{Action{9}, 65535}})};
  record.moves[2].flags = kMoveFast;
  EXPECT_EQ(PackedGame(record).positions(), 2);
  PositionStore store;
  store.Add(PackedGame(record, SampledPlies::kFastToo));
  store.Settle();
  ASSERT_EQ(store.positions(), 3);
  EXPECT_EQ(store.Locate(0).ply, 0);
  EXPECT_EQ(store.Locate(1).ply, 2) << "ply 1 had no search";
  EXPECT_EQ(store.Locate(2).ply, 3);
}

TEST(PackedGame, KeepsNetworkValuesTo127ths) {
  GameRecord record;
  record.id = GameId::Make(GameKind::kSelfPlay, 3, 9);
  record.outcome = Outcome::kFirstWins;
  const float values[] = {-1.0f, -0.3f, 0.0f, 0.717f, 1.0f, 1.5f};
  for (int ply = 0; ply < 6; ++ply) {
    record.moves.push_back(TestMove(ply, ply));
    record.moves.back().network_value = values[ply];
  }
  record.moves.push_back(TestMove(6, 6));
  record.moves.back().network_value = kNoNetworkValue;
  const PackedGame game(record);
  for (std::size_t ply = 0; ply < 6; ++ply) {
    EXPECT_NEAR(game.moves()[ply].network_value(), std::min(values[ply], 1.0f), 0.5 / 127 + 1e-6);
  }
  EXPECT_EQ(game.moves()[6].network_value(), 0.0f);
}

TEST(PackedGame, KeepsMovesPoliciesAndFlags) {
  GameRecord record;
  record.id = GameId::Make(GameKind::kSelfPlay, 3, 9);
  record.outcome = Outcome::kSecondWins;
  record.moves = {TestMove(0, 4, {{Action{4}, 60000}, {Action{5}, 5535}}), TestMove(1, 7),
                  TestMove(2, 8, {{Action{8}, 65535}})};
  record.moves[2].flags = kMoveProven;
  const PackedGame game(record);
  EXPECT_EQ(game.id(), record.id);
  EXPECT_EQ(game.outcome(), Outcome::kSecondWins);
  EXPECT_EQ(game.positions(), 2);
  ASSERT_EQ(game.moves().size(), 3u);
  for (std::size_t ply = 0; ply < 3; ++ply) {
    const PackedMove& move = game.moves()[ply];
    EXPECT_EQ(move.action, record.moves[ply].action);
    EXPECT_EQ(move.flags, record.moves[ply].flags);
    EXPECT_EQ(move.root_value, record.moves[ply].root_value);
    const auto policy = game.policy(move);
    EXPECT_TRUE(std::equal(policy.begin(), policy.end(), record.moves[ply].policy.begin(),
                           record.moves[ply].policy.end()));
  }
}

TEST(PositionStore, NumbersEveryPositionOnce) {
  PositionStore store;
  store.Add(Game(0, 2, {true, true}));
  store.Add(Game(0, 0, {false, true, true}));
  store.Add(Game(0, 1, {false, false}));
  store.Settle();
  ASSERT_EQ(store.positions(), 4);
  const std::vector<Sample> expected = {
      {.game = 0, .ply = 1}, {.game = 0, .ply = 2}, {.game = 2, .ply = 0}, {.game = 2, .ply = 1}};
  for (std::int64_t number = 0; number < 4; ++number) {
    EXPECT_EQ(store.Locate(number), expected[static_cast<std::size_t>(number)]) << number;
  }
}

TEST(PositionStore, OrderOfAddingDoesNotMatter) {
  PositionStore rising;
  PositionStore falling;
  for (std::uint32_t i = 0; i < 50; ++i) rising.Add(Game(i / 10, i % 10, {true, i % 3 == 0}));
  for (std::uint32_t i = 50; i-- > 0;) falling.Add(Game(i / 10, i % 10, {true, i % 3 == 0}));
  rising.Settle();
  falling.Settle();
  ASSERT_EQ(rising.positions(), falling.positions());
  for (std::size_t i = 0; i < 50; ++i) EXPECT_EQ(rising.games()[i].id(), falling.games()[i].id());
  for (std::int64_t n = 0; n < rising.positions(); ++n)
    EXPECT_EQ(rising.Locate(n), falling.Locate(n));
}

TEST(PositionStore, KeepsTheNewestGames) {
  struct Case {
    std::int64_t keep;
    std::size_t games;
  };
  // Five games of two positions each: as few whole games as hold `keep`.
  for (const Case c : {Case{0, 0}, {1, 1}, {2, 1}, {3, 2}, {9, 5}, {10, 5}, {11, 5}}) {
    PositionStore store;
    for (std::uint32_t i = 0; i < 5; ++i) store.Add(Game(0, i, {true, true}));
    store.Settle();
    store.KeepNewest(c.keep);
    EXPECT_EQ(store.games().size(), c.games) << c.keep;
    EXPECT_EQ(store.positions(), static_cast<std::int64_t>(2 * c.games));
    if (c.games > 0) {
      EXPECT_EQ(store.games().back().id().index(), 4u);
    }
  }
}

TEST(PositionStore, RangesFollowIterations) {
  PositionStore store;
  for (std::uint32_t i = 0; i < 6; ++i) store.Add(Game(i / 2, i % 2, {true, true, true}));
  store.Settle();
  const auto range = [&](std::uint32_t first, std::uint32_t last) {
    const PositionRange r = store.Range(first, last);
    return std::pair(r.begin, r.end);
  };
  EXPECT_EQ(range(0, 2), (std::pair<std::int64_t, std::int64_t>(0, 18)));
  EXPECT_EQ(range(1, 1), (std::pair<std::int64_t, std::int64_t>(6, 12)));
  EXPECT_EQ(range(2, 9), (std::pair<std::int64_t, std::int64_t>(12, 18)));
  EXPECT_EQ(store.Range(7, 9).count(), 0);
}

TEST(PositionStore, DrawsUniformlyAndRepeatably) {
  PositionStore store;
  store.Add(Game(0, 0, {true}));
  store.Add(Game(0, 1, {true, false, true, true, true, true, true, true}));
  store.Settle();
  ASSERT_EQ(store.positions(), 8);
  constexpr int kDraws = 80'000;
  std::vector<Sample> samples(kDraws);
  Rng rng(5);
  store.Draw({0, 8}, 2, rng, samples);
  std::vector<int> by_position(16);
  std::vector<int> by_symmetry(2);
  for (const Sample& sample : samples) {
    ++by_position[static_cast<std::size_t>(sample.game * 8 + sample.ply)];
    ASSERT_LT(sample.symmetry, 2);
    ++by_symmetry[sample.symmetry];
  }
  EXPECT_NEAR(by_symmetry[0], kDraws / 2, 5 * 141);
  EXPECT_EQ(by_position[9], 0) << "a ply without a policy";
  for (const std::size_t at : {0u, 8u, 10u, 11u, 12u, 13u, 14u, 15u}) {
    EXPECT_NEAR(by_position[at], kDraws / 8, 5 * 94) << at;  // five standard deviations
  }
  std::vector<Sample> again(kDraws);
  Rng same(5);
  store.Draw({0, 8}, 2, same, again);
  EXPECT_EQ(samples, again);
  store.Draw({3, 4}, 1, rng, again);
  EXPECT_EQ(std::set<int>(), [&] {
    std::set<int> others;
    for (const Sample& sample : again) {
      if (!(sample == store.Locate(3))) others.insert(sample.ply);
    }
    return others;
  }());
}

TEST(PositionStore, AccountsForItsMemory) {
  PositionStore store;
  EXPECT_EQ(store.memory(), Bytes(0));
  for (std::uint32_t i = 0; i < 5; ++i) store.Add(Game(0, i, {true, true}));
  // Two moves of 16 bytes, four policy entries of 4, and the object.
  EXPECT_EQ(store.memory(), Bytes(5 * (static_cast<std::int64_t>(sizeof(PackedGame)) + 32 + 16)));
  store.Settle();
  store.KeepNewest(2);
  EXPECT_EQ(store.memory(), Bytes(static_cast<std::int64_t>(sizeof(PackedGame)) + 32 + 16));
}

}  // namespace
}  // namespace az
