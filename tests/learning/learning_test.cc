// Training from nothing to a network that an exact solver finds no fault with, and the same with
// each classic fault injected, which must show.

#include <gtest/gtest.h>

#include <algorithm>
#include <iostream>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/strings.h"
#include "games/registry.h"
#include "games/solvers/solver.h"
#include "tests/learning/learning_run.h"

namespace az {
namespace {

std::vector<ExactPosition> Solved(std::string_view game) {
  const std::unique_ptr<Solver> solver = MakeSolver(game, {.table = MiB(4)}).value();
  return SolveEverything(*FindGame(game).value(), *solver).value();
}

class LearningTest : public testing::Test {
 protected:
  // Trains; what it lacks.
  std::vector<std::string> Lacks(const LearningSetup& setup) {
    if (positions_.empty()) positions_ = Solved(setup.game);
    const Result<LearningReport> report = LearnAndJudge(setup, positions_);
    if (!report) {
      ADD_FAILURE() << report.error().message;
      return {};
    }
    std::cout << setup.game << " seed " << setup.seed << " fault " << FaultName(setup.fault) << ": "
              << report->ToString() << std::endl;
    return Shortcomings(*report);
  }

 private:
  std::vector<ExactPosition> positions_;
};

TEST_F(LearningTest, LearnsTicTacToe) {
  for (const std::uint64_t seed : {1u, 2u, 3u}) {
    const std::vector<std::string> lacks = Lacks({.seed = seed});
    EXPECT_TRUE(lacks.empty()) << "seed " << seed << ": " << Join(lacks, ", ");
  }
}

TEST_F(LearningTest, LearnsHex) {
  const std::vector<std::string> lacks = Lacks({.game = "hex3"});
  EXPECT_TRUE(lacks.empty()) << Join(lacks, ", ");
}

struct Conviction {
  Fault fault;
  std::string_view by;  // what must be among the shortcomings
};
constexpr Conviction kConvictions[] = {
    {Fault::kValuesNotTurned, "lost_ends"},
    {Fault::kValuesServedTurned, "lost_ends"},
    {Fault::kPolicyNotMapped, "policy_mistakes"},
    {Fault::kStaleWeights, "served_value_rmse"},
    {Fault::kTerminalSign, "lost_ends"},
    {Fault::kTerminalInSearch, "lost_ends"},
    {Fault::kDrawIsWin, "wrong_openings"},
    {Fault::kSampledTarget, "policy_mistake_mass"},
    {Fault::kFlatTarget, "policy_mistake_mass"},
    {Fault::kShuffledTargets, "policy_mistakes"},
    {Fault::kNoMask, "illegal_mass"},
};

class LearningFaults : public LearningTest, public testing::WithParamInterface<Conviction> {};

TEST_P(LearningFaults, Shows) {
  const std::vector<std::string> lacks = Lacks({.fault = GetParam().fault});
  const std::string convict = StrCat(GetParam().by, " ");
  const auto is_convict = [&](const std::string& lack) { return lack.starts_with(convict); };
  EXPECT_TRUE(std::ranges::any_of(lacks, is_convict))
      << convict << "is not among: " << Join(lacks, ", ");
}

INSTANTIATE_TEST_SUITE_P(Each, LearningFaults, testing::ValuesIn(kConvictions),
                         [](const auto& each) { return std::string(FaultName(each.param.fault)); });

}  // namespace
}  // namespace az
