#pragma once
// A lane's journal of whole random games, for the tests of those who read journals.

#include <gtest/gtest.h>

#include <filesystem>
#include <utility>
#include <vector>

#include "engine/data/journal.h"
#include "games/game_ops.h"
#include "tests/engine/data/random_games.h"
#include "tests/engine/data/records.h"

namespace az {

// Adds RandomGame(ops, id) of each id, started and ended, to a lane's journal of the tests' run.
inline void WriteRandomGames(const std::filesystem::path& file, const GameOps& ops,
                             const std::vector<GameId>& ids, std::uint32_t lane = 0) {
  JournalIdentity identity = TestIdentity();
  identity.entry = ops.info().entry;
  identity.game_hash = ops.info().Hash();
  identity.lane = lane;
  Result<JournalWriter> writer = JournalWriter::Open(file, identity);
  ASSERT_TRUE(writer.has_value()) << writer.error().message;
  for (const GameId id : ids) {
    const GameRecord game = RandomGame(ops, id);
    ASSERT_TRUE(writer->StartGame(id).has_value());
    for (const MoveRecord& move : game.moves) ASSERT_TRUE(writer->Move(id, move).has_value());
    const auto plies = static_cast<std::uint16_t>(game.moves.size());
    ASSERT_TRUE(
        writer->EndGame({.id = id, .outcome = game.outcome, .reason = game.reason, .plies = plies})
            .has_value());
  }
}

}  // namespace az
