#include "engine/fleet/training_deaths.h"

#include <gtest/gtest.h>

#include <vector>

namespace az {
namespace {

// A process that is sent the training, tells of these steps and dies.
bool Life(TrainingDeaths& deaths, const std::vector<std::int64_t>& steps) {
  deaths.Sent();
  for (const std::int64_t step : steps) deaths.Reached(step);
  return deaths.Died();
}

TEST(TrainingDeaths, TheThirdAtOnePlaceIsOneTooMany) {
  TrainingDeaths deaths;
  EXPECT_FALSE(Life(deaths, {100, 200, 300}));
  EXPECT_FALSE(Life(deaths, {110, 210, 310})) << "as far, told of at other moments";
  EXPECT_TRUE(Life(deaths, {90, 190, 290}));
  EXPECT_EQ(deaths.in_a_row(), 3);
  EXPECT_EQ(deaths.furthest(), 310);
}

TEST(TrainingDeaths, BeforeTheFirstStepIsAPlaceToo) {
  TrainingDeaths deaths;
  EXPECT_FALSE(Life(deaths, {}));
  EXPECT_FALSE(Life(deaths, {}));
  EXPECT_TRUE(Life(deaths, {}));
}

TEST(TrainingDeaths, OneThatGotFurtherIsTheFirstAgain) {
  TrainingDeaths deaths;
  EXPECT_FALSE(Life(deaths, {100}));
  EXPECT_FALSE(Life(deaths, {100}));
  EXPECT_FALSE(Life(deaths, {100, 200, 300}));
  EXPECT_EQ(deaths.in_a_row(), 1);
  EXPECT_FALSE(Life(deaths, {100, 200}));
  EXPECT_TRUE(Life(deaths, {100}));
}

TEST(TrainingDeaths, EachLifeFurtherIsNeverTooMany) {
  TrainingDeaths deaths;
  std::vector<std::int64_t> steps;
  for (int life = 0; life < 50; ++life) {
    steps.push_back(100 * (2 * life + 1));
    steps.push_back(100 * (2 * life + 2));
    EXPECT_FALSE(Life(deaths, steps)) << life;
  }
}

TEST(TrainingDeaths, AProcessThatDiesBeforeItIsSentTheTrainingIsNone) {
  TrainingDeaths deaths;
  for (int life = 0; life < 10; ++life) EXPECT_FALSE(deaths.Died());
  EXPECT_EQ(deaths.in_a_row(), 0);
}

}  // namespace
}  // namespace az
