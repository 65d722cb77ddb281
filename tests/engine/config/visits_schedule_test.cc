#include "engine/config/visits_schedule.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "engine/config/config_reader.h"
#include "engine/config/run_config.h"

namespace az {
namespace {

RunConfig Config(int visits, int iterations) {
  RunConfig config;
  config.search.visits = visits;
  config.loop.iterations = iterations;
  return config;
}

int VisitsAt(const RunConfig& config, std::uint32_t iteration) {
  return VisitsOfIteration(VisitsScheduleOf(config), iteration);
}

TEST(VisitsSchedule, IsConstantUnlessFirstVisitsAreSet) {
  const RunConfig config = Config(200, 10);
  for (const std::uint32_t iteration : {0u, 1u, 9u, 10u, 5000u}) {
    EXPECT_EQ(VisitsAt(config, iteration), 200) << iteration;
  }
}

TEST(VisitsSchedule, RisesEvenlyFromTheFirstIterationToTheLast) {
  RunConfig config = Config(200, 5);
  config.self_play.first_visits = 20;
  EXPECT_EQ(VisitsAt(config, 0), 20);
  EXPECT_EQ(VisitsAt(config, 1), 65);
  EXPECT_EQ(VisitsAt(config, 2), 110);
  EXPECT_EQ(VisitsAt(config, 3), 155);
  EXPECT_EQ(VisitsAt(config, 4), 200);
  EXPECT_EQ(VisitsAt(config, 5), 200) << "beyond the last";
  EXPECT_EQ(VisitsAt(config, 0xFFFFFF), 200);
}

TEST(VisitsSchedule, NeverFallsAndStaysBetweenItsEnds) {
  for (const auto& [first, full] :
       {std::pair(1, 2), std::pair(3, 64), std::pair(64, 64), std::pair(1, 1'000'000)}) {
    for (const int iterations : {1, 2, 3, 7, 100, 1'000'000}) {
      RunConfig config = Config(full, iterations);
      config.self_play.first_visits = first;
      const auto last = static_cast<std::uint32_t>(iterations - 1);
      int before = first;
      for (std::uint32_t iteration = 0; iteration <= last; iteration += 1 + last / 200) {
        const int visits = VisitsAt(config, iteration);
        ASSERT_GE(visits, before) << first << " to " << full << ", iteration " << iteration;
        ASSERT_LE(visits, full);
        before = visits;
      }
      EXPECT_EQ(VisitsAt(config, last), full);
    }
  }
}

TEST(VisitsSchedule, OneIterationIsTheLastOne) {
  RunConfig config = Config(200, 1);
  config.self_play.first_visits = 20;
  EXPECT_EQ(VisitsAt(config, 0), 200);
}

// Without full_visits_from the rise is stretched over the longer run.
TEST(VisitsSchedule, ALongerRunKeepsItsVisitsWhereTheRiseHasAnEndOfItsOwn) {
  RunConfig config = Config(200, 20);
  config.self_play.first_visits = 20;
  EXPECT_EQ(VisitsAt(config, 10), 20 + 180 * 10 / 19);
  config.self_play.full_visits_from = 10;
  EXPECT_EQ(VisitsAt(config, 5), 110);
  EXPECT_EQ(VisitsAt(config, 9), 182);
  EXPECT_EQ(VisitsAt(config, 10), 200);
  EXPECT_EQ(VisitsAt(config, 19), 200);
}

// To play with the network of a run whose visits rise from 30, with 16 a move.
TEST(VisitsSchedule, PlayingWithFewerVisitsThanTheRunBeganWithIsNoFault) {
  const std::string run =
      "search: {visits: 64}\nself_play: {first_visits: 30, full_visits_from: 9}";
  const std::vector<std::string> sets = {"search.visits=16"};
  EXPECT_FALSE(ReadConfigText(run, "config.yaml", sets));
  const Result<LoadedConfig> played =
      ReadConfigText(run, "config.yaml", WithoutVisitsSchedule(sets));
  ASSERT_TRUE(played) << played.error().message;
  EXPECT_EQ(played->config.search.visits, 16);
  EXPECT_FALSE(played->config.self_play.first_visits);
  EXPECT_FALSE(played->config.self_play.full_visits_from);
}

}  // namespace
}  // namespace az
