#pragma once
// A run's phases against a fake fleet, for the tests of TrainingLoop.

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>

#include "base/strings.h"
#include "engine/loop/governor.h"
#include "engine/loop/summary.h"
#include "engine/loop/training_loop.h"
#include "games/registry.h"
#include "tests/engine/loop/still_fleet.h"

namespace az {

// Plays every game at once with a prescribed result for player 0, and remembers what it was asked.
class FakeFleet final : public StillFleet {
 public:
  std::vector<std::string> calls;
  std::vector<std::string> trained_from;
  std::vector<std::string> unloaded_after;  // the call before each Unload
  int candidate_score = 1;                  // of every gate game, for player 0
  std::uint32_t gate_games_not = 0;         // so many at the start have the opposite score
  bool gate_games_not_end_last = false;
  int trainings_without_steps = 0;  // the next ones
  int trainings_without_room = 0;   // the next ones, that of a first network included
  std::vector<int> trained_rows;    // micro-batches, of all
  int plays_without_room = 0;       // the next ones end after half of their games
  int fail_at_call = -1;            // the call of that number stops the run
  std::function<void()> on_train;   // of a candidate
  std::function<void(const GamePhaseSpec&)> on_play;
  int questions_failing = 0;  // the next ones of a yardstick: one answer is not finite
  std::string train_metrics = R"({"loss":1.5})";
  std::uint32_t failed_games = 0;  // self-play games at the start of a phase without a result
  FleetTotals per_phase;           // what each self-play phase adds to the totals
  std::vector<GamePhaseSpec> self_play;
  std::vector<std::string> placed;  // phases, each with the call before it

  Result<void> Play(const GamePhaseSpec& spec) override {
    AZ_RETURN_IF_ERROR(Called(StrCat("play ", static_cast<int>(spec.kind), " ", spec.iteration, " ",
                                     spec.games, "+", spec.extra_games)));
    if (on_play) on_play(spec);
    if (spec.kind == GameKind::kYardstick) return NameFirstMoves(spec);
    if (spec.kind == GameKind::kSelfPlay) {
      self_play.push_back(spec);
      totals.bad_rows += per_phase.bad_rows;
      totals.resign_audited += per_phase.resign_audited;
      totals.resign_errors += per_phase.resign_errors;
    }
    const bool lacks_room = plays_without_room > 0 && plays_without_room-- > 0;
    for (std::uint32_t ended = 0; ended < spec.games; ++ended) {
      const bool turned = spec.kind == GameKind::kGate && gate_games_not_end_last;
      const std::uint32_t index = turned ? (ended + gate_games_not) % spec.games : ended;
      if (lacks_room && index == spec.games / 2) return Error{Errc::kNoMemory, "a smaller device"};
      const bool failed = spec.kind == GameKind::kSelfPlay && index < failed_games;
      if (spec.opening && spec.opening(index) != spec.opening(index ^ 1)) {
        ADD_FAILURE() << "the games of a pair have different openings";
      }
      const bool first = spec.kind == GameKind::kSelfPlay || index % 2 == 0;
      const bool opposite = spec.kind == GameKind::kGate && index < gate_games_not;
      const int value = first != opposite ? candidate_score : -candidate_score;
      if (!spec.on_finished(
              {.id = GameId::Make(spec.kind, spec.iteration, index),
               .outcome = failed ? std::nullopt : std::optional(static_cast<Outcome>(value)),
               .plies = 7,
               .policy_samples = 5})) {
        break;
      }
    }
    return {};
  }
  Result<void> Place(PlanPhase phase) override {
    placed.push_back(StrCat(EnumName(phase), " after ", calls.empty() ? "nothing" : calls.back()));
    return {};
  }
  Result<void> Load(int slot, const std::filesystem::path& checkpoint,
                    std::uint64_t version) override {
    return Called(StrCat("load ", slot, " ", checkpoint.filename().string(), " v", version));
  }
  void Unload(int slot) override {
    EXPECT_EQ(slot, 1);  // the best network stays
    unloaded_after.push_back(calls.back());
  }
  Result<TrainedMessage> Train(const TrainMessage& message,
                               const std::function<void(const TrainProgressMessage&)>&) override {
    const std::filesystem::path to = message.to;
    AZ_RETURN_IF_ERROR(Called(StrCat("train ", to.filename().string())));
    if (!message.from.empty() && on_train) on_train();
    trained_rows.push_back(message.micro_batch);
    if (trainings_without_room > 0) {
      --trainings_without_room;
      return Error{Errc::kNoMemory, "no room for a step"};
    }
    trained_from.push_back(std::filesystem::path(message.from).filename());
    if (!message.from.empty() && trainings_without_steps > 0) {
      --trainings_without_steps;
      return TrainedMessage{message.iteration, "", "{}"};
    }
    std::filesystem::create_directories(to);
    return TrainedMessage{message.iteration, message.to, train_metrics};
  }

