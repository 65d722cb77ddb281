#include "games/registry.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>
#include <vector>

namespace az {
namespace {

TEST(Outcome, OfALossIsTheOtherPlayersWin) {
  for (const Player loser : {Player::kFirst, Player::kSecond}) {
    EXPECT_EQ(ValueFor(LossOf(loser), loser), -1);
    EXPECT_EQ(ValueFor(LossOf(loser), Opponent(loser)), 1);
  }
}

TEST(Registry, ListsEveryEntryOnce) {
  const std::vector<std::string> expected = {
      "tic_tac_toe",   "connect_four",  "mnk_5_5_4",     "gomoku9",    "gomoku15", "hex3",
      "hex4",          "hex5",          "hex6",          "hex7",       "hex8",     "hex9",
      "hex10",         "hex11",         "hex5_swap",     "hex11_swap", "othello6", "othello8",
      "breakthrough5", "breakthrough6", "breakthrough8", "go5",        "go7",      "go9"};
  EXPECT_EQ(GameEntries(), expected);
}

TEST(Registry, FindsByEntryAndByFamilyAndSize) {
  const struct {
    std::string_view name;
    int board_size;
    std::string_view entry;
  } kCases[] = {
      {"hex", 0, "hex5"},
      {"hex", 3, "hex3"},
      {"hex", 11, "hex11"},
      {"hex7", 0, "hex7"},
      {"hex7", 7, "hex7"},
      {"tic_tac_toe", 0, "tic_tac_toe"},
      {"connect_four", 0, "connect_four"},
      {"mnk_5_5_4", 0, "mnk_5_5_4"},
      {"gomoku", 0, "gomoku9"},
      {"gomoku", 15, "gomoku15"},
      {"hex_swap", 11, "hex11_swap"},
      {"hex5_swap", 5, "hex5_swap"},
      {"othello", 0, "othello8"},
      {"breakthrough", 0, "breakthrough6"},
      {"go", 0, "go9"},
  };
  for (const auto& test : kCases) {
    const auto found = FindGame(test.name, test.board_size);
    ASSERT_TRUE(found.has_value()) << found.error().message;
    EXPECT_EQ((*found)->info().entry, test.entry);
  }
}

TEST(Registry, RefusalsListWhatThereIs) {
  const struct {
    std::string_view name;
    int board_size;
    std::string_view message;
  } kCases[] = {
      {"chess", 0,
       "no game is called 'chess'; there are tic_tac_toe, connect_four, mnk_5_5_4, "
       "gomoku (board sizes 9 15), hex (board sizes 3 4 5 6 7 8 9 10 11), "
       "hex_swap (board sizes 5 11), othello (board sizes 6 8), "
       "breakthrough (board sizes 5 6 8), go (board sizes 5 7 9)"},
      {"hex", 12, "game 'hex' has no board size 12; there are 3 4 5 6 7 8 9 10 11"},
      {"hex", -1, "game 'hex' has no board size -1; there are 3 4 5 6 7 8 9 10 11"},
      {"hex5", 6, "game 'hex5' is played on size 5, not 6 (leave the size out, or ask for hex)"},
      {"connect_four", 8,
       "game 'connect_four' has one board size only, not 8 (leave the size out)"},
  };
  for (const auto& test : kCases) {
    const auto found = FindGame(test.name, test.board_size);
    ASSERT_FALSE(found.has_value()) << test.name;
    EXPECT_EQ(found.error().code, Errc::kNotFound);
    EXPECT_EQ(found.error().message, test.message);
  }
}

TEST(Registry, FamiliesHaveSizesAndADefault) {
  const std::vector<GameFamily> families = GameFamilies();
  const auto hex = std::ranges::find(families, "hex", &GameFamily::name);
  ASSERT_NE(hex, families.end());
  EXPECT_EQ(hex->board_sizes, (std::vector<int>{3, 4, 5, 6, 7, 8, 9, 10, 11}));
  EXPECT_EQ(hex->default_board_size, 5);
  for (const GameFamily& family : families) {
    EXPECT_TRUE(FindGame(family.name).has_value()) << family.name;
    EXPECT_TRUE(std::ranges::is_sorted(family.board_sizes)) << family.name;
  }
  EXPECT_TRUE(families[0].board_sizes.empty());
}

TEST(Registry, TurnsAnEntryIntoAType) {
  const auto actions =
      WithGame("hex6", []<GameState S>() -> Result<int> { return S::kNumActions; });
  ASSERT_TRUE(actions.has_value());
  EXPECT_EQ(*actions, 36);
  const auto unknown =
      WithGame("chess", []<GameState S>() -> Result<int> { return S::kNumActions; });
  ASSERT_FALSE(unknown.has_value());
  EXPECT_EQ(unknown.error().code, Errc::kNotFound);
  EXPECT_NE(unknown.error().message.find("'chess'; there are tic_tac_toe, "), std::string::npos);
}

TEST(GameInfo, HashTellsGamesApart) {
  std::set<std::uint64_t> hashes;
  ForEachGame([&]<RegisteredGame S>() { hashes.insert(MakeGameInfo<S>().Hash()); });
  EXPECT_EQ(hashes.size(), GameEntries().size());
  GameInfo info = MakeGameInfo<Hex<5>>();
  const std::uint64_t hash = info.Hash();
  EXPECT_EQ(FindGame("hex5").value()->info().Hash(), hash);
  ++info.shape.planes;
  EXPECT_NE(info.Hash(), hash);
}

TEST(GameOps, ReplayNamesThePlyAndTheAction) {
  const GameOps& ops = *FindGame("hex5").value();
  const std::vector<Action> record = {Action{12}, Action{7}, Action{3}, Action{7}};
  const auto replayed = ops.Replay(record);
  ASSERT_FALSE(replayed.has_value());
  EXPECT_EQ(replayed.error().code, Errc::kCorrupt);
  EXPECT_EQ(replayed.error().message,
            "ply 3: action 7 is not legal in hex5 here; legal are 0 1 2 3 4 5 6 8 ...");
}

TEST(GameOps, StartTakesTheOptionsThatTheGameHas) {
  const GameOps& go = *FindGame("go5").value();
  EXPECT_EQ(go.Start({}).value()->Hash(), go.Start()->Hash());
  EXPECT_NE(go.Start({.komi = 2.5}).value()->Hash(), go.Start()->Hash());
  EXPECT_EQ(go.Start({.komi = 0.3}).error().code, Errc::kInvalid);
  const auto refused = FindGame("hex5").value()->Start({.komi = 0.5});
  ASSERT_FALSE(refused.has_value());
  EXPECT_EQ(refused.error().message, "game 'hex5' has no option komi");
}

TEST(GameOps, ParseMoveShowsSomeLegalMoves) {
  const auto parsed = FindGame("connect_four").value()->Start()->ParseMove("8");
  ASSERT_FALSE(parsed.has_value());
  EXPECT_EQ(parsed.error().message,
            "move '8' is not legal in connect_four here; legal are 1 2 3 4 5 6 7");
}

}  // namespace
}  // namespace az
