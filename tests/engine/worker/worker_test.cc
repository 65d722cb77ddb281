// The worker's loop against a real segment and server.

#include "engine/worker/worker.h"

#include "tests/engine/worker/worker_fixture.h"

namespace az {
namespace {

TEST_F(WorkerTest, PlaysExactlyTheGrantedGamesByTheRules) {
  ScriptedControl control;
  control.steps = {{SelfPlay(), Grant(GameKind::kSelfPlay, 50)}};
  const Result<void> run = Run({}, control);
  ASSERT_TRUE(run) << run.error().message;
  const auto games = Games();
  ASSERT_EQ(games.size(), 50u);
  std::set<std::vector<int>> distinct;
  int searched_more = 0;  // than the network's policy said
  for (const auto& [id, game] : games) {
    distinct.insert(Actions(game));
    for (const MoveRecord& move : game.moves) {
      const bool only_move = move.ply == Game::kMaxPlies - 1;
      EXPECT_EQ(move.policy.empty(), only_move);
      searched_more += move.policy_kl_nats > 0.0f ? 1 : 0;
      EXPECT_TRUE(!only_move || move.policy_kl_nats == 0.0f);
      int sum = 0;
      for (const PolicyEntry& entry : move.policy) sum += entry.weight;
      if (!only_move) {
        EXPECT_NEAR(sum, 65535, 9);
        EXPECT_EQ(move.weights_version, 5u);
        EXPECT_LE(std::abs(move.root_value), 1.0f);
      }
    }
  }
  EXPECT_GT(searched_more, 50);
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
  search_.tree_reuse = search_.solver = false;  // a game that goes on elsewhere has no tree yet
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

// A yardstick's games are positions: one move of the one player, and no result. A worker that gets
// one again with its move made ends it.
TEST_F(WorkerTest, AYardstickIsCutAfterItsMove) {
  const PhaseMessage phase{.phase = 1,
                           .kind = GameKind::kYardstick,
                           .iteration = 0,
                           .players = {{.visits = 30}},
                           .moves = 1};
  GrantMessage grant = Grant(GameKind::kYardstick, 3);
  grant.games[1].opening = {4};
  grant.games[2].opening = {4, 1};
  grant.games[2].prefix = {4, 1, 0};
  ScriptedControl control;
  control.steps = {{phase, grant}};
  const Result<void> run = Run({}, control);
  ASSERT_TRUE(run) << run.error().message;
  const auto games = Games();
  ASSERT_EQ(games.size(), 2u) << "the third has its first moves in another journal";
  for (const auto& [id, game] : games) {
    EXPECT_EQ(game.reason, EndReason::kCut);
    EXPECT_FALSE(game.outcome.has_value());
    ASSERT_EQ(game.moves.size(), id.index() + 1);
    EXPECT_GT(game.moves.back().visits, 1u);
    EXPECT_EQ(game.moves.back().weights_version, 5u);
    EXPECT_NE(game.moves.back().network_value, 0.0f);
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
