#include "games/solvers/solver.h"

#include <gtest/gtest.h>

#include "games/registry.h"
#include "tests/games/solvers/solver_checks.h"

namespace az {
namespace {

using testing::Actions;

TEST(Solver, KnowsItsGamesAndNamesThem) {
  for (const std::string& entry : SolvedEntries()) {
    EXPECT_TRUE(MakeSolver(entry, {.table = MiB(1)}).has_value()) << entry;
  }
  const auto refused = MakeSolver("go9");
  ASSERT_FALSE(refused.has_value());
  EXPECT_EQ(refused.error().code, Errc::kNotFound);
  EXPECT_NE(refused.error().message.find("no solver for game 'go9'; there are solvers for tic_"),
            std::string::npos);
}

TEST(Solver, AnIllegalActionIsNamedWithItsPly) {
  for (const std::string& entry : SolvedEntries()) {
    auto solver = *MakeSolver(entry, {.table = MiB(1)});
    const auto refused = solver->Solve(Actions({60000}));
    ASSERT_FALSE(refused.has_value()) << entry;
    EXPECT_EQ(refused.error().code, Errc::kInvalid);
    EXPECT_EQ(refused.error().message, "solve: ply 0: action 60000 is not legal");
  }
}

TEST(Solver, GivesUpWhenToldToAndGoesOnWhenAskedAgain) {
  for (const std::string_view entry : {"connect_four", "breakthrough5", "mnk_5_5_4", "hex5"}) {
    auto solver = *MakeSolver(entry, {.table = MiB(4), .max_positions = 20});
    const auto refused = solver->Solve({});
    ASSERT_FALSE(refused.has_value()) << entry;
    EXPECT_EQ(refused.error().code, Errc::kTimeout) << refused.error().message;
    EXPECT_LE(solver->positions(), 100u);
  }
  // What was not decided is not remembered as decided.
  auto hasty = *MakeSolver("hex4", {.table = MiB(4), .max_positions = 10});
  auto patient = *MakeSolver("hex4", {.table = MiB(4)});
  for (int cell = 0; cell < 16; ++cell) {
    const auto value = hasty->Solve(Actions({cell}));
    if (!value.has_value()) continue;
    EXPECT_EQ(*value, *patient->Solve(Actions({cell}))) << cell;
  }
}

}  // namespace
}  // namespace az
