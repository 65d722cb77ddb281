// The worker's loop against a real segment and server with a hash for a network.

#include "engine/worker/worker.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <map>
#include <set>

#include "base/strings.h"
#include "engine/data/game_log.h"
#include "engine/ipc/shm_evaluator.h"
#include "engine/server/inference_server.h"
#include "engine/worker/worker_inl.h"
#include "games/registry.h"
#include "tests/support/fake_runner.h"
#include "tests/support/segment_fixture.h"

namespace az {
namespace {

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
  JournalIdentity identity_{.game_hash = MakeGameInfo<Game>().Hash(), .entry = "hex3"};
  int forwards_ = 0;
};

TEST_F(WorkerTest, PlaysExactlyTheGrantedGamesByTheRules) {
  ScriptedControl control;
  control.steps = {{SelfPlay(), Grant(GameKind::kSelfPlay, 50)}};
  const Result<void> run = Run({}, control);
  ASSERT_TRUE(run) << run.error().message;
  const auto games = Games();
  ASSERT_EQ(games.size(), 50u);
  std::set<std::vector<int>> distinct;
  for (const auto& [id, game] : games) {
    distinct.insert(Actions(game));
    for (const MoveRecord& move : game.moves) {
      const bool only_move = move.ply == Game::kMaxPlies - 1;
      EXPECT_EQ(move.policy.empty(), only_move);
      int sum = 0;
      for (const PolicyEntry& entry : move.policy) sum += entry.weight;
      if (!only_move) {
        EXPECT_NEAR(sum, 65535, 9);
        EXPECT_EQ(move.weights_version, 5u);
        EXPECT_LE(std::abs(move.root_value), 1.0f);
      }
    }
  }
  EXPECT_GT(distinct.size(), 20u);  // noise and temperature vary the games
  EXPECT_GT(forwards_, 0);
}

TEST_F(WorkerTest, AGameDependsOnItsIdAloneNotOnSlotsBlocksOrCache) {
  std::map<GameId, GameRecord> reference;
  for (const WorkerRun& run :
       {WorkerRun{}, WorkerRun{.slots = 1}, WorkerRun{.slots = 40, .blocks = 3, .rows = 1},
        WorkerRun{.cache = Bytes(0)}}) {
    std::filesystem::remove(path_);
    ScriptedControl control;
    control.steps = {{SelfPlay(), Grant(GameKind::kSelfPlay, 20)}};
    ASSERT_TRUE(Run(run, control));
    const auto games = Games();
    ASSERT_EQ(games.size(), 20u);
    if (reference.empty()) reference = games;
    for (const auto& [id, game] : games) EXPECT_EQ(Actions(game), Actions(reference.at(id)));
  }
}

TEST_F(WorkerTest, ADrainedGameGoesOnFromItsCommittedMoves) {
  ScriptedControl first;
  first.steps = {{SelfPlay(), Grant(GameKind::kSelfPlay, 200)}};
  first.drain_at_bytes = 20'000;  // some 200 of about 1,400 moves
  first.journal = path_;
  first.drain_phase = 1;
  search_.visits = 200;
  search_.tree_reuse = false;  // a game that goes on elsewhere begins with an empty tree
  ASSERT_TRUE(Run({}, first));
  ASSERT_TRUE(first.drained_);
  const bool answered = std::any_of(first.sent.begin(), first.sent.end(), [](const auto& message) {
    return std::holds_alternative<DrainedMessage>(message);
  });
  EXPECT_TRUE(answered);

  GameLog log([](StitchedGame&&) {});
  JournalReader reader(path_, identity_);
  ASSERT_TRUE(reader.ReadNew([&](JournalRecord&& record) { log.Add(std::move(record)); }));
  ASSERT_LT(log.counts().finished, 200);
  ScriptedControl second;
  GrantMessage rest{.phase = 2};
  bool any_prefix = false;
  for (std::uint32_t i = 0; i < 200; ++i) {
    const GameId id = GameId::Make(GameKind::kSelfPlay, 0, i);
    if (log.IsFinished(id)) continue;
    GrantedGame game{.id = id.packed};
    for (const Action action : log.CommittedActions(id)) {
      game.prefix.push_back(static_cast<std::uint16_t>(action));
    }
    any_prefix |= !game.prefix.empty();
    rest.games.push_back(game);
  }
  EXPECT_TRUE(any_prefix);
  second.steps = {{SelfPlay(2), rest}};
  ASSERT_TRUE(Run({}, second));
  const auto games = Games();
  EXPECT_EQ(games.size(), 200u);

  std::filesystem::remove(path_);
  ScriptedControl whole;
  whole.steps = {{SelfPlay(), Grant(GameKind::kSelfPlay, 200)}};
  ASSERT_TRUE(Run({}, whole));
  for (const auto& [id, game] : Games()) {
    EXPECT_EQ(Actions(game), Actions(games.at(id))) << id.packed;
  }
}

TEST_F(WorkerTest, FastPliesAreNoPolicySamplesAndAreMarked) {
  search_.visits = 40;
  search_.full_fraction = 0.25f;
  search_.fast_visits = 6;
  search_.tree_reuse = search_.solver = false;
  ScriptedControl control;
  control.steps = {{SelfPlay(), Grant(GameKind::kSelfPlay, 200)}};
  ASSERT_TRUE(Run({}, control));
  int full = 0;
  int fast = 0;
  for (const auto& [id, game] : Games()) {
    for (const MoveRecord& move : game.moves) {
      if (move.visits == 0) continue;  // the only legal move
      const bool is_fast = (move.flags & kMoveFast) != 0;
      EXPECT_EQ(move.visits, is_fast ? 6u : 40u);
      EXPECT_EQ(move.policy.empty(), is_fast);
      (is_fast ? fast : full) += 1;
    }
  }
  EXPECT_NEAR(full / static_cast<double>(full + fast), 0.25, 0.05);
}

TEST_F(WorkerTest, PolicyOpeningsAreDrawnAndTeachNothing) {
  search_.policy_opening_plies = 2.0f;
  ScriptedControl control;
  control.steps = {{SelfPlay(), Grant(GameKind::kSelfPlay, 200)}};
  ASSERT_TRUE(Run({}, control));
  double plies = 0;
  for (const auto& [id, game] : Games()) {
    for (const MoveRecord& move : game.moves) {
      if ((move.flags & kMoveRandomOpening) == 0) continue;
      EXPECT_TRUE(move.policy.empty());
      EXPECT_EQ(move.visits, 0u);
      ++plies;
    }
  }
  // The mean of an exponential of mean 2, rounded down: 1 / (e^(1/2) - 1).
  EXPECT_NEAR(plies / 200, 1.54, 0.3);
}

TEST_F(WorkerTest, AProvenGameEndsAtOnceUnlessItIsAnAudit) {
  search_.visits = 200;
  search_.adjudicate_proven = true;
  search_.resign.play_on = 0.25f;
  ScriptedControl control;
  control.steps = {{SelfPlay(), Grant(GameKind::kSelfPlay, 100)}};
  ASSERT_TRUE(Run({}, control));
  int adjudicated = 0;
  for (const auto& [id, game] : Games()) {
    if (game.reason != EndReason::kProven) continue;
    ++adjudicated;
    for (const MoveRecord& move : game.moves) {
      const bool last = &move == &game.moves.back();
      EXPECT_EQ((move.flags & kMoveProven) != 0, last);
    }
    const int side = game.moves.back().ply % 2 == 0 ? 1 : -1;
    EXPECT_EQ(static_cast<int>(*game.outcome) * side,
              static_cast<int>(game.moves.back().root_value));
  }
  EXPECT_NEAR(adjudicated, 75, 15);
  EXPECT_EQ(LastStats(control).proven_errors, 0u);
}

TEST_F(WorkerTest, HopelessGamesAreResignedOrAudited) {
  search_.visits = 60;
  search_.resign.play_on = 0.5f;
  search_.resign.streak = 1;
  PhaseMessage phase = SelfPlay();
  phase.resign_threshold = 0.05;
  for (const bool may_resign : {false, true}) {
    std::filesystem::remove(path_);
    phase.may_resign = may_resign;
    ScriptedControl control;
    control.steps = {{phase, Grant(GameKind::kSelfPlay, 100)}};
    ASSERT_TRUE(Run({}, control));
    std::uint64_t resigned = 0;
    std::uint64_t noted = 0;
    std::uint64_t wrong = 0;
    for (const auto& [id, game] : Games()) {
      for (const MoveRecord& move : game.moves) {
        if ((move.flags & kMoveResignable) == 0) continue;
        ++noted;
        EXPECT_LE(move.root_value, -0.05f);
        const int lost = move.ply % 2 == 0 ? -1 : 1;
        if (game.reason == EndReason::kResigned) {
          EXPECT_EQ(&move, &game.moves.back());
          EXPECT_EQ(static_cast<int>(*game.outcome), lost);
          ++resigned;
        } else {
          wrong += static_cast<int>(*game.outcome) != lost ? 1 : 0;
        }
      }
    }
    EXPECT_GT(noted, 50u);
    EXPECT_EQ(resigned > 0, may_resign);
    const WorkerStatsMessage stats = LastStats(control);
    EXPECT_EQ(stats.resign_audited, noted - resigned);
    EXPECT_EQ(stats.resign_errors, wrong);
    EXPECT_GT(wrong, 0u) << "at such a threshold";
  }
}

TEST_F(WorkerTest, AnAnswerThatIsNotFiniteEndsItsGameAlone) {
  ScriptedControl control;
  control.steps = {{SelfPlay(), Grant(GameKind::kSelfPlay, 50)}};
  const Result<void> run = Run({.not_finite_forwards = 5}, control);  // each in one of its rows
  ASSERT_TRUE(run) << run.error().message;
  const auto games = Games();
  EXPECT_EQ(games.size(), 50u);
  const auto failed = std::count_if(games.begin(), games.end(), [](const auto& entry) {
    return entry.second.reason == EndReason::kFailed;
  });
  EXPECT_EQ(failed, 5);
  EXPECT_EQ(LastStats(control).bad_rows, 5u);
  EXPECT_EQ(LastStats(control).failed_games, 5u);
}

TEST_F(WorkerTest, GumbelGamesArePlayedFromTheRootRule) {
  search_.root = RootRule::kGumbel;
  search_.visits = 8;
  ScriptedControl control;
  control.steps = {{SelfPlay(), Grant(GameKind::kSelfPlay, 30)}};
  ASSERT_TRUE(Run({}, control));
  std::set<std::vector<int>> distinct;
  for (const auto& [id, game] : Games()) distinct.insert(Actions(game));
  EXPECT_GT(distinct.size(), 20u) << "the draws of the moves considered vary the games";
}

TEST_F(WorkerTest, GamesWhosePositionsFellTheServerAreGivenUpAndTheOthersGoOn) {
  ScriptedControl control;
  control.steps = {{SelfPlay(), Grant(GameKind::kSelfPlay, 50)}};
  // The same block three times: the server takes it for poisoned.
  const Result<void> run = Run({.blocks = 1, .rows = 4, .failing_forwards = 3}, control);
  ASSERT_TRUE(run) << run.error().message;
  const auto games = Games();
  EXPECT_EQ(games.size(), 50u);
  const auto given_up = std::count_if(games.begin(), games.end(), [](const auto& entry) {
    return entry.second.reason == EndReason::kFailed;
  });
  EXPECT_EQ(given_up, 4);
}

TEST_F(WorkerTest, MatchesSwapColoursKeepToOpeningsAndUseNoNoise) {
  PhaseMessage phase{.phase = 1, .kind = GameKind::kGate, .iteration = 0};
  phase.players = {{.type = PlayerType::kNet, .model = 1, .visits = 8},
                   {.type = PlayerType::kNet, .model = 0, .visits = 8}};
  GrantMessage grant = Grant(GameKind::kGate, 18);
  for (std::size_t i = 0; i < grant.games.size(); ++i) {
    grant.games[i].opening = {static_cast<std::uint16_t>(i / 2)};
  }
  ScriptedControl control;
  control.steps = {{phase, grant}};
  ASSERT_TRUE(Run({}, control));
  const auto games = Games();
  ASSERT_EQ(games.size(), 18u);
  for (const auto& [id, game] : games) {
    EXPECT_EQ(Index(game.moves[0].action), static_cast<int>(id.index() / 2));
    EXPECT_EQ(game.moves[0].flags, kMoveRandomOpening);
    for (const MoveRecord& move : game.moves) {
      EXPECT_TRUE(move.policy.empty());
      if (move.visits == 0) continue;
      // Player 0 (model slot 1, version 6) has the first player's moves in even games.
      const bool first_player = move.ply % 2 == 0;
      const bool player_0 = first_player == (id.index() % 2 == 0);
      EXPECT_EQ(move.weights_version, player_0 ? 6u : 5u);
    }
  }
}

TEST_F(WorkerTest, RandomAndRolloutPlayersNeedNoServer) {
  PhaseMessage phase{.phase = 1, .kind = GameKind::kFinal, .iteration = 0};
  phase.players = {{.type = PlayerType::kPureMcts, .visits = 50}, {.type = PlayerType::kRandom}};
  ScriptedControl control;
  control.steps = {{phase, Grant(GameKind::kFinal, 40)}};
  ASSERT_TRUE(Run({}, control));
  int wins = 0;
  for (const auto& [id, game] : Games()) {
    const Player mcts = id.index() % 2 == 0 ? Player::kFirst : Player::kSecond;
    wins += ValueFor(*game.outcome, mcts) > 0 ? 1 : 0;
  }
  EXPECT_GE(wins, 30);
  EXPECT_EQ(forwards_, 0);
}

TEST_F(WorkerTest, RefusesAnIllegalPrefixAndAnIllegalOpening) {
  for (const bool in_prefix : {true, false}) {
    std::filesystem::remove(path_);
    GrantMessage grant = Grant(GameKind::kSelfPlay, 1);
    (in_prefix ? grant.games[0].prefix : grant.games[0].opening) = {4, 0, 0};
    ScriptedControl control;
    control.steps = {{SelfPlay(), grant}};
    const Result<void> run = Run({}, control);
    ASSERT_FALSE(run);
    EXPECT_EQ(run.error().code, in_prefix ? Errc::kCorrupt : Errc::kInvalid);
    EXPECT_NE(run.error().message.find("ply 2"), std::string::npos) << run.error().message;
  }
}

TEST_F(WorkerTest, RefusesAPhaseWithTheWrongPlayers) {
  PhaseMessage phase = SelfPlay();
  phase.players.push_back({});
  ScriptedControl control;
  control.steps = {{phase}};
  const Result<void> run = Run({}, control);
  ASSERT_FALSE(run);
  EXPECT_EQ(run.error().code, Errc::kInvalid);
}

}  // namespace
}  // namespace az
