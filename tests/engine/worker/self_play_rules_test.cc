// How self-play searches its plies and ends its games (engine/worker/game_slot.h).

#include "engine/worker/game_slot.h"
#include "tests/engine/worker/worker_fixture.h"

namespace az {
namespace {

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

// All in one phase, as games begun in advance and those that go on late are.
TEST_F(WorkerTest, AGamesVisitsAreThoseOfItsIteration) {
  search_.visits = 40;
  search_.full_fraction = 0.5f;
  search_.tree_reuse = search_.solver = false;
  visits_ = VisitsSchedule{.first = 12, .full = 40, .full_from = 4};
  const std::map<std::uint32_t, std::uint32_t> full = {{0, 12}, {2, 26}, {4, 40}, {9, 40}};
  const std::map<std::uint32_t, std::uint32_t> fast = {{0, 2}, {2, 4}, {4, 6}, {9, 6}};
  GrantMessage grant{.phase = 1};
  for (const auto& [iteration, visits] : full) {
    for (std::uint32_t index = 0; index < 10; ++index) {
      grant.games.push_back({.id = GameId::Make(GameKind::kSelfPlay, iteration, index).packed});
    }
  }
  ScriptedControl control;
  control.steps = {{SelfPlay(), grant}};
  ASSERT_TRUE(Run({}, control));
  const auto games = Games();
  ASSERT_EQ(games.size(), 40u);
  std::map<std::uint32_t, int> searched;
  for (const auto& [id, game] : games) {
    for (const MoveRecord& move : game.moves) {
      if (move.visits == 0) continue;  // the only legal move
      const bool is_fast = (move.flags & kMoveFast) != 0;
      EXPECT_EQ(move.visits, (is_fast ? fast : full).at(id.iteration())) << id.packed;
      ++searched[id.iteration()];
    }
  }
  for (const auto& [iteration, visits] : full) EXPECT_GT(searched[iteration], 30) << iteration;
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
  EXPECT_NEAR(plies / 200, 2.0, 0.4);
}

// From nothing but the rules: each first move as often as any other, and only first plies are
// random.
TEST_F(WorkerTest, RandomOpeningsAreEvenAndTeachNothing) {
  search_.random_opening_plies = 1.0f;
  ScriptedControl control;
  control.steps = {{SelfPlay(), Grant(GameKind::kSelfPlay, 600)}};
  ASSERT_TRUE(Run({}, control));
  double plies = 0;
  std::map<Action, int> first;
  for (const auto& [id, game] : Games()) {
    bool is_opening = true;
    for (const MoveRecord& move : game.moves) {
      is_opening = is_opening && (move.flags & kMoveRandomOpening) != 0;
      EXPECT_EQ((move.flags & kMoveRandomOpening) != 0, is_opening);
      if (!is_opening) continue;
      EXPECT_TRUE(move.policy.empty());
      EXPECT_EQ(move.visits, 0u);
      if (move.ply == 0) ++first[move.action];
      ++plies;
    }
  }
  EXPECT_NEAR(plies / 600, 1.0, 0.2);
  ASSERT_EQ(first.size(), 9u);  // half of the games, a ninth of them each: 33
  for (const auto& [action, games] : first) EXPECT_NEAR(games, 33, 20) << Index(action);
}

// Two runs that differ in explore_plies alone part at a ply that only one of them draws by visits.
TEST_F(WorkerTest, AGumbelRootExploresInTheFirstPliesOnly) {
  search_.root = RootRule::kGumbel;
  const auto play = [&](int explore_plies) {
    std::filesystem::remove(path_);
    search_.gumbel.explore_plies = explore_plies;
    ScriptedControl control;
    control.steps = {{SelfPlay(), Grant(GameKind::kSelfPlay, 60)}};
    EXPECT_TRUE(Run({}, control));
    return Games();
  };
  const auto latest_parting = [](const auto& a, const auto& b) {
    std::size_t latest = 0;  // 1 + ply
    for (const auto& [id, game] : a) {
      const auto& other = b.at(id).moves;
      for (std::size_t ply = 0; ply < std::min(game.moves.size(), other.size()); ++ply) {
        if (game.moves[ply].action == other[ply].action) continue;
        latest = std::max(latest, ply + 1);
        break;
      }
    }
    return latest;
  };
  const auto never = play(0);
  const auto two = play(2);
  ASSERT_EQ(never.size(), 60u);
  EXPECT_EQ(latest_parting(never, two), 2u);
  EXPECT_GT(latest_parting(two, play(100)), 2u);
}

TEST_F(WorkerTest, PositionsWithManyMovesAreNotCached) {
  const auto rows = [&](int most_legal, Bytes cache) {
    std::filesystem::remove(path_);
    search_.cache_max_legal = most_legal;
    ScriptedControl control;
    control.steps = {{SelfPlay(), Grant(GameKind::kSelfPlay, 60)}};
    EXPECT_TRUE(Run({.cache = cache}, control));
    return LastStats(control).rows;
  };
  const auto none = rows(9, Bytes(0));
  const auto forced = rows(1, KiB(64));  // only positions with one empty cell are cached
  EXPECT_LT(forced, none);
  EXPECT_GT(forced, none * 49 / 50);
  const auto some = rows(5, KiB(64));
  EXPECT_LT(some, forced);
  EXPECT_LT(rows(9, KiB(64)), some);
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

// Whether a game of WorkerTest is never resigned, as its worker draws it.
bool PlaysOn(GameId id) {
  Rng course = RngOfCourse(3, id);
  return course.Uniform() < 0.5;
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
    std::uint64_t audited = 0;
    std::uint64_t wrong = 0;
    for (const auto& [id, game] : Games()) {
      const bool is_audit = !may_resign || PlaysOn(game.id);
      for (const MoveRecord& move : game.moves) {
        if ((move.flags & kMoveResignable) == 0) continue;
        ++noted;
        EXPECT_LE(move.root_value, -0.05f);
        const int lost = move.ply % 2 == 0 ? -1 : 1;
        if (game.reason == EndReason::kResigned) {
          EXPECT_EQ(&move, &game.moves.back());
          EXPECT_EQ(static_cast<int>(*game.outcome), lost);
          ++resigned;
        } else if (is_audit) {
          ++audited;
          wrong += static_cast<int>(*game.outcome) != lost ? 1 : 0;
        }
      }
    }
    EXPECT_GT(noted, 50u);
    EXPECT_EQ(resigned > 0, may_resign);
    const WorkerStatsMessage stats = LastStats(control);
    EXPECT_EQ(stats.resign_audited, audited);
    EXPECT_GT(audited, 10u);
    EXPECT_EQ(stats.resign_errors, wrong);
    EXPECT_GT(wrong, 0u) << "at such a threshold";
  }
}

// Leaving them out would judge the threshold by long games alone.
TEST_F(WorkerTest, GamesThatEndByAProofAreAuditedToo) {
  search_.visits = 60;
  search_.adjudicate_proven = true;
  search_.resign.streak = 1;
  PhaseMessage phase = SelfPlay();
  phase.resign_threshold = 0.05;
  ScriptedControl control;
  control.steps = {{phase, Grant(GameKind::kSelfPlay, 100)}};
  ASSERT_TRUE(Run({}, control));
  std::uint64_t noted = 0;
  std::uint64_t proven = 0;
  for (const auto& [id, game] : Games()) {
    const bool is_noted = std::ranges::any_of(
        game.moves, [](const MoveRecord& move) { return (move.flags & kMoveResignable) != 0; });
    noted += is_noted ? 1 : 0;
    proven += is_noted && game.reason == EndReason::kProven ? 1 : 0;
  }
  EXPECT_GT(proven, 10u);
  EXPECT_EQ(LastStats(control).resign_audited, noted);
}

// One game of which some moves are committed, and no game plays on. Threshold 0.9, in one search.
class ResignedGame : public WorkerTest {
 protected:
  WorkerStatsMessage StatsOf(GrantedGame game, bool may_resign) {
    std::filesystem::remove(path_);
    search_.resign.streak = 1;
    search_.resign.play_on = 0.0f;
    PhaseMessage phase = SelfPlay();
    phase.players[0].visits = search_.visits;
    phase.resign_threshold = 0.9;
    phase.may_resign = may_resign;
    game.id = GameId::Make(GameKind::kSelfPlay, 0, 0).packed;
    ScriptedControl control;
    control.steps = {{phase, GrantMessage{.phase = phase.phase, .games = {std::move(game)}}}};
    const Result<void> run = Run({}, control);
    EXPECT_TRUE(run) << run.error().message;
    return LastStats(control);
  }
};

// First to move wins at once. It was noted as lost before its game was let go, which is an error.
TEST_F(ResignedGame, KeepsItsNoteWhenItIsGrantedAgain) {
  search_.visits = 200;
  for (const bool may_resign : {false, true}) {
    const WorkerStatsMessage stats = StatsOf({.prefix = {1, 0, 4, 2}, .noted_ply = 2}, may_resign);
    EXPECT_EQ(stats.games_finished, 1u);
    EXPECT_EQ(stats.resign_audited, may_resign ? 0u : 1u) << "it does not play on";
    EXPECT_EQ(stats.resign_errors, may_resign ? 0u : 1u);
  }
}

// The second player is lost. Proven by the very move that would have resigned it, such a game tells
// nothing of the threshold.
TEST_F(ResignedGame, IsAnAuditOnlyWhileNobodyMayResign) {
  search_.visits = 2000;
  search_.adjudicate_proven = true;
  for (const bool may_resign : {false, true}) {
    const WorkerStatsMessage stats = StatsOf({.prefix = {0, 1, 4}}, may_resign);
    EXPECT_EQ(stats.games_finished, 1u);
    EXPECT_EQ(stats.resign_audited, may_resign ? 0u : 1u);
    EXPECT_EQ(stats.resign_errors, 0u);
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

}  // namespace
}  // namespace az
