// Players that need no network and take long: the worker shows life and obeys in the meantime. Time
// is counted in work here, so that nothing depends on the machine.

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "base/strings.h"
#include "engine/data/game_log.h"
#include "engine/worker/worker.h"
#include "engine/worker/worker_inl.h"
#include "games/registry.h"
#include "mcts/rollout_player.h"
#include "mcts/search_inl.h"
#include "tests/support/uniform_evaluator.h"

namespace az {
namespace {

using std::chrono::microseconds;
using std::chrono::milliseconds;

constexpr std::uint64_t kSeed = 3;

// Plies that any CountedHex has applied: in games, searches and random games alike.
std::int64_t plies_applied = 0;

class CountedHex : public Hex<3> {
 public:
  void Apply(Action a) {
    ++plies_applied;
    Hex<3>::Apply(a);
  }
  friend bool operator==(const CountedHex&, const CountedHex&) = default;
};
static_assert(GameState<CountedHex>);

// A ply takes its time, nothing else does.
class PlyClock final : public Clock {
 public:
  explicit PlyClock(Duration per_ply) : per_ply_(per_ply), began_(plies_applied) {}
  TimePoint Now() const override { return kStart + per_ply_ * (plies_applied - began_); }

 private:
  // Far from 0, which stands for "never".
  static constexpr TimePoint kStart{std::chrono::hours(1)};
  Duration per_ply_;
  std::int64_t began_;
};

// A look at it takes a millisecond.
class LookClock final : public Clock {
 public:
  TimePoint Now() const override {
    ++looks;
    return TimePoint(std::chrono::hours(1)) + milliseconds(looks);
  }
  mutable std::int64_t looks = 0;
};

// Says what `on_poll` has to say at each poll; stops a worker that has nothing to do.
class WatchedControl final : public WorkerControl {
 public:
  using Messages = std::vector<ControlMessage>;

  std::function<Messages(int poll)> on_poll;
  bool stop = false;  // as by a signal
  int polls = 0;
  std::int64_t longest_gap = 0;  // between two polls, in plies
  std::vector<ControlMessage> sent;

  Result<Messages> Poll() override {
    if (polls > 0) longest_gap = std::max(longest_gap, plies_applied - last_);
    last_ = plies_applied;
    Messages messages = on_poll(polls++);
    if (messages.empty() && idle_) stop = true;
    idle_ = false;
    return messages;
  }
  bool StopAsked() override { return stop; }
  Result<void> Send(const ControlMessage& message) override {
    sent.push_back(message);
    return {};
  }
  WeightsVersion Published(ModelId) override { return 1; }
  void Idle(Duration) override { idle_ = true; }

 private:
  bool idle_ = false;
  std::int64_t last_ = 0;
};

class LongMoves : public testing::Test {
 protected:
  void SetUp() override {
    path_ = testing::TempDir() + StrCat("long_moves_", ::getpid(), ".journal");
    std::filesystem::remove(path_);
  }
  void TearDown() override { std::filesystem::remove(path_); }

  static PhaseMessage Match(PlayerMessage a, PlayerMessage b, std::uint64_t phase = 1) {
    return {.phase = phase, .kind = GameKind::kMatch, .iteration = 0, .players = {a, b}};
  }
  static GrantMessage Games(std::uint32_t games, std::uint64_t phase = 1, std::uint32_t from = 0) {
    GrantMessage grant{.phase = phase};
    for (std::uint32_t i = from; i < from + games; ++i) {
      grant.games.push_back({.id = GameId::Make(GameKind::kMatch, 0, i).packed});
    }
    return grant;
  }

  template <GameState S>
  Result<void> Run(WatchedControl& control, const Clock& clock) {
    identity_ = {.game_hash = 1, .entry = std::string(S::kName)};
    UniformEvaluator evaluator(
        {.blocks = 4, .rows = 8, .words = S::kShape.words(), .actions = S::kNumActions});
    const Log log(-1, "test");
    AZ_ASSIGN_OR_RETURN(JournalWriter journal, JournalWriter::Open(path_, identity_));
    Worker<S> worker({.search = search_,
                      .run_seed = kSeed,
                      .slots = 64,
                      .evaluator = evaluator,
                      .control = control,
                      .journal = journal,
                      .clock = clock,
                      .log = log});
    return worker.Run();
  }

