#include "engine/run/opponent_names.h"

#include <gtest/gtest.h>

#include "base/files.h"
#include "engine/run/match_history.h"
#include "games/registry.h"
#include "tests/engine/data/random_journal.h"

namespace az {
namespace {

namespace fs = std::filesystem;
using Players = std::array<std::string, 2>;

// A gate, a final match, a panel match, and one that is still played; two games each.
class OpponentNamesTest : public ::testing::Test {
 protected:
  OpponentNamesTest() {
    fs::create_directories(folder_ / "journal");
    std::vector<GameId> games;
    for (const auto& [kind, match] : {std::pair{GameKind::kGate, 16u},
                                      {GameKind::kFinal, 16u},
                                      {GameKind::kMatch, 16u},
                                      {GameKind::kMatch, 17u}}) {
      for (std::uint32_t index = 0; index < 2; ++index) {
        games.push_back(GameId::Make(kind, match, index));
      }
    }
    WriteRandomGames(folder_ / "journal/lane_000.journal", **FindGame("hex5"), games);
  }
  std::vector<Players> Named() {
    RecordedGames read = std::move(ReadRecordedGames(folder_ / "", {}).value());
    const Result<void> named = NameOpponents(folder_ / "", read);
    EXPECT_TRUE(named);
    std::vector<Players> players;
    for (const RecordedGame& game : read.games) players.push_back(game.game.players);
    return players;
  }
  TemporaryFolder folder_;
};

TEST_F(OpponentNamesTest, AreThoseOfTheMatches) {
  {
    MatchHistory history = MatchHistory::Open(folder_ / std::string(kMatchesFile)).value();
    for (const auto& [kind, name] : {std::pair{GameKind::kGate, "iter_000002"},
                                     {GameKind::kFinal, "iter_000000"},
                                     {GameKind::kMatch, "mcts:sims=50"}}) {
      ASSERT_TRUE(
          history.Add({.kind = kind, .match = 16, .a = "iter_000003", .b = name, .tally = {}}));
    }
  }
  EXPECT_EQ(Named(), (std::vector<Players>{{"candidate", "best"},
                                           {"best", "candidate"},
                                           {"best", "iter_000000"},
                                           {"iter_000000", "best"},
                                           {"best", "mcts:sims=50"},
                                           {"mcts:sims=50", "best"},
                                           {"best", "opponent"},
                                           {"opponent", "best"}}));
}

TEST_F(OpponentNamesTest, AreNotLookedForBeyondTheFolder) {
  EXPECT_EQ(Named().back(), (Players{"opponent", "best"}));
  EXPECT_FALSE(fs::exists(folder_ / std::string(kMatchesFile))) << "it only reads";
}

}  // namespace
}  // namespace az
