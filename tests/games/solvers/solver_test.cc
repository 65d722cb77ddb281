#include "games/solvers/solver.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>

#include "games/registry.h"
#include "games/solvers/position_limit.h"
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

TEST(Solver, WhoLooksOnChangesNothing) {
  for (const std::string_view entry : {"connect_four", "breakthrough5", "mnk_5_5_4", "hex5"}) {
    const SolverOptions alone{.table = MiB(4), .max_positions = 50'000};
    SolverOptions watched = alone;
    int looks = 0;
    watched.look_up = [&]() -> Result<void> {
      ++looks;
      return {};
    };
    auto solver = *MakeSolver(entry, alone);
    auto other = *MakeSolver(entry, watched);
    EXPECT_EQ(solver->Solve({}).has_value(), other->Solve({}).has_value()) << entry;
    EXPECT_EQ(solver->positions(), other->positions()) << entry;
    EXPECT_EQ(static_cast<std::uint64_t>(looks),
              std::min<std::uint64_t>(solver->positions(), 50'000) / PositionLimit::kBetweenLooks)
        << entry;
  }
}

TEST(Solver, WhoLooksOnMayEndIt) {
  for (const std::string_view entry : {"connect_four", "breakthrough5", "mnk_5_5_4", "hex5"}) {
    auto solver = *MakeSolver(entry, {.table = MiB(4), .look_up = []() -> Result<void> {
                                        return Error{Errc::kStopped, "enough"};
                                      }});
    const auto ended = solver->Solve({});
    ASSERT_FALSE(ended.has_value()) << entry;
    EXPECT_EQ(ended.error().code, Errc::kStopped) << ended.error().message;
    EXPECT_LE(solver->positions(), PositionLimit::kBetweenLooks + 100);
  }
}

// What was not decided is not remembered as decided.
TEST(Solver, GoesOnWhereItWasEnded) {
  int ends_at = 2;
  int looks = 0;
  auto ended = *MakeSolver("hex5", {.table = MiB(4), .look_up = [&]() -> Result<void> {
                                      if (++looks != ends_at) return {};
                                      return Error{Errc::kStopped, "enough"};
                                    }});
  ASSERT_FALSE(ended->Solve({}).has_value());
  ends_at = 0;
  auto alone = *MakeSolver("hex5", {.table = MiB(4)});
  for (int cell = 0; cell < 25; cell += 6) {
    EXPECT_EQ(*ended->Solve(Actions({cell})), *alone->Solve(Actions({cell}))) << cell;
  }
}

}  // namespace
}  // namespace az
