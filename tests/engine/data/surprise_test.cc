#include "engine/data/surprise.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>
#include <vector>

#include "engine/data/short_term_value.h"
#include "tests/engine/data/records.h"

namespace az {
namespace {

constexpr int kCells = 25;

// Four full plies and a fast one; the network saw the last two coming.
GameRecord SomeGame() {
  GameRecord record;
  record.id = GameId::Make(GameKind::kSelfPlay, 1, 2);
  record.outcome = Outcome::kFirstWins;
  for (int ply = 0; ply < 5; ++ply) {
    MoveRecord move = TestMove(ply, ply);
    if (ply != 1) move.policy = {{Action{1}, 100}};
    move.policy_kl_nats = ply == 0 ? 0.6f : ply == 2 ? 0.2f : 0.0f;
    move.root_value = ply % 2 == 0 ? 0.5f : -0.5f;
    move.network_value = ply < 3 ? -0.5f : move.root_value;
    record.moves.push_back(std::move(move));
  }
  return record;
}
const std::vector<Player> kMovers = {Player::kFirst, Player::kSecond, Player::kFirst,
                                     Player::kSecond, Player::kFirst};

double SumOfFull(const std::vector<float>& weights) {
  return std::accumulate(weights.begin(), weights.end(), 0.0) - static_cast<double>(weights[1]);
}

TEST(SurpriseWeights, FollowTheDivergenceOfThePolicy) {
  const std::vector<float> weights =
      SurpriseWeights(SomeGame(), kMovers, kCells, {.policy_share = 0.5});
  // Mean KL 0.2: weights 0.5 + 0.5 KL / 0.2.
  const float expected[] = {2.0f, 1.0f, 1.0f, 0.5f, 0.5f};
  for (std::size_t ply = 0; ply < 5; ++ply) EXPECT_NEAR(weights[ply], expected[ply], 1e-6) << ply;
}

TEST(SurpriseWeights, FollowTheValuesThatTurnedOutWrong) {
  const GameRecord game = SomeGame();
  const std::vector<float> weights = SurpriseWeights(game, kMovers, kCells, {.value_share = 0.25});
  double surprise[5] = {};
  double sum = 0;
  for (const std::size_t ply : {0, 2, 3, 4}) {
    ShortTermValue value(kMovers[ply], ShortTermHorizon(kCells));
    for (std::size_t j = ply; j < 5; ++j) value.Add(kMovers[j], game.moves[j].root_value);
    const double p = (1 + static_cast<double>(value.EndedWith(Outcome::kFirstWins))) / 2;
    const double q = (1 + static_cast<double>(game.moves[ply].network_value)) / 2;
    surprise[ply] = std::min(1.0, p * std::log(p / q) + (1 - p) * std::log((1 - p) / (1 - q)));
    sum += surprise[ply];
  }
  for (const std::size_t ply : {0, 2, 3, 4}) {
    EXPECT_NEAR(weights[ply], 0.75 + 0.25 * surprise[ply] / (sum / 4), 1e-5) << ply;
  }
  EXPECT_GT(weights[0], weights[3]);
}

// Where the network was hardly ever wrong, what is left is noise: it weighs less the smaller it is.
TEST(SurpriseWeights, SmallSurprisesOfTheValueCountLess) {
  GameRecord game = SomeGame();
  double sum = 0;
  for (const std::size_t ply : {0, 2, 3, 4}) {
    MoveRecord& move = game.moves[ply];
    ShortTermValue value(kMovers[ply], ShortTermHorizon(kCells));
    for (std::size_t j = ply; j < 5; ++j) value.Add(kMovers[j], game.moves[j].root_value);
    const double p = (1 + static_cast<double>(value.EndedWith(Outcome::kFirstWins))) / 2;
    const double q = p + (ply == 0 ? 0.05 : 0.0);
    move.network_value = static_cast<float>(2 * q - 1);
    sum += p * std::log(p / q) + (1 - p) * std::log((1 - p) / (1 - q));
  }
  ASSERT_LT(sum / 4, 0.01);
  ASSERT_GT(sum / 4, 0.0005);
  const double share = 0.25 * (sum / 4) / 0.01;  // of the 0.25 that are asked for
  const std::vector<float> weights = SurpriseWeights(game, kMovers, kCells, {.value_share = 0.25});
  EXPECT_NEAR(weights[0], 1 - share + 4 * share, 1e-3);
  for (const std::size_t ply : {2, 3, 4}) EXPECT_NEAR(weights[ply], 1 - share, 1e-3);
}

// A root that was kept with its proof: what the network thought of it, nobody asked.
TEST(SurpriseWeights, AnUnknownValueSurprisesAsTheOthersDo) {
  GameRecord game = SomeGame();
  game.moves[4].network_value = kNoNetworkValue;
  const std::vector<float> weights = SurpriseWeights(game, kMovers, kCells, {.value_share = 0.25});
  EXPECT_NEAR(weights[4], 1.0, 1e-6);
  EXPECT_GT(weights[0], 1.0f);
  EXPECT_NEAR(SumOfFull(weights), 4.0, 1e-5);
  for (MoveRecord& move : game.moves) move.network_value = kNoNetworkValue;
  for (const float weight : SurpriseWeights(game, kMovers, kCells, {.value_share = 0.25})) {
    EXPECT_NEAR(weight, 1.0, 1e-6);
  }
}

// No single shock counts without bound.
TEST(SurpriseWeights, ASurpriseOfTheValueIsAtMostOneNat) {
  GameRecord game = SomeGame();
  for (std::size_t ply = 0; ply < 5; ++ply) {
    MoveRecord& move = game.moves[ply];
    move.root_value = kMovers[ply] == Player::kFirst ? 1 : -1;
    move.network_value = ply == 0 ? -1.0f : ply == 2 ? 1 - 2 * 0.2f : move.root_value;
  }
  const double more =
      0.999 * std::log(0.999 / 0.8) + 0.001 * std::log(0.001 / 0.2);  // chances end at 0.999
  const double mean = (1 + more) / 4;
  const std::vector<float> weights = SurpriseWeights(game, kMovers, kCells, {.value_share = 1});
  EXPECT_NEAR(weights[0], 1 / mean, 1e-3) << "and not the 6.9 nats of a sure loss that is won";
  EXPECT_NEAR(weights[2], more / mean, 1e-3);
}

// A game counts as much as without, whatever the shares.
TEST(SurpriseWeights, FullPliesWeighOneOnAverageAndOthersOne) {
  for (const SurpriseOptions& options : {SurpriseOptions{0.5, 0.1}, SurpriseOptions{1.0, 0.0},
                                         SurpriseOptions{0.0, 1.0}, SurpriseOptions{0.3, 0.7}}) {
    const std::vector<float> weights = SurpriseWeights(SomeGame(), kMovers, kCells, options);
    EXPECT_NEAR(SumOfFull(weights), 4.0, 1e-5);
    EXPECT_EQ(weights[1], 1.0f) << "has no policy target";
    for (const float weight : weights) EXPECT_GE(weight, 0.0f);
  }
  GameRecord foreseen = SomeGame();
  for (MoveRecord& move : foreseen.moves) move.policy_kl_nats = 0;
  const std::vector<float> even = SurpriseWeights(foreseen, kMovers, kCells, {.policy_share = 1.0});
  EXPECT_EQ(even, std::vector<float>(5, 1.0f));
}

}  // namespace
}  // namespace az
