#include "engine/run/run_state.h"

#include <gtest/gtest.h>

namespace az {
namespace {

RunState Example() {
  RunState state;
  state.run_id = "00112233445566778899aabbccddeeff";
  state.iteration = 7;
  state.phase = Phase::kArena;
  state.best = "iter_000005";
  state.best_version = 9;
  state.candidate = "iter_000007";
  state.panel = {"iter_000000", "gtp:x 1,2"};
  state.next_version = 12;
  state.learner = "iter_000007";
  state.train_reads = {{"lane_000.journal", 12345}, {"lane_001.journal", 0}};
  state.metrics = R"({"self_play_s":2.5,"loss":1.5,"grad_norm":null})";
  state.totals.all.simulations = 700;
  state.totals.all.search_kl_nats = 0.25;
  state.totals.all.device_rows = 600;
  state.totals.all.runner_busy_s = 1.5;
  state.totals.all.device_restarts = 1;
  state.totals.self_play.games_finished = 40;
  state.totals.self_play.batches = 30;
  state.totals.self_play_s = 3.5;
  state.totals.is_open = true;
  state.games_per_iteration = 400;
  state.promotions = 4;
  state.gates = 7;
  state.games = 2800;
  state.positions = 60000;
  state.seconds = 12.5;
  state.resign = {.threshold = 0.95, .games = 120, .errors = 2};
  state.final_results = {{"random", 10, 2, 1, 0.5, 0.99, 0.75, 3}};
  state.final_mcts = {200, 1000};
  state.memory.train = {.rungs = 2, .clean = 1, .failures = {1, 3}};
  state.memory.inference = {.rungs = 1, .clean = 0, .failures = {1}};
  state.memory.host = {.rungs = 1, .clean = 2, .failures = {1}};
  state.memory.failed = {{PlanPhase::kTrain, 256, Precision::kBf16, 1, true}};
  state.memory.has_restarted_device = true;
  state.memory.counted = 6;
  state.memory.device = DeviceKind::kCuda;
  state.memory.elsewhere.host = {.rungs = 3, .clean = 1, .failures = {2}};
  state.memory.elsewhere.failed = {{PlanPhase::kSelfPlay, 64, Precision::kFp32, 0, true}};
  return state;
}

TEST(RunState, OfBeforeMemoryWasKeptHasLearnedNothing) {
  std::string text = ToJson(Example());
  const std::size_t at = text.find(",\n \"memory\"");
  ASSERT_NE(at, std::string::npos);
  const Result<RunState> read = RunStateFromJson(text.substr(0, at) + "}");
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(read->memory, MemoryState{});
}

// Of a build that did not keep where sizes failed (memory/rungs.h places them).
TEST(RunState, FailuresOfBeforeTheirPlaceWasKeptHaveNone) {
  std::string text = ToJson(Example());
  const std::string_view place = ",\n    \"on_cpu\": true";
  const std::size_t at = text.find(place);
  ASSERT_NE(at, std::string::npos) << text;
  text.erase(at, place.size());
  const RunState old = RunStateFromJson(text).value();
  EXPECT_TRUE(old.memory.failed.empty());
  EXPECT_EQ(ToJson(old), text) << "kept as it was until the device is known";
  FailedSizes expected = Example().memory.failed.at(0);
  expected.on_cpu = false;
  EXPECT_EQ(old.memory.unplaced, (std::vector<FailedSizes>{expected}));
}

TEST(RunState, SurvivesItsFile) {
  const RunState state = Example();
  const Result<RunState> read = RunStateFromJson(ToJson(state));
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(ToJson(*read), ToJson(state));
  EXPECT_EQ(read->phase, Phase::kArena);
  EXPECT_EQ(read->train_reads.at(0).bytes, 12345);
  EXPECT_EQ(read->final_results.at(0).wins, 10);
  EXPECT_EQ(read->final_results.at(0).score(), 0.75);
  EXPECT_EQ(read->final_results.at(0).replayed_pairs, 3);
  EXPECT_EQ(read->final_mcts, (std::vector<int>{200, 1000}));
  EXPECT_EQ(read->resign.threshold, 0.95);
  EXPECT_EQ(read->resign.errors, 2);
  EXPECT_EQ(read->memory, state.memory);
}

TEST(RunState, RefusesAnotherFormatAsIncompatible) {
  std::string text = ToJson(Example());
  text.replace(text.find("\"format\": 1"), 11, "\"format\": 9");
  const Result<RunState> read = RunStateFromJson(text);
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error().code, Errc::kIncompatible);
}

TEST(RunState, RefusesEveryTruncation) {
  const std::string text = ToJson(Example());
  for (std::size_t length = 0; length + 2 < text.size(); ++length) {
    const Result<RunState> read = RunStateFromJson(text.substr(0, length));
    ASSERT_FALSE(read) << length;
    EXPECT_EQ(read.error().code, Errc::kCorrupt);
  }
}

TEST(RunState, AMatchOfBeforePairsWereToldApartHasTheScoreOfItsGames) {
  std::string text = ToJson(Example());
  const std::size_t at = text.find(",\n   \"score\": 0.75");
  ASSERT_NE(at, std::string::npos) << text;
  text.erase(at, text.find('}', at) - at);
  const Result<RunState> read = RunStateFromJson(text);
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_DOUBLE_EQ(read->final_results.at(0).score(), 11.0 / 13.0);
  EXPECT_EQ(read->final_results.at(0).replayed_pairs, 0);
}

TEST(MatchResult, ScoreCountsDrawsHalf) {
  EXPECT_DOUBLE_EQ((MatchResult{"x", 3, 2, 5, 0, 1}).score(), 0.4);
  EXPECT_DOUBLE_EQ((MatchResult{"x", 0, 0, 0, 0, 1}).score(), 0.0);
}

}  // namespace
}  // namespace az
