#pragma once
// The repairs of a run's journals. A game may go on in another lane's file. When the part before is
// lost (cut off as damaged, or gone with the power), what the other file holds follows on nothing,
// and the game is played again from the first move that is missing. The start that finds such games
// writes down where every journal stood. Whoever puts games together reads all journals up to
// there (ReadRepaired), and only then on: so no move played again is joined to what followed on the
// lost one. Format: docs/formats/journal.md.

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "engine/data/game_log.h"

namespace az {

// Bytes of each journal, by the name of its file; one that is not named had none.
using JournalPoint = std::map<std::string, std::int64_t>;

std::int64_t BytesAt(const JournalPoint& point, const std::filesystem::path& journal);

// Reads up to the last repair. `read_to` reads every journal up to the point it is given into the
// log; its errors end this.
Result<void> ReadRepaired(std::span<const JournalPoint> repairs, GameLog& log,
                          const std::function<Result<void>(const JournalPoint&)>& read_to);

// The repairs of the journals in `folder`, oldest first; empty when no start had to repair.
// kCorrupt: not what WriteRepairs writes. kIo.
Result<std::vector<JournalPoint>> ReadRepairs(const std::filesystem::path& folder);

// Replaces them; they are on the disk when it returns. Before any worker is started. kNoSpace, kIo.
Result<void> WriteRepairs(const std::filesystem::path& folder,
                          std::span<const JournalPoint> repairs);

// `repairs`, none of them further than `now`: where a journal has become shorter, what is appended
// was not there at the time of the repair.
std::vector<JournalPoint> NoFurtherThan(std::vector<JournalPoint> repairs, const JournalPoint& now);

}  // namespace az
