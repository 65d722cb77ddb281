#pragma once
// Reads the finished games in the journals of a folder, for tools: of any run, and as many as can
// be read from damaged journals. The run itself uses engine/fleet/lane_journals.h.

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "engine/records/noted_game.h"

namespace az {

struct RecordedGame {
  GameId id;
  NotedGame game;
  // Two workers played it at the same time, so its moves may belong to two different games.
  bool conflicted = false;
};

struct RecordsQuery {
  std::optional<GameKind> kind;
  std::optional<std::uint32_t> iteration;
  std::optional<std::size_t> last;  // only so many of the newest of those
};

struct RecordedGames {
  const GameOps* ops = nullptr;
  // Ordered by iteration, then kind, then index. Final and match games, whose ids count matches
  // instead of iterations, come last.
  std::vector<RecordedGame> games;
  std::vector<std::string> notes;  // for a person: damage, files left out, games without all moves
};

// Reads the games of `dir`, a run's or match's directory or a folder of journals, also while the
// run goes on. Players get names where they are known: candidate and best in a gate match. Fails
// with kNotFound when there is no journal, and with kCorrupt or kIncompatible when no journal has a
// readable header.
Result<RecordedGames> ReadRecordedGames(const std::filesystem::path& dir,
                                        const RecordsQuery& query);

}  // namespace az
