// Shares of outcomes and lengths of uniformly random games against counts of an independent
// implementation. Tolerance: four standard deviations of the difference of the two samples.

#include <gtest/gtest.h>

#include <cmath>
#include <string_view>

#include "games/registry.h"
#include "tests/support/random_play.h"

namespace az {
namespace {

constexpr double kGames = 20'000;
constexpr double kExact = 1e18;  // the share is known, not counted

struct Row {
  double games_behind;
  double first;
  double second;
  double mean_plies;
  double sd_plies;
};

void ExpectShare(std::string_view what, double share, double expected, double games_behind) {
  const double variance = expected * (1 - expected) * (1 / kGames + 1 / games_behind);
  EXPECT_NEAR(share, expected, 4 * std::sqrt(variance)) << what;
}

template <GameState S>
void ExpectStatistics(const Row& row, double games_behind_plies) {
  Rng rng(17);
  double first = 0;
  double second = 0;
  double plies = 0;
  for (int game = 0; game < static_cast<int>(kGames); ++game) {
    const S end = testing::PlayRandomGame<S>(rng, [&](const S&, Action, const S&) { ++plies; });
    first += end.Result() == Outcome::kFirstWins ? 1 : 0;
    second += end.Result() == Outcome::kSecondWins ? 1 : 0;
  }
  ExpectShare("first wins", first / kGames, row.first, row.games_behind);
  ExpectShare("second wins", second / kGames, row.second, row.games_behind);
  EXPECT_NEAR(plies / kGames, row.mean_plies,
              4 * row.sd_plies * std::sqrt(1 / kGames + 1 / games_behind_plies))
      << "mean plies";
}

TEST(Statistics, TicTacToe) {
  ExpectStatistics<TicTacToe>({kExact, 737.0 / 1260, 121.0 / 420, 7.625, 1.30}, 1e6);
}
TEST(Statistics, ConnectFour) {
  ExpectStatistics<ConnectFour>({1e6, .5558, .4416, 21.317, 7.38}, 1e6);
}
TEST(Statistics, Hex3) { ExpectStatistics<Hex<3>>({1e6, .6665, .3336, 7.620, 1.29}, 1e6); }
TEST(Statistics, Hex4) { ExpectStatistics<Hex<4>>({kExact, .5, .5, 13.472, 2.17}, 1e6); }
TEST(Statistics, Hex5) { ExpectStatistics<Hex<5>>({1e6, .5733, .4267, 21.182, 3.17}, 1e6); }
TEST(Statistics, Hex7) { ExpectStatistics<Hex<7>>({3e5, .5444, .4556, 42.268, 5.43}, 3e5); }
TEST(Statistics, Hex9) { ExpectStatistics<Hex<9>>({1e5, .5313, .4687, 71.012, 7.96}, 1e5); }
TEST(Statistics, Hex11) { ExpectStatistics<Hex<11>>({5e4, .5198, .4802, 107.48, 10.6}, 5e4); }
TEST(Statistics, Go5) { ExpectStatistics<Go<5>>({1e5, .5113, .4887, 35.313, 11.0}, 1e5); }
TEST(Statistics, Go7) { ExpectStatistics<Go<7>>({6e4, .3294, .6706, 70.516, 20.2}, 6e4); }
TEST(Statistics, Go9) { ExpectStatistics<Go<9>>({2e4, .3644, .6357, 118.69, 32.0}, 2e4); }

TEST(Statistics, Hex5WithSwap) {
  ExpectStatistics<Hex<5, HexSwap::kYes>>({3e5, .5684, .4317, 21.231, 3.18}, 3e5);
}
TEST(Statistics, Mnk554) { ExpectStatistics<Mnk<5, 5, 4>>({1e6, .5283, .4065, 19.088, 4.03}, 1e6); }
TEST(Statistics, Gomoku9) {
  ExpectStatistics<Mnk<9, 9, 5>>({2e5, .5192, .4777, 53.565, 11.6}, 2e5);
}
TEST(Statistics, Gomoku15) {
  ExpectStatistics<Mnk<15, 15, 5>>({5e4, .5116, .4884, 109.11, 24.8}, 5e4);
}
TEST(Statistics, Othello6) { ExpectStatistics<Othello<6>>({2e5, .4361, .5073, 32.503, 0.90}, 2e5); }
TEST(Statistics, Othello8) { ExpectStatistics<Othello<8>>({1e5, .4519, .5052, 60.411, 1.32}, 1e5); }
TEST(Statistics, Breakthrough5) {
  ExpectStatistics<Breakthrough<5, 5>>({1e6, .5179, .4821, 15.869, 5.74}, 1e6);
}
TEST(Statistics, Breakthrough6) {
  ExpectStatistics<Breakthrough<6, 6>>({5e5, .5156, .4844, 28.105, 8.74}, 5e5);
}
TEST(Statistics, Breakthrough8) {
  ExpectStatistics<Breakthrough<8, 8>>({2e5, .5082, .4918, 64.112, 16.1}, 2e5);
}

// On an even board every filled board has an opposite with the winners exchanged.
TEST(Statistics, EvenHexBoardsFavourNobody) {
  Rng rng(19);
  double first = 0;
  for (int game = 0; game < static_cast<int>(kGames); ++game) {
    const Hex<6> end = testing::PlayRandomGame<Hex<6>>(rng, [](const auto&...) {});
    first += end.Result() == Outcome::kFirstWins ? 1 : 0;
  }
  ExpectShare("hex6 first wins", first / kGames, .5, kExact);
}

}  // namespace
}  // namespace az
