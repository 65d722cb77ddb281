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

}  // namespace
}  // namespace az
