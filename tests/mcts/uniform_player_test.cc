// Strength without a network: uniform priors, proven nodes, 20,000 simulations.

#include "mcts/uniform_player.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <set>
#include <span>

#include "games/registry.h"
#include "games/solvers/yardstick.h"

namespace az {
namespace {

constexpr int kVisits = 20'000;

// Every line of play against the player: all replies of its opponent are tried.
class EveryLine {
 public:
  explicit EveryLine(Player side) : side_(side) {}

  void Walk(const TicTacToe& state) {
    if (!seen_.insert(state.Hash()).second) return;
    if (state.Result().has_value()) {
      ++ends_;
      EXPECT_GE(ValueFor(*state.Result(), side_), 0) << state.ToString();
      return;
    }
    if (state.ToMove() == side_) {
      TicTacToe next = state;
      next.Apply(player_.Choose(state));
      return Walk(next);
    }
    state.LegalActions().ForEach([&](Action a) {
      TicTacToe next = state;
      next.Apply(a);
      Walk(next);
    });
  }
  int ends() const { return ends_; }

 private:
  Player side_;
  UniformPlayer<TicTacToe> player_{kVisits, LeafValue::kZero};
  std::set<std::uint64_t> seen_;
  int ends_ = 0;
};

TEST(UniformPlayer, NeverLosesTicTacToe) {
  for (const Player side : {Player::kFirst, Player::kSecond}) {
    EveryLine lines(side);
    lines.Walk(TicTacToe{});
    EXPECT_GT(lines.ends(), 20);
  }
}

TEST(UniformPlayer, ConvertsWonPositionsOf4x4Hex) {
  const GameOps& ops = *FindGame("hex4").value();
  const auto solver = *MakeSolver("hex4", {.table = MiB(16)});
  const auto positions = MakeYardstick(ops, *solver, {.positions = 400, .seed = 11});
  ASSERT_TRUE(positions.has_value());
  // Values of random games deceive a search that trusts them early, so it explores more.
  UniformPlayer<Hex<4>> player(kVisits, LeafValue::kPlayout, {.c_puct = 3.0f});
  const auto conversions =
      ConvertWins(ops, *solver, *positions,
                  [&](const Position&, std::span<const Action> actions) -> Result<Action> {
                    Hex<4> state;
                    for (const Action a : actions) state.Apply(a);
                    return player.Choose(state);
                  });
  ASSERT_TRUE(conversions.has_value()) << conversions.error().message;
  EXPECT_GE(conversions->games, 200);
  EXPECT_GE(conversions->won, 0.99 * conversions->games)
      << conversions->won << " of " << conversions->games;
  RecordProperty("won", conversions->won);
  RecordProperty("games", conversions->games);
}

TEST(UniformPlayer, SamePositionSameMove) {
  UniformPlayer<ConnectFour> player(300, LeafValue::kPlayout);
  ConnectFour state;
  state.Apply(Action{3});
  const Action first = player.Choose(state);
  player.Choose(ConnectFour{});
  EXPECT_EQ(player.Choose(state), first);
}

}  // namespace
}  // namespace az
