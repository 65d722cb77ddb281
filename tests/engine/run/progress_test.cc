#include "engine/run/progress.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <array>

namespace az {
namespace {

ProgressView Example() {
  ProgressView view;
  view.run = "5x5";
  view.game = "hex5";
  view.device = "cpu, 2 runners, bf16";
  view.workers = 2;
  view.iteration = 2;
  view.iterations = 100;
  view.done = 120;
  view.wanted = 400;
  view.games_per_s = 41.25;
  view.evaluations_per_s = 81234;
  view.mean_batch_rows = 96.5;
  view.server_busy_fraction = 0.83;
  view.cache_hit_fraction = 0.31;
  view.loss = 1.23456;
  view.arena = MatchResult{"best", 30, 4, 16, 0, 1};
  view.promotions = 2;
  view.memory_used = MiB(412);
  view.memory_budget = GiB(18);
  view.elapsed_s = 75;
  view.eta_s = 4000;
  return view;
}

TEST(FormatDuration, SpeaksOfSecondsMinutesHours) {
  EXPECT_EQ(FormatDuration(0.4), "0 s");
  EXPECT_EQ(FormatDuration(59.4), "59 s");
  EXPECT_EQ(FormatDuration(200), "3 min 20 s");
  EXPECT_EQ(FormatDuration(3720), "1 h 02 min");
}

TEST(RenderBlock, ShowsEveryFigureThatAPersonAsksFor) {
  std::string all;
  for (const std::string& line : RenderBlock(Example(), 200, false)) all += line + "\n";
  for (const char* expected :
       {"5x5", "hex5 on cpu, 2 runners, bf16", "2 workers", "iteration 3 of 100", "1 min 15 s",
        "self-play", "120/400 games", "games/s 41.2", "evaluations/s 81.2 k", "batch 96.5",
        "server busy 83 %", "cache hits 31 %", "loss 1.2346", "+30 =4 -16 (64 %)", "promotions 2",
        "memory 412 MiB of 18 GiB", "about 1 h 06 min left"}) {
    EXPECT_NE(all.find(expected), std::string::npos) << expected << " is missing in\n" << all;
  }
}

TEST(RenderBlock, KeepsToTheWidthAndHasNoEscapesWithoutColour) {
  for (const int width : {20, 40, 79}) {
    for (const std::string& line : RenderBlock(Example(), width, false)) {
      EXPECT_LE(static_cast<int>(line.size()), width);
      EXPECT_EQ(line.find('\033'), std::string::npos);
    }
  }
}

TEST(RenderLine, TrainingShowsStepsAndLoss) {
  ProgressView view = Example();
  view.phase = Phase::kTrain;
  view.done = 10;
  view.wanted = 20;
  EXPECT_NE(RenderLine(view).find("train 10/20 steps, loss 1.2346"), std::string::npos);
}

class DisplayTest : public testing::Test {
 protected:
  void SetUp() override { ASSERT_EQ(::pipe(ends_.data()), 0); }
  void TearDown() override { ::close(ends_[0]); }
  std::string CloseAndRead() {
    ::close(ends_[1]);
    std::string text;
    std::array<char, 4096> buffer{};
    for (ssize_t n = 0; (n = ::read(ends_[0], buffer.data(), buffer.size())) > 0;) {
      text.append(buffer.data(), static_cast<std::size_t>(n));
    }
    return text;
  }
  std::array<int, 2> ends_{};
  ManualClock clock_;
};

TEST_F(DisplayTest, PlainLinesComeEveryTenSeconds) {
  {
    Display display(ends_[1], DisplayStyle::kLines, false, clock_);
    clock_.Advance(std::chrono::seconds(1));
    for (int second = 0; second < 21; ++second) {
      display.Update(Example());
      clock_.Advance(std::chrono::seconds(1));
    }
  }
  const std::string text = CloseAndRead();
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 3);
}

TEST_F(DisplayTest, WhatIsWrittenAfterClearStays) {
  {
    Display display(ends_[1], DisplayStyle::kLive, false, clock_);
    display.Update(Example());
    display.Clear();
    ASSERT_EQ(::write(ends_[1], "error\n", 6), 6);
  }
  EXPECT_TRUE(CloseAndRead().ends_with("\033[4A\033[Jerror\n"));
}

TEST_F(DisplayTest, QuietTellsOnlyWhatMustBeTold) {
  {
    Display display(ends_[1], DisplayStyle::kQuiet, false, clock_);
    display.Update(Example());
    display.Say("promoted");
    display.Tell("summary");
  }
  EXPECT_EQ(CloseAndRead(), "summary\n");
}

}  // namespace
}  // namespace az
