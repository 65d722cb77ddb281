// Matches of players that have no network, or settings of their own.

#include "base/clock.h"
#include "tests/engine/worker/worker_fixture.h"

namespace az {
namespace {

PlayerMessage Program(std::string_view fault) {
  return {.type = PlayerType::kGtp,
          .settings = "timeout=10",
          .command = StrCat("python3 ", AZ_FAKE_GTP, " ", fault)};
}

class MatchPlayersTest : public WorkerTest {
 protected:
  std::map<GameId, GameRecord> Play(std::vector<PlayerMessage> players, std::uint32_t games,
                                    const WorkerRun& run = {}) {
    std::filesystem::remove(path_);
    const PhaseMessage phase{
        .phase = 1, .kind = GameKind::kMatch, .iteration = 0, .players = std::move(players)};
    ScriptedControl control;
    control.steps = {{phase, Grant(GameKind::kMatch, games)}};
    const Result<void> end = Run(run, control);
    EXPECT_TRUE(end) << end.error().message;
    return Games();
  }
  Error Refusal(std::vector<PlayerMessage> players) {
    const PhaseMessage phase{
        .phase = 1, .kind = GameKind::kMatch, .iteration = 0, .players = std::move(players)};
    ScriptedControl control;
    control.steps = {{phase}};
    const Result<void> end = Run({}, control);
    EXPECT_FALSE(end);
    return end ? Error{} : end.error();
  }
  // Of the game's outcome, for player 0.
  static int Value(const GameRecord& game) {
    return ValueFor(*game.outcome, game.id.index() % 2 == 0 ? Player::kFirst : Player::kSecond);
  }
};

TEST_F(MatchPlayersTest, SettingsAreOfOnePlayerOnly) {
  const auto games = Play({{.model = 1, .visits = 8, .settings = "sims=20"},
                           {.model = 0, .visits = 8, .settings = "tree_reuse=false"}},
                          6);
  ASSERT_EQ(games.size(), 6u);
  for (const auto& [id, game] : games) {
    for (const MoveRecord& move : game.moves) {
      if (move.visits == 0 || (move.flags & kMoveProven) != 0) continue;
      const bool player_0 = (move.ply % 2 == 0) == (id.index() % 2 == 0);
      EXPECT_GE(move.visits, player_0 ? 20u : 8u);
      EXPECT_LE(move.visits, player_0 ? 40u : 8u);  // player 1 keeps none
    }
  }
}

TEST_F(MatchPlayersTest, TheVisitsOfSelfPlayChangeNothing) {
  const auto plain = Play({{.model = 1, .visits = 8}, {.model = 0}}, 6);
  visits_ = VisitsSchedule{.first = 2, .full = search_.visits, .full_from = 5};
  const auto same = Play({{.model = 1, .visits = 8}, {.model = 0}}, 6);
  ASSERT_EQ(plain.size(), 6u);
  ASSERT_EQ(same.size(), 6u);
  for (const auto& [id, game] : same) {
    const GameRecord& other = plain.at(id);
    ASSERT_EQ(Actions(game), Actions(other));
    for (std::size_t ply = 0; ply < game.moves.size(); ++ply) {
      EXPECT_EQ(game.moves[ply].visits, other.moves[ply].visits);
    }
  }
}

TEST_F(MatchPlayersTest, NoSettingsChangeNothing) {
  const auto plain = Play({{.model = 1, .visits = 8}, {.model = 0, .visits = 8}}, 6);
  const auto same =
      Play({{.model = 1, .settings = "sims=8"}, {.model = 0, .settings = "sims=8"}}, 6);
  ASSERT_EQ(plain.size(), 6u);
  for (const auto& [id, game] : same) EXPECT_EQ(Actions(game), Actions(plain.at(id)));
}

TEST_F(MatchPlayersTest, TemperatureSpreadsTheGames) {
  const auto distinct = [&](std::string settings) {
    std::set<std::vector<int>> games;
    for (const auto& [id, game] :
         Play({{.model = 1, .settings = settings}, {.model = 0, .settings = settings}}, 16)) {
      if (id.index() % 2 == 0) games.insert(Actions(game));
    }
    return games.size();
  };
  EXPECT_EQ(distinct("sims=8"), 1u);
  EXPECT_GT(distinct("sims=8&temperature=1"), 4u);
}

TEST_F(MatchPlayersTest, TheSolverNeverLosesAWonGame) {
  for (const auto& [id, game] :
       Play({{.type = PlayerType::kSolver}, {.type = PlayerType::kRandom}}, 20)) {
    EXPECT_EQ(game.reason, EndReason::kRules);
    // Hex is won by who moves first.
    EXPECT_TRUE(id.index() % 2 != 0 || Value(game) == 1) << id.index();
  }
  EXPECT_EQ(forwards_, 0);
}

TEST_F(MatchPlayersTest, TimedPlayersStopAtTheirTime) {
  const SteadyClock clock;
  const TimePoint began = clock.Now();
  const auto games = Play({{.model = 0, .settings = "seconds=0.02&solver=false"},
                           {.model = 1, .settings = "clock=1&solver=false"}},
                          2);
  ASSERT_EQ(games.size(), 2u);
  for (const auto& [id, game] : games) {
    EXPECT_EQ(game.reason, EndReason::kRules);
    EXPECT_GT(game.moves[0].visits, 2u);
  }
  EXPECT_LT(clock.Now() - began, std::chrono::seconds(10));
}

// How strong ten milliseconds are depends on the machine; that they are spent does not.
TEST_F(MatchPlayersTest, RolloutsByTimeThinkForTheirTime) {
  constexpr int kGames = 20;
  const TimePoint start = SteadyClock().Now();
  const auto games = Play(
      {{.type = PlayerType::kPureMcts, .settings = "seconds=0.01"}, {.type = PlayerType::kRandom}},
      kGames);
  EXPECT_GE(Seconds(SteadyClock().Now() - start), 0.01 * kGames);  // a think a game, at least
  EXPECT_EQ(games.size(), kGames);
  for (const auto& [id, game] : games) EXPECT_EQ(game.reason, EndReason::kRules) << id.index();
}

// A think that takes longer than the clock: the network's answers alone use it up.
TEST_F(MatchPlayersTest, WhoseFlagFallsForfeits) {
  const auto games =
      Play({{.model = 0, .settings = "clock=0.000001"}, {.type = PlayerType::kRandom}}, 4);
  ASSERT_EQ(games.size(), 4u);
  for (const auto& [id, game] : games) {
    EXPECT_EQ(game.reason, EndReason::kTimeout);
    EXPECT_EQ(Value(game), -1);
  }
}

TEST_F(MatchPlayersTest, AProgramPlaysWholeGamesWithOpenings) {
  PhaseMessage phase{.phase = 1, .kind = GameKind::kMatch, .iteration = 0};
  phase.players = {Program("none"), {.type = PlayerType::kNet, .model = 1, .visits = 8}};
  GrantMessage grant = Grant(GameKind::kMatch, 6);
  for (std::size_t i = 0; i < grant.games.size(); ++i) {
    grant.games[i].opening = {static_cast<std::uint16_t>(i / 2), 8};
  }
  grant.games[5].prefix = {2, 8, 1};  // was under way when its worker died
  ScriptedControl control;
  control.steps = {{phase, grant}};
  const Result<void> end = Run({}, control);
  ASSERT_TRUE(end) << end.error().message;
  const auto games = Games();
  ASSERT_EQ(games.size(), 5u);  // the last one's first moves are in a journal of another lane
  EXPECT_EQ(LastStats(control).games_finished, 6u);
  for (const auto& [id, game] : games) EXPECT_EQ(game.reason, EndReason::kRules) << id.index();
}

TEST_F(MatchPlayersTest, AFaultyProgramForfeitsEachOfItsGamesAndTheMatchGoesOn) {
  const std::pair<std::string_view, EndReason> cases[] = {
      {"die_at_genmove", EndReason::kGone}, {"die_at_start", EndReason::kGone},
      {"illegal", EndReason::kIllegal},     {"refuse_genmove", EndReason::kRefused},
      {"resign", EndReason::kResigned},     {"junk", EndReason::kRefused},
  };
  for (const auto& [fault, reason] : cases) {
    const auto games = Play({Program(fault), {.type = PlayerType::kRandom}}, 4);
    ASSERT_EQ(games.size(), 4u) << fault;
    for (const auto& [id, game] : games) {
      EXPECT_EQ(game.reason, reason) << fault;
      EXPECT_EQ(Value(game), -1) << fault;
      EXPECT_EQ(game.moves.size(), id.index() % 2) << fault;
    }
  }
}

// With a clock too: it is not its flag that the game tells of.
TEST_F(MatchPlayersTest, AProgramThatHangsForfeitsAndHoldsUpNobody) {
  for (const char* settings : {"timeout=1", "timeout=0.7&clock=0.3"}) {
    PlayerMessage hanging = Program("hang");
    hanging.settings = settings;
    const auto games = Play({hanging, {.type = PlayerType::kRandom}}, 2);
    ASSERT_EQ(games.size(), 2u);
    for (const auto& [id, game] : games) {
      EXPECT_EQ(game.reason, EndReason::kNoAnswer) << settings;
      EXPECT_EQ(Value(game), -1);
    }
  }
}

// Late by more than any grace of the clock's, but it lives.
TEST_F(MatchPlayersTest, AProgramThatAnswersTooLateHasLostByItsFlag) {
  PlayerMessage late = Program("late");
  late.settings = "timeout=30&clock=0.2";
  const auto games = Play({late, {.type = PlayerType::kRandom}}, 2);
  ASSERT_EQ(games.size(), 2u);
  for (const auto& [id, game] : games) {
    EXPECT_EQ(game.reason, EndReason::kTimeout);
    EXPECT_EQ(Value(game), -1);
  }
}

TEST_F(MatchPlayersTest, AProgramsStartIsNotOnItsClock) {
  PlayerMessage slow = Program("none");
  slow.command = StrCat("sleep 3; exec ", slow.command);
  slow.settings = "timeout=30&clock=2";
  const auto games = Play({slow, {.type = PlayerType::kRandom}}, 2);
  ASSERT_EQ(games.size(), 2u);
  for (const auto& [id, game] : games) EXPECT_EQ(game.reason, EndReason::kRules);
}

TEST_F(MatchPlayersTest, RefusesPlayersThatCannotPlay) {
  EXPECT_EQ(Refusal({{.settings = "cpuct=1"}, {}}).code, Errc::kInvalid);
  EXPECT_EQ(Refusal({{.model = 99}, {}}).code, Errc::kInvalid);
  EXPECT_EQ(Refusal({{.type = PlayerType::kGtp}, {}}).code, Errc::kInvalid);
  EXPECT_NE(Refusal({{}, {.settings = "gumbel=7"}}).message.find("player 1"), std::string::npos);
}

}  // namespace
}  // namespace az