  // By game: the moves that are committed, of games that ended as well.
  std::map<std::uint64_t, std::vector<Action>> Committed() const {
    std::map<std::uint64_t, std::vector<Action>> games;
    JournalReader reader(path_, identity_);
    const auto read = reader.ReadNew([&](JournalRecord&& record) {
      if (const auto* begun = std::get_if<GameStarted>(&record)) games[begun->id.packed];
      if (const auto* played = std::get_if<MovePlayed>(&record)) {
        games[played->id.packed].push_back(played->move.action);
      }
    });
    EXPECT_TRUE(read);
    return games;
  }

  SearchOptions search_;
  std::string path_;
  JournalIdentity identity_;
};

const PlayerMessage kRandom{.type = PlayerType::kRandom};
PlayerMessage Rollouts(int simulations) {
  return {.type = PlayerType::kPureMcts, .settings = StrCat("sims=", simulations)};
}

// Some 20 ms a move, 64 games of up to 9 moves at a time.
TEST_F(LongMoves, AllSlotsTogetherDoNotKeepTheWorkerFromItsSupervisor) {
  WatchedControl control;
  control.on_poll = [](int poll) -> WatchedControl::Messages {
    if (poll > 0) return {};
    return {Match(Rollouts(400), Rollouts(400)), Games(64)};
  };
  ASSERT_TRUE(Run<CountedHex>(control, PlyClock(microseconds(10))));
  EXPECT_EQ(Committed().size(), 64u);
  // 3 ms are 300 plies, 64 random games at most 576, and then there are the moves themselves.
  EXPECT_LT(control.longest_gap, 900);
}

// A millisecond a move: none is long by itself.
TEST_F(LongMoves, ShortMovesOfManySlotsTakeTurnsWithTheSupervisorAndWithOneAnother) {
  WatchedControl control;
  constexpr std::int64_t kPlies = 64 * 3;
  const std::int64_t began = plies_applied;
  control.on_poll = [&](int poll) -> WatchedControl::Messages {
    if (poll == 0) return {Match(kRandom, kRandom), Games(64)};
    if (plies_applied - began >= kPlies) return {StopMessage{}};
    return {};
  };
  ASSERT_TRUE(Run<CountedHex>(control, PlyClock(milliseconds(1))));
  EXPECT_LE(control.longest_gap, 3);
  const auto games = Committed();
  ASSERT_EQ(games.size(), 64u);
  for (const auto& [id, moves] : games) {
    EXPECT_GE(moves.size(), 3u) << "no slot waits while another one plays on";
    EXPECT_LE(moves.size(), 4u);
  }
}

TEST_F(LongMoves, AStopInTheMiddleOfAMoveIsObeyed) {
  for (const bool by_signal : {true, false}) {
    std::filesystem::remove(path_);
    WatchedControl control;
    std::int64_t asked_at = 0;
    control.on_poll = [&](int poll) -> WatchedControl::Messages {
      if (poll == 0) return {Match(Rollouts(1'000'000), kRandom), Games(1)};
      if (poll < 5) return {};
      EXPECT_EQ(poll, 5);
      asked_at = plies_applied;
      control.stop = by_signal;
      if (by_signal) return {};
      return {StopMessage{}};
    };
    ASSERT_TRUE(Run<CountedHex>(control, PlyClock(microseconds(10))));
    EXPECT_EQ(plies_applied, asked_at) << "not even one more random game";
    EXPECT_TRUE(Committed().begin()->second.empty()) << "half a move is none";
  }
}

TEST_F(LongMoves, ADrainInTheMiddleOfAMoveIsObeyedAndTheGameLosesNothingByIt) {
  const PlyClock clock(microseconds(10));
  WatchedControl plain;
  plain.on_poll = [](int poll) -> WatchedControl::Messages {
    if (poll > 0) return {};
    return {Match(Rollouts(2000), kRandom), Games(1)};
  };
  ASSERT_TRUE(Run<CountedHex>(plain, clock));
  const auto undisturbed = Committed();

  std::filesystem::remove(path_);
  WatchedControl control;
  std::int64_t asked_at = 0;
  control.on_poll = [&](int poll) -> WatchedControl::Messages {
    if (poll == 0) return {Match(Rollouts(2000), kRandom), Games(1)};
    if (poll == 2) return {DrainMessage{.phase = 7}};  // of another phase: drops nothing
    if (poll == 3) {
      asked_at = plies_applied;
      return {DrainMessage{.phase = 1}};
    }
    if (poll != 4) return {};
    EXPECT_EQ(plies_applied, asked_at);
    return {Match(Rollouts(2000), kRandom, 2), Games(1, 2)};
  };
  ASSERT_TRUE(Run<CountedHex>(control, clock));
  int drained = 0;
  for (const ControlMessage& message : control.sent) {
    drained += std::holds_alternative<DrainedMessage>(message) ? 1 : 0;
  }
  EXPECT_EQ(drained, 2);
  EXPECT_EQ(Committed(), undisturbed);
}

TEST_F(LongMoves, AGrantInTheMiddleOfAMoveDoesNotBeginItAnew) {
  const auto plies_of = [&](std::uint32_t granted_first) {
    std::filesystem::remove(path_);
    WatchedControl control;
    control.on_poll = [=](int poll) -> WatchedControl::Messages {
      if (poll == 0) return {Match(Rollouts(5000), kRandom), Games(granted_first)};
      if (poll == 3 && granted_first < 2) return {Games(1, 1, 1)};
      return {};
    };
    const std::int64_t before = plies_applied;
    EXPECT_TRUE(Run<CountedHex>(control, PlyClock(microseconds(10))));
    EXPECT_EQ(Committed().size(), 2u);
    return plies_applied - before;
  };
  EXPECT_EQ(plies_of(1), plies_of(2));
}

// Chunks and looks draw nothing.
TEST_F(LongMoves, RolloutsPlayWhatRolloutMoveSays) {
  constexpr int kSimulations = 200;
  WatchedControl control;
  control.on_poll = [](int poll) -> WatchedControl::Messages {
    if (poll > 0) return {};
    return {Match(Rollouts(kSimulations), Rollouts(kSimulations)), Games(8)};
  };
  ASSERT_TRUE(Run<CountedHex>(control, PlyClock(microseconds(10))));
  const auto games = Committed();
  ASSERT_EQ(games.size(), 8u);
  for (const auto& [id, moves] : games) {
    Hex<3> state;
    for (std::size_t ply = 0; ply < moves.size(); ++ply) {
      const Rng rng = RngOfPly(kSeed, GameId{id}, static_cast<int>(ply), PlyStream::kMove);
      ASSERT_EQ(moves[ply], RolloutMove(state, kSimulations, rng)) << "ply " << ply;
      state.Apply(moves[ply]);
    }
    EXPECT_TRUE(state.Result().has_value());
  }
}

// The first move of Connect Four is beyond it.
TEST_F(LongMoves, ASolverLooksUpToo) {
  WatchedControl control;
  control.on_poll = [&](int poll) -> WatchedControl::Messages {
    if (poll == 0) return {Match({.type = PlayerType::kSolver}, kRandom), Games(1)};
    if (poll < 3) return {};
    EXPECT_EQ(poll, 3);
    return {StopMessage{}};
  };
  ASSERT_TRUE(Run<ConnectFour>(control, LookClock()));
  EXPECT_EQ(control.polls, 4);
  EXPECT_TRUE(Committed().begin()->second.empty());
}

// What the looks at the clock cost self-play: one a pass and one a move, none an evaluation.
TEST_F(LongMoves, SelfPlayDoesNotLookAtTheClockAtEachEvaluation) {
  search_.visits = 64;
  WatchedControl control;
  control.on_poll = [](int poll) -> WatchedControl::Messages {
    if (poll > 0) return {};
    GrantMessage grant = Games(64);
    for (GrantedGame& game : grant.games) {
      game.id = GameId::Make(GameKind::kSelfPlay, 0, GameId{game.id}.index()).packed;
    }
    return {PhaseMessage{.phase = 1, .kind = GameKind::kSelfPlay, .iteration = 0, .players = {{}}},
            grant};
  };
  const LookClock clock;
  ASSERT_TRUE(Run<CountedHex>(control, clock));
  WorkerStatsMessage last;
  for (const ControlMessage& message : control.sent) {
    if (const auto* stats = std::get_if<WorkerStatsMessage>(&message)) last = *stats;
  }
  EXPECT_EQ(last.games_finished, 64u);
  EXPECT_LT(clock.looks, static_cast<std::int64_t>(last.rows) / 4);
}

}  // namespace
}  // namespace az
