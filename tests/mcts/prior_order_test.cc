// The order of a leaf's children, by counting and by sorting.

#include "mcts/prior_order.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <utility>
#include <vector>

#include "base/rng.h"

namespace az {
namespace {

constexpr std::uint64_t kSeed = 53;
constexpr std::size_t kMost = 225;

using Move = std::pair<float, std::uint16_t>;  // prior, action

std::vector<Move> Ordered(std::vector<Move> moves) {
  std::vector<float> priors;
  std::vector<std::uint16_t> actions;
  for (const auto& [prior, action] : moves) {
    priors.push_back(prior);
    actions.push_back(action);
  }
  OrderByPrior<kMost>(priors, actions);
  for (std::size_t i = 0; i < moves.size(); ++i) moves[i] = {priors[i], actions[i]};
  return moves;
}

std::vector<Move> Sorted(std::vector<Move> moves) {
  std::ranges::sort(moves, [](const Move& a, const Move& b) {
    return a.first != b.first ? a.first > b.first : a.second < b.second;
  });
  return moves;
}

// Both ways, and every number of moves that does not fill whole vectors.
TEST(PriorOrder, IsThatOfASortForEveryNumberOfMoves) {
  Rng rng(kSeed);
  for (std::size_t count = 1; count <= kMost; ++count) {
    std::vector<Move> moves;
    for (std::size_t i = 0; i < count; ++i) {
      const auto prior = static_cast<float>(rng.Uniform());
      moves.insert(moves.begin() + static_cast<std::ptrdiff_t>(rng.Below(i + 1)),
                   {prior, static_cast<std::uint16_t>(3 * i)});
    }
    EXPECT_EQ(Ordered(moves), Sorted(moves)) << count << " moves, seed " << kSeed;
  }
}

TEST(PriorOrder, EqualPriorsRiseByAction) {
  Rng rng(kSeed);
  for (const std::size_t count : {2u, 9u, 64u, 65u, 225u}) {
    std::vector<Move> moves;
    for (std::size_t i = 0; i < count; ++i) {
      const float prior = static_cast<float>(rng.Below(3)) / 2.0f;  // 0 among them
      moves.insert(moves.begin() + static_cast<std::ptrdiff_t>(rng.Below(i + 1)),
                   {prior, static_cast<std::uint16_t>(i)});
    }
    EXPECT_EQ(Ordered(moves), Sorted(moves)) << count << " moves, seed " << kSeed;
  }
}

TEST(PriorOrder, HoldsAtTheEdgesOfPriorsAndActions) {
  constexpr std::uint16_t kLast = std::numeric_limits<std::uint16_t>::max();
  const std::vector<Move> moves = {{0.0f, kLast},
                                   {1.0f, kLast - 1},
                                   {0.0f, 0},
                                   {1.0f, 1},
                                   {std::numeric_limits<float>::denorm_min(), 2}};
  EXPECT_EQ(Ordered(moves), Sorted(moves));
}

}  // namespace
}  // namespace az
