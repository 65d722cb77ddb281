#include "mcts/gumbel_root.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "mcts/move_choice.h"
#include "tests/mcts/support/make_node.h"

namespace az {
namespace {

// Priors that fall, so that the candidates' order is the children's.
std::vector<float> FallingPriors(std::size_t count) {
  std::vector<float> priors(count);
  float sum = 0.0f;
  for (std::size_t i = 0; i < count; ++i)
    sum += priors[i] = std::exp(-0.1f * static_cast<float>(i));
  for (float& prior : priors) prior /= sum;
  return priors;
}

std::vector<Node> Children(const std::vector<float>& priors) {
  std::vector<Node> children;
  for (const float prior : priors) {
    children.push_back(MakeNode({.prior = prior, .action = static_cast<int>(children.size())}));
  }
  return children;
}

// Runs a whole search with values of 0; the visits by child.
std::vector<int> Schedule(int visits, int max_considered, std::size_t moves) {
  const std::vector<float> priors = FallingPriors(moves);
  std::vector<Node> children = Children(priors);
  GumbelRoot root({.max_considered = max_considered}, static_cast<int>(moves));
  root.Begin(children, {priors, 0.0}, {.visits = visits}, Rng(1));
  while (!root.Done()) {
    while (root.RoundIsOpen()) ++children[root.Next()].visits;
    root.EndRound(children);
  }
  std::vector<int> counts;
  for (const Node& child : children) counts.push_back(static_cast<int>(child.visits));
  return counts;
}

TEST(GumbelRoot, HalvesAsInThePaper) {
  using Counts = std::vector<int>;
  EXPECT_EQ(Schedule(32, 16, 16), (Counts{4, 4, 4, 4, 2, 2, 2, 2, 1, 1, 1, 1, 1, 1, 1, 1}));
  EXPECT_EQ(Schedule(200, 16, 16), (Counts{49, 49, 21, 21, 9, 9, 9, 9, 3, 3, 3, 3, 3, 3, 3, 3}));
  EXPECT_EQ(Schedule(32, 7, 7), (Counts{12, 12, 4, 1, 1, 1, 1}));
  EXPECT_EQ(Schedule(13, 9, 9), (Counts{2, 2, 2, 2, 1, 1, 1, 1, 1}));
  EXPECT_EQ(Schedule(5, 1, 4), (Counts{5, 0, 0, 0}));
  EXPECT_EQ(Schedule(1, 16, 3), (Counts{1, 0, 0}));
  EXPECT_EQ(Schedule(6, 16, 40).size(), 40u);
}

TEST(GumbelRoot, StopLeavesNoRoundOpen) {
  const std::vector<float> priors = FallingPriors(7);
  std::vector<Node> children = Children(priors);
  GumbelRoot root({}, 7);
  root.Begin(children, {priors, 0.0}, {.visits = 100}, Rng(1));
  while (root.RoundIsOpen()) ++children[root.Next()].visits;
  root.EndRound(children);
  ASSERT_TRUE(root.RoundIsOpen());
  root.Stop();
  EXPECT_FALSE(root.RoundIsOpen());
  EXPECT_TRUE(root.Done());
}

TEST(GumbelRoot, SpendsExactlyTheVisits) {
  for (int visits = 1; visits < 120; ++visits) {
    for (const std::size_t moves : {std::size_t{2}, std::size_t{7}, std::size_t{30}}) {
      const std::vector<int> counts = Schedule(visits, 16, moves);
      EXPECT_EQ(std::accumulate(counts.begin(), counts.end(), 0), visits);
    }
  }
}

// l = (1, 0, -1), v = 0.1, N = (2, 1, 0), q = (0.2, -0.4, none).
class WorkedExample : public testing::Test {
 protected:
  WorkedExample() {
    double sum = 0.0;
    for (const double logit : {1.0, 0.0, -1.0}) sum += std::exp(logit);
    for (const double logit : {1.0, 0.0, -1.0}) {
      priors_.push_back(static_cast<float>(std::exp(logit) / sum));
    }
    children_ = Children(priors_);
    children_[0] = MakeNode({.prior = priors_[0], .visits = 2, .mean = 0.2});
    children_[1] = MakeNode({.prior = priors_[1], .visits = 1, .mean = -0.4});
  }
  RootKnowledge root() const { return {priors_, 0.1}; }

