#include "games/points.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "games/registry.h"

namespace az {
namespace {

std::optional<double> Margin(const std::string& entry, const std::vector<std::string>& moves,
                             const StartOptions& start = {}) {
  const GameOps& game = **FindGame(entry);
  const auto position = game.Start();
  std::vector<Action> actions;
  for (const std::string& move : moves) {
    actions.push_back(position->ParseMove(move).value());
    position->Apply(actions.back()).value();
  }
  return PointsMargin(game, start, actions).value();
}

TEST(Points, GoCountsAreaAndKomi) {
  EXPECT_EQ(Margin("go5", {}), -0.5);
  EXPECT_EQ(Margin("go9", {}), -7.5);
  EXPECT_EQ(Margin("go5", {"c3"}), 24.5);
  EXPECT_EQ(Margin("go5", {"c3", "a1"}), -0.5);  // the empty points touch both
  EXPECT_EQ(Margin("go5", {"c3"}, {.komi = 20}), 5.0);
}

TEST(Points, OthelloCountsDiscs) {
  EXPECT_EQ(Margin("othello8", {}), 0.0);
  EXPECT_EQ(Margin("othello8", {"d3"}), 3.0);
  EXPECT_EQ(Margin("othello8", {"d3", "c3"}), 0.0);
}

TEST(Points, OtherGamesHaveNone) {
  EXPECT_EQ(Margin("hex5", {"c3"}), std::nullopt);
  EXPECT_EQ(DefaultKomi(**FindGame("hex5")), std::nullopt);
  EXPECT_EQ(DefaultKomi(**FindGame("go9")), 7.5);
  EXPECT_FALSE(PointsMargin(**FindGame("go5"), {}, std::vector<Action>(2, Action{0})));
}

}  // namespace
}  // namespace az
