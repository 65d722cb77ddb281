#include "mcts/rollout_player.h"

#include <gtest/gtest.h>

#include "games/registry.h"
#include "tests/mcts/support/drive.h"

namespace az {
namespace {

template <GameState S>
Action RandomMove(const S& state, Rng& rng) {
  const auto legal = state.LegalActions();
  return legal.Nth(static_cast<int>(rng.Below(static_cast<std::uint64_t>(legal.Count()))));
}

TEST(RolloutMove, TakesAWinAndBlocksOne) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    EXPECT_EQ(RolloutMove(After<TicTacToe>({0, 3, 1, 4}), 200, Rng(seed)), Action{2});
    EXPECT_EQ(RolloutMove(After<TicTacToe>({0, 4, 1}), 500, Rng(seed)), Action{2});
    EXPECT_EQ(RolloutMove(After<ConnectFour>({0, 6, 1, 6, 2, 6}), 300, Rng(seed)), Action{3});
  }
}

TEST(RolloutMove, IsLegalEverywhereAndRepeats) {
  ForEachGame([]<GameState S>() {
    S state;
    Rng rng(5);
    for (std::uint64_t ply = 0; !state.Result().has_value(); ++ply) {
      const Action a = RolloutMove(state, 5, rng.Fork(ply));
      ASSERT_TRUE(state.LegalActions().Contains(a)) << S::kName << " ply " << ply;
      ASSERT_EQ(a, RolloutMove(state, 5, rng.Fork(ply)));
      state.Apply(a);
    }
  });
}

template <GameState S>
double ScoreAgainstRandom(int games, int visits) {
  double score = 0.0;
  for (int game = 0; game < games; ++game) {
    const Player mine = game % 2 == 0 ? Player::kFirst : Player::kSecond;
    Rng rng(static_cast<std::uint64_t>(game));
    S state;
    for (std::uint64_t ply = 0; !state.Result().has_value(); ++ply) {
      state.Apply(state.ToMove() == mine ? RolloutMove(state, visits, rng.Fork(ply))
                                         : RandomMove(state, rng));
    }
    score += (1.0 + ValueFor(*state.Result(), mine)) / 2.0;
  }
  return score / games;
}

TEST(RolloutMove, BeatsRandomPlay) {
  EXPECT_GE(ScoreAgainstRandom<TicTacToe>(40, 200), 0.9);
  EXPECT_GE(ScoreAgainstRandom<ConnectFour>(20, 100), 0.95);
  EXPECT_GE(ScoreAgainstRandom<Hex<5>>(20, 100), 0.95);
}

}  // namespace
}  // namespace az