  std::vector<float> priors_;
  std::vector<Node> children_;
};

TEST_F(WorkedExample, MixedValue) {
  EXPECT_NEAR(MixedValue(children_, root()), 0.0539764, 1e-6);
  EXPECT_EQ(MixedValue(Children(priors_), root()), 0.1) << "nothing visited";
}

TEST_F(WorkedExample, ImprovedPolicy) {
  std::vector<double> policy(3);
  ImprovedPolicy(children_, root(), {}, policy);
  EXPECT_NEAR(policy[0], 0.9969713, 1e-6);
  EXPECT_NEAR(policy[1], 6.16e-8, 1e-9);
  EXPECT_NEAR(policy[2], 0.0030286, 1e-6);
  ImprovedPolicy(children_, root(), {.c_scale = 0.1f, .value_scale = ValueScale::kMinmax}, policy);
  EXPECT_NEAR(policy[0], 0.9613482, 1e-6);
  EXPECT_NEAR(policy[1], 0.0019510, 1e-6);
  EXPECT_NEAR(policy[2], 0.0367007, 1e-6);
}

TEST_F(WorkedExample, SelectsTheMoveMostBehindItsImprovedShare) {
  Node parent = MakeNode({.visits = 4, .mean = -0.1, .mover = Player::kSecond});
  std::vector<float> priors(3);
  std::vector<double> policy(3);
  EXPECT_EQ(SelectImproved(parent, children_, {}, {priors, policy}), 0);
  children_[0].visits = 30;  // its share is above its improved policy now; value 0.2 / 15
  children_[0].value_sum = 30 * -0.9;
  EXPECT_NE(SelectImproved(parent, children_, {}, {priors, policy}), 0);
  children_[2].set_bounds({-1, -1});
  children_[1].set_bounds({-1, -1});
  EXPECT_EQ(SelectImproved(parent, children_, {}, {priors, policy}), 0) << "the others are lost";
}

// A bandit with noisy knowledge: the move that is chosen must be better, in expectation, than one
// drawn from the prior. Two simulations suffice (Danihelka et al., section 3).
TEST(GumbelRoot, TwoSimulationsImproveRandomBandits) {
  constexpr int kBandits = 4000;
  constexpr std::size_t kMoves = 6;
  double drawn = 0.0;
  double chosen = 0.0;
  for (int bandit = 0; bandit < kBandits; ++bandit) {
    Rng rng(static_cast<std::uint64_t>(bandit));
    std::vector<float> priors(kMoves);
    float sum = 0.0f;
    for (float& prior : priors) sum += prior = static_cast<float>(rng.Uniform() + 0.05);
    for (float& prior : priors) prior /= sum;
    std::vector<double> values(kMoves);
    for (double& value : values) value = 2.0 * rng.Uniform() - 1.0;
    double expected = 0.0;
    for (std::size_t i = 0; i < kMoves; ++i) expected += static_cast<double>(priors[i]) * values[i];
    std::vector<Node> children = Children(priors);
    GumbelRoot root({}, kMoves);
    root.Begin(children, {priors, expected}, {.visits = 2, .draws = true}, rng);
    while (!root.Done()) {
      while (root.RoundIsOpen()) {
        const std::size_t child = root.Next();
        ++children[child].visits;
        children[child].value_sum += values[child];
      }
      root.EndRound(children);
    }
    drawn += expected / kBandits;
    std::vector<double> scratch(kMoves);
    const int best = root.Best(children, kNotProven, scratch);
    chosen += values[static_cast<std::size_t>(best)] / kBandits;
  }
  EXPECT_GT(chosen, drawn + 0.2);
}

TEST(GumbelRoot, DrawsCandidatesInProportionToThePriors) {
  const std::vector<float> priors = {0.6f, 0.3f, 0.1f};
  const std::vector<Node> children = Children(priors);
  std::array<int, 3> first{};
  constexpr int kDraws = 20'000;
  GumbelRoot root({.max_considered = 1}, 3);
  for (std::uint64_t i = 0; i < kDraws; ++i) {
    root.Begin(children, {priors, 0.0}, {.visits = 1, .draws = true}, Rng(i));
    ++first[root.Next()];
  }
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_NEAR(first[i] / double{kDraws}, static_cast<double>(priors[i]), 0.015);
  }
}

TEST(GumbelRoot, StartsASimulationThatWasTakenBackAgain) {
  const std::vector<float> priors = FallingPriors(4);
  const std::vector<Node> children = Children(priors);
  GumbelRoot root({}, 4);
  root.Begin(children, {priors, 0.0}, {.visits = 4}, Rng(1));
  EXPECT_EQ(root.Next(), 0u);
  EXPECT_EQ(root.Next(), 1u);
  EXPECT_EQ(root.Next(), 2u);
  root.TakeBack(0);
  root.TakeBack(2);
  std::vector<std::size_t> rest;
  while (root.RoundIsOpen()) rest.push_back(root.Next());
  std::sort(rest.begin(), rest.end());
  EXPECT_EQ(rest, (std::vector<std::size_t>{0, 2, 3}));
}

TEST(UsesGumbelRoot, AutoIsForFewSimulations) {
  EXPECT_FALSE(UsesGumbelRoot({.root = RootRule::kPuct}, 8));
  EXPECT_TRUE(UsesGumbelRoot({.root = RootRule::kGumbel}, 800));
  EXPECT_TRUE(UsesGumbelRoot({.root = RootRule::kAuto}, 32));
  EXPECT_FALSE(UsesGumbelRoot({.root = RootRule::kAuto}, 33));
}

}  // namespace
}  // namespace az
