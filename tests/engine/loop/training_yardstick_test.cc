// The yardstick of a run whose network names the first legal move everywhere.

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <csignal>
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
  std::vector<nlohmann::json> LooksIn(const std::string& name) const {
    std::vector<nlohmann::json> lines;
    std::ifstream file(folder_ + "/run/" + name);
    for (std::string text; std::getline(file, text);) {
      auto line = nlohmann::json::parse(text, nullptr, false);
      if (line.is_object() && line.at("kind") == "yardstick") lines.push_back(std::move(line));
    }
    return lines;
  }
  std::vector<nlohmann::json> Curve() const { return LooksIn("yardstick.jsonl"); }
  static int IndexOf(const FakeFleet& fleet, std::string_view call) {
    const auto found =
        std::ranges::find_if(fleet.calls, [&](const auto& made) { return made.starts_with(call); });
    EXPECT_NE(found, fleet.calls.end()) << call;
    return static_cast<int>(found - fleet.calls.begin());
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
  const int second_question = IndexOf(whole, "play 4") + 1;
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

// A look may take minutes, and nothing of self-play's counts is lost by a kill in it.
TEST_F(TrainingYardstickTest, SelfPlayIsNotOpenWhileALookIsTaken) {
  FakeFleet fleet;
  int looks = 0;
  int phases = 0;
  fleet.on_play = [&](const GamePhaseSpec& spec) {
    const bool is_open = OnDisk().totals.is_open;
    if (spec.kind == GameKind::kYardstick) {
      ++looks;
      EXPECT_FALSE(is_open);
    } else if (spec.kind == GameKind::kSelfPlay) {
      ++phases;
      EXPECT_TRUE(is_open);
    }
  };
  ASSERT_TRUE(Start(fleet));
  EXPECT_GT(looks, 1);
  EXPECT_EQ(phases, 4);
}

TEST_F(TrainingYardstickTest, ItsResultIsInTheSummary) {
  FakeFleet fleet;
  ASSERT_TRUE(Start(fleet));
  EXPECT_NE(summary_.find("against the exact solver, after iteration 4: openings 9 of 9"),
            std::string::npos)
      << summary_;
}

// Neither a network whose answers are no use nor what is left of them in the journals ends a run.
TEST_F(TrainingYardstickTest, ALookWithoutUseIsLeftOutAndTheNextOneAsksAnew) {
  FakeFleet fleet;
  fleet.questions_failing = 1;
  const Result<void> run = Start(fleet);
  ASSERT_TRUE(run) << run.error().message;
  const auto curve = Curve();
  ASSERT_EQ(curve.size(), 1u);
  EXPECT_EQ(curve[0].at("iteration"), 4);
  const int failed = IndexOf(fleet, "play 4 64 ");  // question 0 of look 1
  EXPECT_FALSE(fleet.calls[static_cast<std::size_t>(failed) + 1].starts_with("play 4"));
  EXPECT_GT(IndexOf(fleet, "play 4 128 "), failed) << "another number";
  EXPECT_EQ(state_.phase, Phase::kComplete);
}

TEST_F(TrainingYardstickTest, AStartAfterALookWithoutUseAsksAnewToo) {
  FakeFleet fleet;
  fleet.questions_failing = 1;
  config_.loop.yardstick.every = 1;
  config_.loop.yardstick.time_fraction = 0.0f;
  fleet.on_play = [&](const GamePhaseSpec& spec) {  // the look comes before; stops the training
    if (spec.kind != GameKind::kSelfPlay || spec.iteration != 1) return;
    fleet.fail_at_call = static_cast<int>(fleet.calls.size());
  };
  EXPECT_FALSE(Start(fleet));
  ASSERT_EQ(Questions(fleet), 1);
  EXPECT_EQ(state_.yardstick.asked, "");
  FakeFleet again;
  ASSERT_TRUE(Start(again));
  IndexOf(again, "play 4 128 ");
  ASSERT_EQ(Curve().size(), 1u);
  EXPECT_EQ(Curve()[0].at("iteration"), 4);
}

// The journals' metrics may be lost; the run's own clock is not.
TEST_F(TrainingYardstickTest, WithoutTheIterationsMetricsThePointHasNoEvaluations) {
  FakeFleet whole;
  ASSERT_TRUE(Start(whole));
  std::filesystem::remove_all(folder_);
  FakeFleet stopped;
  stopped.fail_at_call = IndexOf(whole, "play 4");
  EXPECT_FALSE(Start(stopped));
  std::filesystem::resize_file(folder_ + "/run/metrics.jsonl", 0);
  FakeFleet again;
  const Result<void> run = Start(again);
  ASSERT_TRUE(run) << run.error().message;
  const auto curve = Curve();
  ASSERT_EQ(curve.size(), 2u);
  EXPECT_TRUE(curve[0].at("evaluations").is_null()) << curve[0];
  EXPECT_GT(curve[0].at("elapsed_s"), 0.0);
  EXPECT_EQ(curve[1].at("iteration"), 4);
}

TEST_F(TrainingYardstickTest, SettingUpCountsButIsNoPartOfTheForecast) {
  config_.loop.yardstick.every = 4;
  FakeFleet fleet;
  ASSERT_TRUE(Start(fleet));
  EXPECT_EQ(state_.yardstick.looks, 1);
  EXPECT_GT(state_.yardstick.look_seconds, 0.0);
  EXPECT_GT(state_.yardstick.seconds, state_.yardstick.look_seconds);
}

// A look takes 200 s, the rest of an iteration 100 s: with 60 % of the time there is none for a
// second look before the end, whether the run was stopped meanwhile or not.
class TimedYardstickTest : public TrainingYardstickTest {
 protected:
  void SetUp() override {
    TrainingYardstickTest::SetUp();
    time_ = &manual_;
    config_.loop.yardstick.every = 1;
    config_.loop.yardstick.time_fraction = 0.6f;
  }
  void Time(FakeFleet& fleet) {
    fleet.on_play = [&](const GamePhaseSpec& spec) {
      const bool is_first_question = spec.kind == GameKind::kYardstick && spec.iteration % 64 == 0;
      if (is_first_question) manual_.Advance(std::chrono::seconds(200));
      if (spec.kind == GameKind::kSelfPlay) manual_.Advance(std::chrono::seconds(100));
    };
  }
  ManualClock manual_;
};

TEST_F(TimedYardstickTest, AResumeForecastsWithTheLookOfTheStartBefore) {
  FakeFleet whole;
  Time(whole);
  ASSERT_TRUE(Start(whole));
  ASSERT_EQ(Curve().size(), 2u);
  EXPECT_EQ(state_.yardstick.look_seconds, 200.0);
  EXPECT_EQ(Curve()[0].at("seconds"), 200.0);
  std::filesystem::remove_all(folder_);
  FakeFleet stopped;
  Time(stopped);
  stopped.fail_at_call = IndexOf(whole, "train iter_000002");
  EXPECT_FALSE(Start(stopped));
  FakeFleet again;
  Time(again);
  ASSERT_TRUE(Start(again));
  const auto curve = Curve();
  ASSERT_EQ(curve.size(), 2u);
  EXPECT_EQ(curve[0].at("iteration"), 1);
  EXPECT_EQ(curve[1].at("iteration"), 4);
}

TEST_F(TimedYardstickTest, TheTimeOfAStoppedLookCounts) {
  FakeFleet whole;
  Time(whole);
  ASSERT_TRUE(Start(whole));
  std::filesystem::remove_all(folder_);
  FakeFleet stopped;
  Time(stopped);
  stopped.fail_at_call = IndexOf(whole, "play 4") + 1;
  EXPECT_FALSE(Start(stopped));
  EXPECT_EQ(state_.yardstick.looks, 0);
  EXPECT_EQ(state_.yardstick.seconds, 200.0);
  FakeFleet again;
  Time(again);
  ASSERT_TRUE(Start(again));
  EXPECT_EQ(Curve()[0].at("iteration"), 1) << "the first look has time always";
  EXPECT_EQ(Curve()[0].at("seconds"), 400.0);
}

// The curve has no room for the point: nothing else tells of the look, so that it is told of once.
TEST_F(TrainingYardstickTest, AKillBetweenCurveAndMetricsDoublesNoLine) {
  constexpr std::size_t kFull = 1 << 20;
  config_.loop.yardstick.every = 4;
  FakeFleet probe;
  ASSERT_TRUE(Start(probe));
  std::filesystem::remove_all(folder_);
  FakeFleet stopped;
  stopped.fail_at_call = IndexOf(probe, "play 4");
  EXPECT_FALSE(Start(stopped));
  std::ofstream(folder_ + "/run/yardstick.jsonl") << std::string(kFull, '\n');
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &before), 0);
  const rlimit full{.rlim_cur = kFull, .rlim_max = before.rlim_max};
  const auto handler = std::signal(SIGXFSZ, SIG_IGN);
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &full), 0);
  FakeFleet refused;
  EXPECT_FALSE(Start(refused));
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &before), 0);
  std::signal(SIGXFSZ, handler);
  EXPECT_EQ(LooksIn("metrics.jsonl").size(), 0u);
  FakeFleet again;
  ASSERT_TRUE(Start(again));
  EXPECT_EQ(Curve().size(), 1u);
  EXPECT_EQ(LooksIn("metrics.jsonl").size(), 1u);
}

TEST_F(TrainingYardstickTest, StoppedAnywhereTheCurveIsTheSame) {
  const auto evaluate = [](FakeFleet& fleet) {
    fleet.on_play = [&fleet](const GamePhaseSpec& spec) {
      if (spec.kind != GameKind::kYardstick) fleet.totals.device_rows += 100 * (spec.iteration + 1);
    };
  };
  FakeFleet whole;
  evaluate(whole);
  ASSERT_TRUE(Start(whole));
  const auto wanted = Curve();
  ASSERT_GT(wanted.back().at("evaluations"), 100);
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
    evaluate(stopped);
    stopped.fail_at_call = call;
    EXPECT_FALSE(Start(stopped));
    FakeFleet again;
    evaluate(again);
    const Result<void> run = Start(again);
    ASSERT_TRUE(run) << call << ": " << run.error().message;
    EXPECT_EQ(stripped(Curve()), stripped(wanted)) << call;
  }
}

}  // namespace
}  // namespace az
