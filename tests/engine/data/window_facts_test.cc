#include "engine/data/window_facts.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <string>
#include <vector>

#include "games/registry.h"
#include "tests/engine/data/random_games.h"
#include "tests/engine/data/records.h"

namespace az {
namespace {

const GameOps& TicTacToe() { return *FindGame("tic_tac_toe").value(); }

GameRecord Versioned(GameRecord record, std::uint64_t version) {
  for (MoveRecord& move : record.moves) move.weights_version = version;
  return record;
}

TEST(AgeOf, CountsEveryPositionBehindTheNewestWeights) {
  PositionStore store;
  std::vector<double> lags;
  std::vector<double> ages;
  for (std::uint32_t iteration = 2; iteration < 8; ++iteration) {
    for (std::uint32_t index = 0; index < 5; ++index) {
      const PackedGame game(
          Versioned(RandomGame(TicTacToe(), GameId::Make(GameKind::kSelfPlay, iteration, index)),
                    3 * iteration));
      lags.insert(lags.end(), static_cast<std::size_t>(game.positions()), 21.0 - 3.0 * iteration);
      ages.insert(ages.end(), static_cast<std::size_t>(game.positions()), 9.0 - iteration);
      store.Add(game);
    }
  }
  store.Settle();
  const auto mean = [](const std::vector<double>& values) {
    double sum = 0;
    for (const double value : values) sum += value;
    return sum / static_cast<double>(values.size());
  };
  const auto p95 = [](std::vector<double> values) {
    std::ranges::sort(values);
    const auto rank =
        static_cast<std::size_t>(std::ceil(0.95 * static_cast<double>(values.size())));
    return values[rank - 1];
  };
  const WindowAge age = AgeOf(store, 9);
  EXPECT_NEAR(age.lag_mean_versions, mean(lags), 1e-9);
  EXPECT_EQ(age.lag_p95_versions, p95(lags));
  EXPECT_NEAR(age.mean_iterations, mean(ages), 1e-9);
  EXPECT_EQ(age.p95_iterations, p95(ages));
}

TEST(AgeOf, AGameIsAsOldAsTheNewestWeightsThatSearchedIt) {
  GameRecord early = RandomGame(TicTacToe(), GameId::Make(GameKind::kSelfPlay, 0, 0));
  early.moves[0].weights_version = 2;
  early.moves[1].weights_version = 5;  // published while it was played
  PositionStore store;
  store.Add(PackedGame(early));
  store.Settle();
  EXPECT_EQ(AgeOf(store, 0).lag_mean_versions, 0.0);
  EXPECT_EQ(AgeOf(PositionStore(), 3).lag_p95_versions, 0.0);
}

TEST(CountPositions, FindsWhatBoardsAsTextFind) {
  PositionStore store;
  std::set<std::string> boards;
  std::int64_t positions = 0;
  for (std::uint32_t index = 0; index < 200; ++index) {
    const GameRecord record =
        RandomGame(TicTacToe(), GameId::Make(GameKind::kSelfPlay, 4, index), 0.7);
    store.Add(PackedGame(record));
    const auto position = TicTacToe().Start();
    for (const MoveRecord& move : record.moves) {
      if (!move.policy.empty()) {
        ++positions;
        boards.insert(position->ToString());
      }
      ASSERT_TRUE(position->Apply(move.action));
    }
  }
  store.Add(PackedGame(RandomGame(TicTacToe(), GameId::Make(GameKind::kSelfPlay, 5, 0))));
  store.Settle();
  const Result<PositionCensus> census = CountPositions(TicTacToe(), store, 4);
  ASSERT_TRUE(census);
  EXPECT_EQ(census->positions, positions);
  EXPECT_EQ(census->distinct, static_cast<std::int64_t>(boards.size()));
  EXPECT_GT(census->duplicate_fraction(), 0.2);
  EXPECT_EQ(CountPositions(TicTacToe(), store, 6)->positions, 0);
}

// Of two iterations: games of the one before, some begun in advance and finished by newer weights,
// some played by those alone.
TEST(DrawServedRoots, AreThoseThatTheNewestWeightsSearched) {
  constexpr float kOld = 0.25f;
  constexpr float kNew = -0.5f;
  PositionStore store;
  for (std::uint32_t index = 0; index < 40; ++index) {
    GameRecord record =
        RandomGame(TicTacToe(), GameId::Make(GameKind::kSelfPlay, index < 10 ? 4 : 5, index));
    for (MoveRecord& move : record.moves) {
      const bool is_old = index < 10 || index % 4 == 0 || (index % 4 == 1 && move.ply < 3);
      move.weights_version = is_old ? 7 : 9;
      move.network_value = is_old ? kOld : kNew;
      move.visits = move.ply == 4 ? 0 : 32;
      if (move.ply == 4) move.weights_version = 0;
      if (move.ply % 5 == 1) move.flags |= kMoveProven;
    }
    store.Add(PackedGame(record));
  }
  store.Settle();
  Rng rng(1);
  const ServedRoots roots = DrawServedRoots(store, 5, 200, rng);
  ASSERT_EQ(roots.samples.size(), 200u);
  ASSERT_EQ(roots.values.size(), 200u);
  std::set<int> plies;
  for (std::size_t i = 0; i < roots.samples.size(); ++i) {
    const PackedGame& game = store.games()[roots.samples[i].game];
    EXPECT_EQ(game.id().iteration(), 5u);
    EXPECT_NEAR(roots.values[i], kNew, 0.01);
    plies.insert(roots.samples[i].ply);
  }
  EXPECT_EQ(plies.count(4) + plies.count(1) + plies.count(6), 0u) << "not searched, or proven";
  EXPECT_TRUE(plies.contains(0) && plies.contains(3));
  const ServedRoots older = DrawServedRoots(store, 4, 10, rng);
  ASSERT_FALSE(older.values.empty());
  EXPECT_NEAR(older.values.front(), kOld, 0.01) << "the newest of that iteration";
  EXPECT_TRUE(DrawServedRoots(store, 6, 10, rng).samples.empty());
}

}  // namespace
}  // namespace az
