#include "games/solvers/position_limit.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

namespace az {
namespace {

// How many positions Count lets pass before it ends the Solve.
std::uint64_t Passed(PositionLimit& limit) {
  std::uint64_t passed = 0;
  while (limit.Count()) ++passed;
  return passed;
}

TEST(PositionLimit, EndsASolveAtTheLimitAndBeginsTheNextWithAllOfIt) {
  PositionLimit limit({.max_positions = 20});
  for (int solve = 0; solve < 2; ++solve) {
    limit.Restart();
    EXPECT_FALSE(limit.is_over());
    EXPECT_EQ(Passed(limit), 20u);
    EXPECT_TRUE(limit.is_over());
    EXPECT_EQ(limit.failure().code, Errc::kTimeout);
    EXPECT_EQ(limit.failure().message,
              "solve: not decided after 20 positions (allow more, or ask for a later position)");
    EXPECT_FALSE(limit.Count()) << "over is over";
    EXPECT_EQ(limit.count(), 22u);
  }
}

TEST(PositionLimit, AsksAtEvenIntervalsAndNotBeyondTheLimit) {
  std::vector<std::uint64_t> asked;
  const PositionLimit* counted = nullptr;
  PositionLimit limit(
      {.max_positions = 3 * PositionLimit::kBetweenLooks - 1, .look_up = [&]() -> Result<void> {
         asked.push_back(counted->count());
         return {};
       }});
  counted = &limit;
  EXPECT_EQ(Passed(limit), 3 * PositionLimit::kBetweenLooks - 1);
  ASSERT_EQ(asked.size(), 2u);
  EXPECT_EQ(asked[0], PositionLimit::kBetweenLooks);
  EXPECT_EQ(asked[1], 2 * PositionLimit::kBetweenLooks);
}

TEST(PositionLimit, EndsASolveWithTheErrorOfTheLook) {
  int looks = 0;
  PositionLimit limit({.look_up = [&]() -> Result<void> {
    if (++looks < 3) return {};
    return Error{Errc::kStopped, "enough"};
  }});
  EXPECT_EQ(Passed(limit), 3 * PositionLimit::kBetweenLooks - 1);
  EXPECT_EQ(limit.failure().code, Errc::kStopped);
  EXPECT_EQ(limit.failure().message, "enough");
  EXPECT_FALSE(limit.Count());
  EXPECT_EQ(looks, 3) << "who ended it is not asked again";
}

}  // namespace
}  // namespace az
