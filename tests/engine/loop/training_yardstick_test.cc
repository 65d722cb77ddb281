// The yardstick of a run whose network names the first legal move everywhere.

#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "tests/engine/loop/training_fixture.h"

namespace az {
namespace {

class TrainingYardstickTest : public TrainingLoopTest {
 protected:
  void SetUp() override {
    TrainingLoopTest::SetUp();
    config_.loop.iterations = 4;
    config_.arena.gate = Gate::kNone;
    config_.arena.final_games = 0;
    config_.loop.yardstick = {.every = 2, .positions = 20, .sims = 8, .games = 1};
    config_.loop.yardstick.time_fraction = 1.0f;
  }
  std::vector<nlohmann::json> Curve() const {
    std::vector<nlohmann::json> lines;
    std::ifstream file(folder_ + "/run/yardstick.jsonl");
    for (std::string text; std::getline(file, text);) lines.push_back(nlohmann::json::parse(text));
    return lines;
  }
  static int Questions(const FakeFleet& fleet) {
    return static_cast<int>(std::ranges::count_if(
        fleet.calls, [](const std::string& call) { return call.starts_with("play 4"); }));
  }
};

TEST_F(TrainingYardstickTest, LooksEveryNIterationsAndNotTwiceAtTheEnd) {
  FakeFleet fleet;
  const Result<void> run = Start(fleet);
  ASSERT_TRUE(run) << run.error().message;
  const auto curve = Curve();
  ASSERT_EQ(curve.size(), 2u);
  EXPECT_EQ(curve[0].at("iteration"), 2);
  EXPECT_EQ(curve[1].at("iteration"), 4);
  EXPECT_EQ(curve[0].at("openings"), 9);
  EXPECT_EQ(curve[0].at("openings_right"), 9) << "0.25 is drawn";
  EXPECT_EQ(curve[0].at("positions"), 20);
  EXPECT_GT(curve[0].at("search_mistake_fraction"), 0.2);
  EXPECT_EQ(curve[0].at("exact_games"), 18);
  EXPECT_GT(curve[0].at("exact_games_lost"), 0);
  EXPECT_EQ(curve[0].at("perfect"), false);
  EXPECT_EQ(curve[0].at("settings").dump(),
            R"({"games":1,"positions":20,"search":"","seed":1,"sims":8})");
  EXPECT_LE(curve[0].at("elapsed_s"), curve[1].at("elapsed_s"));
}

TEST_F(TrainingYardstickTest, TheLastLookComesAtTheEndWhateverTheRhythm) {
  config_.loop.yardstick.every = 3;
  FakeFleet fleet;
  ASSERT_TRUE(Start(fleet));
  const auto curve = Curve();
  ASSERT_EQ(curve.size(), 2u);
  EXPECT_EQ(curve[1].at("iteration"), 4);
}

TEST_F(TrainingYardstickTest, OffMeansNoQuestion) {
  config_.loop.yardstick.every = 0;
  FakeFleet fleet;
  ASSERT_TRUE(Start(fleet));
  EXPECT_EQ(Questions(fleet), 0);
  EXPECT_FALSE(std::filesystem::exists(folder_ + "/run/yardstick.jsonl"));
}

TEST_F(TrainingYardstickTest, WithoutTimeOnlyTheFirstAndTheLastLook) {
  config_.loop.yardstick.every = 1;
  config_.loop.yardstick.time_fraction = 0.0f;
  FakeFleet fleet;
  ASSERT_TRUE(Start(fleet));
  const auto curve = Curve();
  ASSERT_EQ(curve.size(), 2u);
  EXPECT_EQ(curve[0].at("iteration"), 1);
  EXPECT_EQ(curve[1].at("iteration"), 4);
}

TEST_F(TrainingYardstickTest, ItsOwnRowsAreNotTheRunsEvaluations) {
  FakeFleet fleet;
  ASSERT_TRUE(Start(fleet));
  const auto curve = Curve();
  EXPECT_GT(fleet.totals.device_rows, 0u);
  EXPECT_EQ(curve[1].at("evaluations"), 0) << "nobody else asked";
}

// Answers to the questions of a look that asked otherwise must not be taken for its own.
TEST_F(TrainingYardstickTest, ALookGoesOnUnderItsNumberUnlessItAsksOtherwise) {
  const auto numbers = [](const FakeFleet& fleet) {
    std::vector<std::string> asked;  // "play 4 64"
    for (const std::string& call : fleet.calls) {
      if (call.starts_with("play 4")) asked.push_back(call.substr(0, call.rfind(' ')));
    }
    return asked;
  };
  FakeFleet whole;
  ASSERT_TRUE(Start(whole));
  const int second_question = static_cast<int>(
      std::ranges::find_if(whole.calls,
                           [](const std::string& call) { return call.starts_with("play 4"); }) -
      whole.calls.begin() + 1);
  for (const int positions : {20, 21}) {
    std::filesystem::remove_all(folder_);
    config_.loop.yardstick.positions = 20;
    FakeFleet stopped;
    stopped.fail_at_call = second_question;
    EXPECT_FALSE(Start(stopped));
    ASSERT_EQ(numbers(stopped).size(), 1u);
    config_.loop.yardstick.positions = positions;
    FakeFleet again;
    ASSERT_TRUE(Start(again));
    EXPECT_EQ(numbers(again).front() == numbers(stopped).front(), positions == 20);
  }
}

TEST_F(TrainingYardstickTest, ItsResultIsInTheSummary) {
  FakeFleet fleet;
  ASSERT_TRUE(Start(fleet));
  EXPECT_NE(summary_.find("against the exact solver, after iteration 4: openings 9 of 9"),
            std::string::npos)
      << summary_;
}

TEST_F(TrainingYardstickTest, StoppedAnywhereTheCurveIsTheSame) {
  FakeFleet whole;
  ASSERT_TRUE(Start(whole));
  const auto wanted = Curve();
  const auto stripped = [](std::vector<nlohmann::json> lines) {
    for (auto& line : lines) {
      line.erase("elapsed_s");
      line.erase("seconds");
    }
    return lines;
  };
  for (int call = 0; call < static_cast<int>(whole.calls.size()); ++call) {
    std::filesystem::remove_all(folder_);
    FakeFleet stopped;
    stopped.fail_at_call = call;
    EXPECT_FALSE(Start(stopped));
    FakeFleet again;
    const Result<void> run = Start(again);
    ASSERT_TRUE(run) << call << ": " << run.error().message;
    EXPECT_EQ(stripped(Curve()), stripped(wanted)) << call;
  }
}

}  // namespace
}  // namespace az
