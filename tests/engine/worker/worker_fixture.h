#pragma once
// A worker from start to stop on a server of its own with a hash for a network, and the journal
// that it leaves.

#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include "base/strings.h"
#include "engine/data/game_log.h"
#include "engine/ipc/shm_evaluator.h"
#include "engine/server/inference_server.h"
#include "engine/worker/worker.h"
#include "engine/worker/worker_inl.h"
#include "games/registry.h"
#include "tests/support/fake_runner.h"
#include "tests/support/segment_fixture.h"

namespace az {

using Game = Hex<3>;

// Gives the worker one step of messages each time it has nothing to do, then stops it.
class ScriptedControl final : public WorkerControl {
 public:
  std::deque<std::vector<ControlMessage>> steps;
  std::vector<ControlMessage> sent;
  // Drain comes in the middle of the games, once the journal has grown to this; 0: never.
  std::uintmax_t drain_at_bytes = 0;
  std::string journal;
  std::uint64_t drain_phase = 0;

  WeightsVersion Published(ModelId model) override { return 5u + model.value(); }
  Result<std::vector<ControlMessage>> Poll() override {
    if (drain_at_bytes > 0 && JournalBytes() >= drain_at_bytes) {
      drain_at_bytes = 0;
      drained_ = true;
      return std::vector<ControlMessage>{DrainMessage{.phase = drain_phase}};
    }
    return std::exchange(next_, {});
  }
  bool StopAsked() override { return stop_; }
  Result<void> Send(const ControlMessage& message) override {
    sent.push_back(message);
    return {};
  }
  void Idle(Duration) override {
    if (steps.empty()) {
      stop_ = drain_at_bytes == 0;
      return;
    }
    next_ = std::move(steps.front());
    steps.pop_front();
  }

  bool drained_ = false;

 private:
  std::uintmax_t JournalBytes() const {
    std::error_code code;
    const std::uintmax_t bytes = std::filesystem::file_size(journal, code);
    return code ? 0 : bytes;
  }
  std::vector<ControlMessage> next_;
  bool stop_ = false;
};

struct WorkerRun {
  int slots = 16;
  std::uint32_t blocks = 2;
  std::uint32_t rows = 4;
  Bytes cache = KiB(64);
  int failing_forwards = 0;
  int not_finite_forwards = 0;
};

class WorkerTest : public testing::Test {
 protected:
  void SetUp() override {
    path_ = testing::TempDir() + StrCat("worker_", ::getpid(), ".journal");
    std::filesystem::remove(path_);
    search_.visits = 12;
  }
  void TearDown() override { std::filesystem::remove(path_); }

  static PhaseMessage SelfPlay(std::uint64_t phase = 1) {
    return {.phase = phase, .kind = GameKind::kSelfPlay, .iteration = 0, .players = {{}}};
  }
  static GrantMessage Grant(GameKind kind, std::uint32_t games, std::uint64_t phase = 1) {
    GrantMessage grant{.phase = phase};
    for (std::uint32_t i = 0; i < games; ++i) {
      grant.games.push_back({.id = GameId::Make(kind, 0, i).packed});
    }
    return grant;
  }

  // A worker from start to stop on a server of its own.
  Result<void> Run(const WorkerRun& run, ScriptedControl& control) {
    const SegmentShape shape{.lanes = 1,
                             .blocks = run.blocks,
                             .rows = run.rows,
                             .in_words = static_cast<std::uint32_t>(Game::kShape.words()),
                             .num_actions = Game::kNumActions,
                             .models = 2};
    std::unique_ptr<Segment> segment = *Segment::Create({shape, 1, RunId{}});
    fakes::FakeNetwork network;
    network.words = Game::kShape.words();
    network.actions = Game::kNumActions;
    network.versions[0] = 5;
    network.versions[1] = 6;
    network.FailNext(Errc::kIo, run.failing_forwards);
    network.FailNext(Errc::kNotFinite, run.not_finite_forwards);
    Log log(-1, "test");
    auto server =
        *InferenceServer::Start(*segment, 1, fakes::FakeRunners(network, 1), {.buckets = {8}}, log);
    server->SetModel(ModelId{0}, ModelState::kReady, 5);
    server->SetModel(ModelId{1}, ModelState::kReady, 6);
    ShmEvaluator evaluator(*segment, 0, 1);
    AZ_ASSIGN_OR_RETURN(JournalWriter journal, JournalWriter::Open(path_, identity_));
    const SteadyClock clock;
    Worker<Game> worker({.search = search_,
                         .run_seed = 3,
                         .visits = visits_,
                         .slots = run.slots,
                         .cache = run.cache,
                         .evaluator = evaluator,
                         .control = control,
                         .journal = journal,
                         .clock = clock,
                         .log = log});
    const Result<void> end = worker.Run();
    forwards_ = network.forwards;
    return end;
  }

  // The finished games of the journal; each is replayed by the rules.
  std::map<GameId, GameRecord> Games() {
    std::map<GameId, GameRecord> games;
    GameLog log([&](StitchedGame&& stitched) {
      EXPECT_FALSE(stitched.conflicted);
      games[stitched.game.id] = std::move(stitched.game);
    });
    JournalReader reader(path_, identity_);
    const auto progress =
        reader.ReadNew([&](JournalRecord&& record) { log.Add(std::move(record)); });
    EXPECT_TRUE(progress);
    EXPECT_EQ(log.counts().repeated_moves, 0);
    for (const auto& [id, game] : games) {
      Game state;
      for (const MoveRecord& move : game.moves) {
        if (!state.LegalActions().Contains(move.action)) {
          ADD_FAILURE() << "illegal move in the journal";
          return games;
        }
        state.Apply(move.action);
      }
      if (game.reason == EndReason::kRules) {
        EXPECT_EQ(state.Result(), game.outcome);
      }
    }
    return games;
  }
  static WorkerStatsMessage LastStats(const ScriptedControl& control) {
    WorkerStatsMessage last;
    for (const ControlMessage& message : control.sent) {
      if (const auto* stats = std::get_if<WorkerStatsMessage>(&message)) last = *stats;
    }
    return last;
  }
  static std::vector<int> Actions(const GameRecord& game) {
    std::vector<int> actions;
    for (const MoveRecord& move : game.moves) actions.push_back(Index(move.action));
    return actions;
  }

  std::string path_;
  SearchOptions search_;
  std::optional<VisitsSchedule> visits_;
  JournalIdentity identity_{.game_hash = MakeGameInfo<Game>().Hash(), .entry = "hex3"};
  int forwards_ = 0;
};

}  // namespace az
