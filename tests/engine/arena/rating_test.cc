#include "engine/arena/rating.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>

#include "base/rng.h"
#include "engine/arena/pentanomial.h"

namespace az {
namespace {

constexpr double kEloPerLogit = 173.7177927613;

std::vector<std::optional<Rating>> MustFit(std::span<const Meeting> meetings,
                                           const RatingOptions& options) {
  auto ratings = FitRatings(meetings, options);
  EXPECT_TRUE(ratings.has_value()) << ratings.error().message;
  return std::move(ratings).value();
}

// Baseball of 1987 (Agresti, Categorical Data Analysis, 2nd edition, table 10.10): wins[i][j] of
// team i over j in the order Milwaukee, Detroit, Toronto, New York, Boston, Cleveland, Baltimore.
// Logits over Baltimore and standard errors as in the vignette of R's BradleyTerry2.
TEST(Rating, AgreesWithAPublishedFit) {
  constexpr int kTeams = 7;
  constexpr std::array<std::array<std::int64_t, kTeams>, kTeams> kWins = {{{0, 7, 9, 7, 7, 9, 11},
                                                                           {6, 0, 7, 5, 11, 9, 9},
                                                                           {4, 6, 0, 7, 7, 8, 12},
                                                                           {6, 8, 6, 0, 6, 7, 10},
                                                                           {6, 2, 6, 7, 0, 7, 12},
                                                                           {4, 4, 5, 6, 6, 0, 6},
                                                                           {2, 4, 1, 3, 1, 7, 0}}};
  constexpr double kLogits[] = {1.5814, 1.4364, 1.2945, 1.2476, 1.1077, 0.6839, 0};
  constexpr double kErrors[] = {0.3433, 0.3396, 0.3367, 0.3359, 0.3339, 0.3319, 0};
  std::vector<Meeting> meetings;
  for (std::size_t i = 0; i < kTeams; ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      meetings.push_back({i, j, {.wins = kWins[i][j], .losses = kWins[j][i]}});
    }
  }
  const auto ratings =
      MustFit(meetings, {.players = kTeams, .anchor = 6, .anchor_elo = 0, .prior_draws = 0});
  for (std::size_t i = 0; i < kTeams; ++i) {
    EXPECT_NEAR(ratings[i]->elo / kEloPerLogit, kLogits[i], 1e-4) << i;
    EXPECT_NEAR(ratings[i]->standard_error / kEloPerLogit, kErrors[i], 1e-4) << i;
  }
}

// Minorisation and maximisation (Hunter, Annals of Statistics 32, 2004): slow, and another way.
std::vector<double> FitByHunter(std::span<const Meeting> meetings, std::size_t players,
                                double prior_draws) {
  std::vector<double> points(players, 0.0);
  std::vector<std::vector<double>> games(players, std::vector<double>(players, 0.0));
  for (const Meeting& m : meetings) {
    const double n = static_cast<double>(m.tally.games()) + prior_draws;
    points[m.player] += m.tally.points() + prior_draws / 2;
    points[m.opponent] += n - m.tally.points() - prior_draws / 2;
    games[m.player][m.opponent] += n;
    games[m.opponent][m.player] += n;
  }
  std::vector<double> strength(players, 1.0);
  for (int step = 0; step < 20'000; ++step) {
    std::vector<double> next(players);
    for (std::size_t i = 0; i < players; ++i) {
      double sum = 0;
      for (std::size_t j = 0; j < players; ++j) {
        if (games[i][j] > 0) sum += games[i][j] / (strength[i] + strength[j]);
      }
      next[i] = points[i] / sum;
    }
    for (std::size_t i = 0; i < players; ++i) strength[i] = next[i] / next[0];
  }
  std::vector<double> elos;
  for (const double s : strength) elos.push_back(400 * std::log10(s));
  return elos;
}

TEST(Rating, AgreesWithAnotherMethodWhateverThePrior) {
  const std::vector<Meeting> meetings = {{0, 1, {.wins = 3, .draws = 4, .losses = 9}},
                                         {1, 2, {.wins = 2, .draws = 0, .losses = 10}},
                                         {2, 3, {.wins = 5, .draws = 5, .losses = 5}},
                                         {0, 3, {.wins = 1, .draws = 1, .losses = 20}},
                                         {4, 3, {.wins = 8, .draws = 2, .losses = 1}}};
  for (const double prior : {0.0, 0.5, 2.0}) {
    const auto ratings = MustFit(meetings, {.players = 5, .prior_draws = prior});
    const std::vector<double> expected = FitByHunter(meetings, 5, prior);
    for (std::size_t i = 0; i < 5; ++i) EXPECT_NEAR(ratings[i]->elo, expected[i], 0.01);
  }
}

TEST(Rating, OfTwoPlayersIsTheEloOfTheScore) {
  const std::vector<Meeting> meetings = {{1, 0, {.wins = 60, .draws = 20, .losses = 20}}};
  const auto ratings = MustFit(meetings, {.players = 2, .anchor_elo = 1000, .prior_draws = 0});
  EXPECT_EQ(ratings[0]->elo, 1000);
  EXPECT_EQ(ratings[0]->standard_error, 0);
  EXPECT_NEAR(ratings[1]->elo, 1000 + EloOfScore(0.7), 1e-6);
  EXPECT_NEAR(ratings[1]->standard_error, kEloPerLogit / std::sqrt(100 * 0.7 * 0.3), 1e-6);
}

TEST(Rating, PerfectScoresStayFiniteWithThePrior) {
  const std::vector<Meeting> meetings = {{1, 0, {.wins = 100}}, {2, 1, {.wins = 100}}};
  const auto ratings = MustFit(meetings, {.players = 3, .prior_draws = 1});
  EXPECT_NEAR(ratings[1]->elo, EloOfScore(100.5 / 101), 1e-6);
  EXPECT_NEAR(ratings[2]->elo, 2 * EloOfScore(100.5 / 101), 1e-6);
  EXPECT_GT(ratings[2]->standard_error, ratings[1]->standard_error);
  const auto infinite = FitRatings(meetings, {.players = 3, .prior_draws = 0});
  ASSERT_FALSE(infinite.has_value());
  EXPECT_NE(infinite.error().message.find("prior_draws"), std::string::npos);
}

TEST(Rating, PlayersThatNoGamesJoinToTheAnchorHaveNone) {
  const std::vector<Meeting> meetings = {
      {0, 1, {.wins = 1, .losses = 1}}, {2, 3, {.wins = 1, .losses = 1}}, {1, 2, {}}};
  const auto ratings = MustFit(meetings, {.players = 5});
  EXPECT_TRUE(ratings[0] && ratings[1]);
  EXPECT_FALSE(ratings[2] || ratings[3] || ratings[4]);
}

TEST(Rating, RefusesWhatIsNoMeeting) {
  const std::vector<Meeting> none;
  EXPECT_FALSE(FitRatings(none, {.players = 0}).has_value());
  EXPECT_FALSE(FitRatings(none, {.players = 2, .prior_draws = -1}).has_value());
  for (const Meeting& bad : {Meeting{0, 2, {.wins = 1}}, Meeting{1, 1, {.wins = 1}},
                             Meeting{0, 1, {.wins = 3, .losses = -1}}}) {
    EXPECT_FALSE(FitRatings(std::span(&bad, 1), {.players = 2}).has_value());
  }
}

// Ratings of simulated round robins lie within 1.96 standard errors of the truth in 95 % of cases.
TEST(Rating, StandardErrorsCoverTheTruth) {
  constexpr std::array<double, 5> kTruth = {0, 60, 110, 250, 400};
  Rng rng(3);
  int covered = 0;
  int cases = 0;
  for (int run = 0; run < 1000; ++run) {
    std::vector<Meeting> meetings;
    for (std::size_t a = 0; a < kTruth.size(); ++a) {
      for (std::size_t b = 0; b < a; ++b) {
        Meeting meeting{a, b, {}};
        for (int game = 0; game < 60; ++game) {
          ++(rng.Uniform() < ScoreOfElo(kTruth[a] - kTruth[b]) ? meeting.tally.wins
                                                               : meeting.tally.losses);
        }
        meetings.push_back(meeting);
      }
    }
    const auto ratings = MustFit(meetings, {.players = kTruth.size()});
    for (std::size_t i = 1; i < kTruth.size(); ++i) {
      covered += std::abs(ratings[i]->elo - kTruth[i]) <= 1.96 * ratings[i]->standard_error;
      ++cases;
    }
  }
  EXPECT_NEAR(covered / static_cast<double>(cases), 0.95, 0.015);
}

TEST(Rating, AHundredIterationsInARowAreQuick) {
  std::vector<Meeting> meetings;
  for (std::size_t i = 1; i < 100; ++i) {
    meetings.push_back({i, i - 1, {.wins = 70, .losses = 30}});
  }
  const auto ratings = MustFit(meetings, {.players = 100, .prior_draws = 0});
  EXPECT_NEAR(ratings[99]->elo, 99 * EloOfScore(0.7), 1e-3);
}

}  // namespace
}  // namespace az
