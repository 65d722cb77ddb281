#pragma once
// The finished games that the journals of a folder hold, for tools: whichever run they are of, and
// as much as can be read of damaged ones. Not for the run itself: engine/fleet/lane_journals.h.

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
  // Two workers had it at the same time: its moves may be of two different games.
  bool conflicted = false;
};

struct RecordsQuery {
  std::optional<GameKind> kind;
  std::optional<std::uint32_t> iteration;
  std::optional<std::size_t> last;  // the newest so many of those
};

struct RecordedGames {
  const GameOps* ops = nullptr;
  // By iteration, then kind, then index; final and match games, which count matches, come last.
  std::vector<RecordedGame> games;
  std::vector<std::string> notes;  // for a person: damage, files left out, games without all moves
};

// `dir` is a run's or a match's directory, or a folder of journals. Players are named by what is
// known: candidate and best of a gate. Works while the run goes on. kNotFound: no journal there;
// kCorrupt, kIncompatible: of none of them the header can be read.
Result<RecordedGames> ReadRecordedGames(const std::filesystem::path& dir,
                                        const RecordsQuery& query);

}  // namespace az
