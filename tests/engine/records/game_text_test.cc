#include "engine/records/game_text.h"

#include <gtest/gtest.h>

#include <cmath>

#include "base/rng.h"
#include "games/registry.h"
#include "tests/engine/data/random_games.h"

namespace az {
namespace {

// A random game as a worker would have left it, with values as they are written.
NotedGame RandomNotedGame(const GameOps& ops, std::uint32_t index) {
  const GameId id = GameId::Make(GameKind::kGate, 3, index);
  NotedGame game = Noted(RandomGame(ops, id), ops.info());
  game.players = {"best \\ [1]", "candidate ] 2"};
  for (std::size_t ply = 0; ply < game.moves.size(); ++ply) {
    NotedMove& move = game.moves[ply];
    if (ply < 2) move = {.action = move.action, .visits = 0, .value = 0};
    move.value = static_cast<float>(std::round(move.value * 10'000) / 10'000.0);
  }
  return game;
}

bool SameGame(NotedGame a, NotedGame b) {
  if (a.moves.size() != b.moves.size()) return false;
  for (std::size_t i = 0; i < a.moves.size(); ++i) {
    if (std::abs(a.moves[i].value - b.moves[i].value) > 1e-6f) return false;
    a.moves[i].value = b.moves[i].value;
  }
  return a == b;
}

TEST(GameText, EveryGameComesBackAsItWent) {
  for (const std::string& entry : GameEntries()) {
    const GameOps& ops = **FindGame(entry);
    std::vector<RecordFormat> formats = {RecordFormat::kMoves};
    if (NaturalFormat(ops.info()) == RecordFormat::kSgf) formats.push_back(RecordFormat::kSgf);
    for (const RecordFormat format : formats) {
      std::string text;
      std::vector<NotedGame> games;
      for (std::uint32_t index = 0; index < 5; ++index) {
        games.push_back(RandomNotedGame(ops, index));
        const Result<std::string> written = WriteGame(games.back(), ops, format);
        ASSERT_TRUE(written.has_value()) << written.error().message;
        text += *written;
      }
      const Result<GamesRead> read = ReadGames(text, ops);
      ASSERT_TRUE(read.has_value()) << entry << ": " << read.error().message;
      ASSERT_EQ(read->games.size(), games.size());
      for (std::size_t i = 0; i < games.size(); ++i) {
        EXPECT_TRUE(SameGame(read->games[i], games[i])) << entry << " " << i;
      }
    }
  }
}

TEST(GameText, NaturalFormats) {
  EXPECT_EQ(NaturalFormat((**FindGame("go9")).info()), RecordFormat::kSgf);
  EXPECT_EQ(NaturalFormat((**FindGame("hex5_swap")).info()), RecordFormat::kSgf);
  EXPECT_EQ(NaturalFormat((**FindGame("gomoku9")).info()), RecordFormat::kSgf);
  EXPECT_EQ(NaturalFormat((**FindGame("othello6")).info()), RecordFormat::kSgf);
  EXPECT_EQ(NaturalFormat((**FindGame("mnk_5_5_4")).info()), RecordFormat::kMoves);
  EXPECT_EQ(NaturalFormat((**FindGame("breakthrough5")).info()), RecordFormat::kMoves);
  EXPECT_TRUE(ParseRecordFormat("sgf").has_value());
  EXPECT_FALSE(ParseRecordFormat("pgn").has_value());
}

TEST(GameText, TellsOfVariationsLeftOut) {
  const auto read = ReadGames("(;SZ[5];B[cc](;W[dd])(;W[ee]))", **FindGame("go5"));
  ASSERT_TRUE(read.has_value());
  ASSERT_EQ(read->notes.size(), 1U);
  EXPECT_EQ(read->notes[0], "1 variations left out: only main lines are read");
}

// Bytes changed, cut, doubled and swapped at random: an error with a place or a game, never more.
TEST(GameText, DamagedTextIsAnErrorOrAGame) {
  Rng rng(5);
  int errors = 0;
  for (const std::string entry : {"go5", "hex5_swap", "othello6", "connect_four"}) {
    const GameOps& ops = **FindGame(entry);
    const RecordFormat format = NaturalFormat(ops.info());
    const std::string whole = *WriteGame(RandomNotedGame(ops, 1), ops, format);
    for (int round = 0; round < 2000; ++round) {
      std::string text = whole;
      const auto at = [&] { return static_cast<std::size_t>(rng.Below(text.size())); };
      for (std::uint64_t change = rng.Below(4) + 1; change > 0 && !text.empty(); --change) {
        switch (rng.Below(4)) {
          case 0:
            text[at()] = static_cast<char>(rng.Below(256));
            break;
          case 1:
            text.erase(at(), rng.Below(20));
            break;
          case 2:
            text.insert(at(), text.substr(at(), rng.Below(30)));
            break;
          default:
            text.resize(at());
        }
      }
      const Result<GamesRead> read = ReadGames(text, ops);
      if (read) continue;
      ++errors;
      EXPECT_EQ(read.error().code, Errc::kInvalid);
      EXPECT_FALSE(read.error().message.empty());
    }
  }
  EXPECT_GT(errors, 2000);
}

}  // namespace
}  // namespace az
