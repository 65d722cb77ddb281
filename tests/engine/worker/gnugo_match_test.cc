// Matches against GNU Go over GTP, on the worker's own loop.

#include <gtest/gtest.h>
#include <unistd.h>

#include <deque>
#include <filesystem>
#include <map>

#include "base/strings.h"
#include "engine/data/game_log.h"
#include "engine/ipc/uniform_evaluator.h"
#include "engine/worker/worker.h"
#include "engine/worker/worker_inl.h"
#include "games/registry.h"

namespace az {
namespace {

constexpr std::string_view kGnuGo = "/usr/games/gnugo";
constexpr std::uint32_t kGames = 20;

// Starts the phase with all its games, and stops the worker when nothing is left to do.
class OnePhase final : public WorkerControl {
 public:
  OnePhase(ControlMessage phase, ControlMessage grant) : messages_{phase, grant} {}
  WeightsVersion Published(ModelId) override { return 1; }
  Result<std::vector<ControlMessage>> Poll() override { return std::exchange(messages_, {}); }
  bool StopAsked() override { return stop_; }
  Result<void> Send(const ControlMessage&) override { return {}; }
  void Idle(Duration) override { stop_ = true; }

 private:
  std::vector<ControlMessage> messages_;
  bool stop_ = false;
};

template <GameState S>
std::map<GameId, GameRecord> PlayGnuGo(const PlayerMessage& opponent) {
  const std::string path = testing::TempDir() + StrCat("gnugo_", ::getpid(), ".journal");
  std::filesystem::remove(path);
  const PlayerMessage gnugo{
      .type = PlayerType::kGtp,
      .settings = "timeout=30",
      .command = StrCat(kGnuGo, " --mode gtp --level 1 --chinese-rules --positional-superko")};
  const PhaseMessage phase{
      .phase = 1, .kind = GameKind::kMatch, .iteration = 0, .players = {gnugo, opponent}};
  GrantMessage grant{.phase = 1};
  for (std::uint32_t i = 0; i < kGames; ++i) {
    grant.games.push_back({.id = GameId::Make(GameKind::kMatch, 0, i).packed});
  }
  OnePhase control(phase, grant);
  UniformEvaluator evaluator({.rows = 8, .words = S::kShape.words(), .actions = S::kNumActions});
  const JournalIdentity identity{.game_hash = MakeGameInfo<S>().Hash(),
                                 .entry = std::string(S::kName)};
  Result<JournalWriter> journal = JournalWriter::Open(path, identity);
  EXPECT_TRUE(journal);
  SearchOptions search;
  search.visits = 16;
  const SteadyClock clock;
  const Log log(STDERR_FILENO, "gnugo_match");
  Worker<S> worker({.search = search,
                    .run_seed = 11,
                    .slots = 4,
                    .cache = Bytes(0),
                    .evaluator = evaluator,
                    .control = control,
                    .journal = *journal,
                    .clock = clock,
                    .log = log});
  const Result<void> end = worker.Run();
  EXPECT_TRUE(end) << end.error().message;
  std::map<GameId, GameRecord> games;
  GameLog records([&](StitchedGame&& game) { games[game.game.id] = std::move(game.game); });
  JournalReader reader(path, identity);
  EXPECT_TRUE(reader.ReadNew([&](JournalRecord&& record) { records.Add(std::move(record)); }));
  std::filesystem::remove(path);
  return games;
}

template <GameState S>
void ExpectWholeMatch(const PlayerMessage& opponent) {
  if (::access(kGnuGo.data(), X_OK) != 0) {
    GTEST_SKIP() << kGnuGo << " is not installed (requirements/apt.txt)";
  }
  const auto games = PlayGnuGo<S>(opponent);
  ASSERT_EQ(games.size(), kGames);
  int wins = 0;
  for (const auto& [id, game] : games) {
    EXPECT_FALSE(IsForfeit(game.reason)) << id.index() << ": " << EndReasonName(game.reason);
    ASSERT_TRUE(game.outcome.has_value());
    const Player gnugo = id.index() % 2 == 0 ? Player::kFirst : Player::kSecond;
    wins += ValueFor(*game.outcome, gnugo) > 0 ? 1 : 0;
  }
  testing::Test::RecordProperty("gnugo_wins", wins);
}

TEST(GnuGoMatch, TwentyGamesOnFiveByFive) {
  ExpectWholeMatch<Go<5>>({.type = PlayerType::kPureMcts, .visits = 50});
}

TEST(GnuGoMatch, TwentyGamesOnNineByNine) {
  ExpectWholeMatch<Go<9>>({.type = PlayerType::kNet, .settings = "sims=16"});
}

}  // namespace
}  // namespace az
