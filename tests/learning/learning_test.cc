// Training from nothing to a network that an exact solver finds no fault with, and the same with
// each classic fault injected, which must show.

#include <gtest/gtest.h>

#include <iostream>
#include <memory>
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

class LearningFaults : public LearningTest, public testing::WithParamInterface<Fault> {};

TEST_P(LearningFaults, Shows) { EXPECT_FALSE(Lacks({.fault = GetParam()}).empty()); }

INSTANTIATE_TEST_SUITE_P(Each, LearningFaults, testing::ValuesIn(kInjectedFaults),
                         [](const auto& fault) { return std::string(FaultName(fault.param)); });

}  // namespace
}  // namespace az