 private:
  // First legal moves, of nearly drawn values. Goes on after enough, as drained workers do.
  Result<void> NameFirstMoves(const GamePhaseSpec& spec) {
    EXPECT_EQ(spec.moves, 1);
    const GameOps& game = *FindGame("tic_tac_toe").value();
    const bool fails = questions_failing > 0 && questions_failing-- > 0;
    for (std::uint32_t index = 0; index < spec.games; ++index) {
      const std::vector<Action> opening = spec.opening(index);
      spec.on_finished({.id = GameId::Make(spec.kind, spec.iteration, index),
                        .outcome = std::nullopt,
                        .plies = static_cast<int>(opening.size()) + 1,
                        .reason = fails && index == 0 ? EndReason::kFailed : EndReason::kCut,
                        .last = (*game.Replay(opening))->LegalActions().front(),
                        .last_network_value = 0.25f});
    }
    totals.device_rows += spec.games;
    return {};
  }
  Result<void> Called(std::string call) {
    if (static_cast<int>(calls.size()) == fail_at_call) {
      return Error{Errc::kStopped, "stopped by the test"};
    }
    calls.push_back(std::move(call));
    return {};
  }
};

class TrainingLoopTest : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = testing::TempDir() + StrCat("loop_", ::getpid());
    std::filesystem::remove_all(folder_);
    config_.game.name = "tic_tac_toe";
    config_.run.dir = folder_ + "/run";
    config_.loop.iterations = 2;
    config_.self_play.games_per_iteration = 6;
    config_.arena.games = 10;
    config_.arena.final_games = 4;
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  // One start of the program.
  Result<void> Start(FakeFleet& fleet) {
    Result<RunDir> dir = RunDir::Open(config_, RunDir::Mode::kResume);
    if (!dir) return std::move(dir).error();
    Result<MetricsFile> metrics = MetricsFile::Open(dir->metrics());
    if (!metrics) return std::move(metrics).error();
    Result<MatchHistory> history = MatchHistory::Open(dir->path() / "matches.jsonl");
    if (!history) return std::move(history).error();
    Result<Panel> panel = ReadPanel(config_);
    if (!panel) return std::move(panel).error();
    const Log log(-1, "test");
    Display display(display_fd_, display_fd_ < 0 ? DisplayStyle::kQuiet : DisplayStyle::kLines,
                    false, *time_);
    Governor governor({.input = input_,
                       .plan = plan_,
                       .fleet = fleet,
                       .metrics = *metrics,
                       .display = display,
                       .clock = *time_,
                       .log = log,
                       .state = dir->state().memory,
                       .plan_file = {}});
    TrainingLoop loop({.config = config_,
                       .governor = governor,
                       .game = *FindGame("tic_tac_toe").value(),
                       .panel = *panel,
                       .dir = *dir,
                       .fleet = fleet,
                       .metrics = *metrics,
                       .history = *history,
                       .display = display,
                       .clock = *time_,
                       .log = log});
    const Result<void> run = loop.Run();
    state_ = dir->state();
    matches_ = history->matches();
    ratings_ = history->Ratings("iter_000000");
    summary_ = SummaryText(*dir, *history);
    return run;
  }

  std::string folder_;
  RunConfig config_;
  PlanInput input_;
  Plan plan_;
  SteadyClock clock_;
  const Clock* time_ = &clock_;  // another one where a test tells the time
  RunState state_;
  std::vector<HistoricMatch> matches_;
  std::vector<RatedName> ratings_;
  std::string summary_;
  int display_fd_ = -1;  // of a file that takes what the person sees; -1: nobody looks
};

}  // namespace az
