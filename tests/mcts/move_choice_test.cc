#include "mcts/move_choice.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <span>
#include <vector>

#include "tests/mcts/support/make_node.h"

namespace az {
namespace {

std::vector<double> Visits(std::span<const Node> children) {
  std::vector<double> visits(children.size());
  VisitsOf(children, visits);
  return visits;
}

std::vector<float> Priors(std::span<const Node> children) {
  std::vector<float> priors;
  for (const Node& child : children) priors.push_back(child.prior);
  return priors;
}

// With the visits as weights.
std::vector<PolicyTarget> Target(std::span<const Node> children, int proven) {
  std::vector<double> weights = Visits(children);
  return MakePolicyTarget(children, {weights, Priors(children)}, proven);
}

int Draw(std::span<const Node> children, float temperature, Rng& rng) {
  std::vector<double> weights = Visits(children);
  return DrawChild(children, {weights, Priors(children)}, kNotProven, temperature, rng);
}

TEST(MoveTemperature, HalvesItsWay) {
  SearchOptions options;
  EXPECT_FLOAT_EQ(MoveTemperature(options, 0, 5), 0.8f);
  EXPECT_FLOAT_EQ(MoveTemperature(options, 5, 5), 0.5f);
  EXPECT_FLOAT_EQ(MoveTemperature(options, 10, 5), 0.35f);
  EXPECT_NEAR(MoveTemperature(options, 1000, 5), 0.2f, 1e-6f);
  options.temperature_halflife = 20.0f;
  EXPECT_FLOAT_EQ(MoveTemperature(options, 20, 5), 0.5f);
}

TEST(BestChild, MostVisitsThenMeanThenPrior) {
  const Node few = MakeNode({.prior = 0.9f, .visits = 3, .mean = 0.9});
  const Node many = MakeNode({.prior = 0.1f, .visits = 7, .mean = 0.1});
  const Node better = MakeNode({.prior = 0.1f, .visits = 7, .mean = 0.2});
  const Node likelier = MakeNode({.prior = 0.3f, .visits = 7, .mean = 0.2});
  EXPECT_EQ(BestChild(std::array{few, many}, kNotProven), 1);
  EXPECT_EQ(BestChild(std::array{few, many, better}, kNotProven), 2);
  EXPECT_EQ(BestChild(std::array{few, many, better, likelier}, kNotProven), 3);
}

class ProvenChildren : public testing::Test {
 protected:
  const std::array<Node, 4> children_ = {
      MakeNode({.prior = 0.2f, .visits = 5, .mean = -1.0, .bounds = {-1, -1}, .action = 3}),
      MakeNode({.prior = 0.2f, .visits = 4, .mean = 0.0, .bounds = {0, 0}, .action = 2}),
      MakeNode({.prior = 0.2f, .visits = 3, .mean = 0.4, .bounds = {0, 1}, .action = 1}),
      MakeNode({.prior = 0.2f, .visits = 1, .mean = 1.0, .bounds = {1, 1}, .action = 0})};
};

TEST_F(ProvenChildren, AWonRootPlaysAWinningMove) {
  EXPECT_EQ(BestChild(children_, +1), 3);
  const auto target = Target(children_, +1);
  ASSERT_EQ(target.size(), 1u);
  EXPECT_EQ(target[0].action, Action{0});
}

TEST_F(ProvenChildren, ADrawnRootPlaysADrawingMove) {
  EXPECT_EQ(BestChild(std::span(children_).first(2), 0), 1);
}

TEST_F(ProvenChildren, ALostRootPlaysTheMostVisitedMove) {
  EXPECT_EQ(BestChild(children_, -1), 0);
  EXPECT_EQ(Target(children_, -1).size(), 4u);
}

// Without the solver the root of a game that ends lost at every move is not proven.
TEST_F(ProvenChildren, ARootWithoutAnythingButLossesIsLost) {
  const Node open = MakeNode({.bounds = {-1, 1}});
  EXPECT_EQ(ProvenForChooser(open, std::span(children_).first(1)), -1);
  EXPECT_EQ(ProvenForChooser(open, children_), kNotProven);
}

TEST_F(ProvenChildren, AnOpenRootAvoidsProvenLosses) {
  EXPECT_EQ(BestChild(children_, kNotProven), 1);
  const auto target = Target(std::span(children_).first(3), kNotProven);
  ASSERT_EQ(target.size(), 2u);
  EXPECT_EQ(target[0].action, Action{1});
  EXPECT_FLOAT_EQ(target[0].weight, 3.0f / 7.0f);
  EXPECT_EQ(target[1].action, Action{2});
  EXPECT_FLOAT_EQ(target[1].weight, 4.0f / 7.0f);
}

TEST(PolicyTarget, UsesPriorsWhenNothingPlayableWasVisited) {
  const std::array children = {
      MakeNode({.prior = 0.5f, .visits = 2, .mean = -1.0, .bounds = {-1, -1}, .action = 0}),
      MakeNode({.prior = 0.3f, .action = 1}), MakeNode({.prior = 0.1f, .action = 2})};
  const auto target = Target(children, kNotProven);
  ASSERT_EQ(target.size(), 2u);
  EXPECT_FLOAT_EQ(target[0].weight, 0.75f);
  EXPECT_FLOAT_EQ(target[1].weight, 0.25f);
  EXPECT_EQ(BestChild(children, kNotProven), 1);
}

TEST(PolicyTarget, TeachesTheNetworksPriorsAndNotARootsNoise) {
  const std::array children = {
      MakeNode({.prior = 0.1f, .visits = 2, .mean = -1.0, .bounds = {-1, -1}, .action = 0}),
      MakeNode({.prior = 0.8f, .action = 1}), MakeNode({.prior = 0.1f, .action = 2})};
  const std::array network = {0.5f, 0.1f, 0.4f};
  std::vector<double> weights = Visits(children);
  const auto target = MakePolicyTarget(children, {weights, network}, kNotProven);
  ASSERT_EQ(target.size(), 2u);
  EXPECT_FLOAT_EQ(target[0].weight, 0.2f);
  EXPECT_FLOAT_EQ(target[1].weight, 0.8f);
}

// All visits went to a move that was proven to lose, and the network gave the others nothing.
TEST(DrawChild, WithoutVisitsAndPriorsPlayableMovesAreEqual) {
  const std::array children = {
      MakeNode({.prior = 1.0f, .visits = 9, .mean = -1.0, .bounds = {-1, -1}, .action = 0}),
      MakeNode({.prior = 0.0f, .action = 1}), MakeNode({.prior = 0.0f, .action = 2})};
  const auto target = Target(children, kNotProven);
  ASSERT_EQ(target.size(), 2u);
  EXPECT_FLOAT_EQ(target[0].weight, 0.5f);
  EXPECT_FLOAT_EQ(target[1].weight, 0.5f);
  std::array<int, 3> drawn{};
  Rng rng(7);
  for (int i = 0; i < 1000; ++i) {
    ++drawn[static_cast<std::size_t>(Draw(children, 1.0f, rng))];
  }
  EXPECT_EQ(drawn[0], 0);
  EXPECT_NEAR(drawn[1], 500, 80);
}

TEST(DrawOpeningPlies, HasTheMean) {
  constexpr int kDraws = 100'000;
  Rng rng(8);
  for (const double mean : {0.5, 2.0, 8.0}) {
    double sum = 0.0;
    for (int i = 0; i < kDraws; ++i) sum += DrawOpeningPlies(mean, rng);
    EXPECT_NEAR(sum / kDraws, mean, 0.02 * mean);
  }
  EXPECT_EQ(DrawOpeningPlies(0.0, rng), 0);
}

TEST(DrawChild, DrawsByVisitsToThePowerOfOneOverT) {
  const std::array children = {MakeNode({.visits = 60}), MakeNode({.visits = 30}),
                               MakeNode({.visits = 0}), MakeNode({.visits = 10})};
  for (const float temperature : {1.0f, 0.5f, 2.0f}) {
    std::array<double, 4> expected{};
    double sum = 0.0;
    for (std::size_t i = 0; i < 4; ++i) {
      expected[i] = std::pow(children[i].visits, 1.0 / static_cast<double>(temperature));
      sum += expected[i];
    }
    std::array<int, 4> drawn{};
    Rng rng(6);
    constexpr int kDraws = 30'000;
    for (int i = 0; i < kDraws; ++i) {
      ++drawn[static_cast<std::size_t>(Draw(children, temperature, rng))];
    }
    EXPECT_EQ(drawn[2], 0);
    for (std::size_t i = 0; i < 4; ++i) {
      EXPECT_NEAR(drawn[i] / double{kDraws}, expected[i] / sum, 0.012) << temperature;
    }
  }
}

TEST(DrawChild, ColdIsTheBestEvenWithHugeCounts) {
  const std::array children = {MakeNode({.visits = 1'000'000}), MakeNode({.visits = 1'000'001})};
  Rng rng(1);
  EXPECT_EQ(Draw(children, 0.0f, rng), 1);
  for (int i = 0; i < 100; ++i) EXPECT_EQ(Draw(children, 1e-8f, rng), 1);
}

TEST(ProvenForChooser, TurnsTheViewWithTheMover) {
  const std::array children = {MakeNode({.mover = Player::kFirst})};
  EXPECT_EQ(ProvenForChooser(MakeNode({.bounds = {1, 1}, .mover = Player::kSecond}), children), -1);
  EXPECT_EQ(ProvenForChooser(MakeNode({.bounds = {1, 1}, .mover = Player::kFirst}), children), 1);
  EXPECT_EQ(ProvenForChooser(MakeNode({.bounds = {0, 1}, .mover = Player::kFirst}), children),
            kNotProven);
}

}  // namespace
}  // namespace az
