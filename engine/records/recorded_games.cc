#include "engine/records/recorded_games.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <tuple>
#include <utility>

#include "base/files.h"
#include "base/strings.h"
#include "engine/data/game_log.h"
#include "engine/data/journal.h"
#include "engine/data/journal_repairs.h"
#include "games/registry.h"

namespace az {
namespace {

namespace fs = std::filesystem;

Result<std::vector<fs::path>> JournalsIn(const fs::path& dir) {
  std::error_code error;
  const fs::path folder = fs::is_directory(dir / "journal", error) ? dir / "journal" : dir;
  std::vector<fs::path> files;
  for (fs::directory_iterator at(folder, error), end; !error && at != end; at.increment(error)) {
    if (at->path().extension() == ".journal") files.push_back(at->path());
  }
  if (error) return Error{Errc::kNotFound, StrCat("read ", folder.string(), ": ", error.message())};
  if (files.empty()) {
    return Error{Errc::kNotFound, StrCat("no *.journal in ", folder.string(),
                                         " (name the directory of a run or a match)")};
  }
  std::sort(files.begin(), files.end());
  return files;
}

Result<JournalIdentity> IdentityOf(const fs::path& file) {
  UniqueFd fd(::open(file.c_str(), O_RDONLY | O_CLOEXEC));
  std::array<std::byte, kJournalHeaderBytes> header{};
  if (!fd.valid()) return SystemError(StrCat("open ", file.string()), errno);
  const ssize_t got = ::pread(fd.get(), header.data(), header.size(), 0);
  if (got < 0) return SystemError(StrCat("read ", file.string()), errno);
  if (static_cast<std::size_t>(got) < header.size()) {
    return Error{Errc::kCorrupt, StrCat(file.string(), ": ", got, " bytes, no header yet")};
  }
  Result<JournalIdentity> identity = DecodeJournalHeader(header);
  if (!identity) return WithContext(file.string(), identity.error());
  return identity;
}

std::array<std::string, 2> PlayersOf(GameId id) {
  if (id.kind() == GameKind::kSelfPlay || id.kind() == GameKind::kYardstick) {
    return {"best", "best"};
  }
  std::array<std::string, 2> players = {"candidate", "best"};
  if (id.kind() != GameKind::kGate) players = {"best", "opponent"};
  if (id.index() % 2 == 1) std::swap(players[0], players[1]);  // colours change within a pair
  return players;
}

auto OrderOf(const RecordedGame& game) {
  const GameKind kind = game.id.kind();
  const bool is_late = kind >= GameKind::kFinal;
  return std::tuple(is_late, is_late ? kind : GameKind::kSelfPlay, game.id.iteration(), kind,
                    game.id.index());
}

// Reads the journals up to their last repairs. Damage is reported later, when ReadJournal reads
// them to their ends.
void ReadToRepairs(std::vector<JournalReader>& readers, GameLog& log,
                   std::vector<std::string>& notes) {
  if (readers.empty()) return;
  const Result<std::vector<JournalPoint>> repairs =
      ReadRepairs(readers.front().path().parent_path());
  if (!repairs) {
    notes.push_back(repairs.error().message);
    return;
  }
  const auto sink = [&log](JournalRecord&& record) { log.Add(std::move(record)); };
  static_cast<void>(ReadRepaired(*repairs, log, [&](const JournalPoint& point) -> Result<void> {
    for (JournalReader& reader : readers) {
      static_cast<void>(reader.ReadNew(sink, BytesAt(point, reader.path())));
    }
    return {};
  }));
}

// Reads the rest of the journal's records into `log` and describes its damage in `notes`.
void ReadJournal(JournalReader& reader, GameLog& log, std::vector<std::string>& notes) {
  const Result<JournalProgress> progress =
      reader.ReadNew([&](JournalRecord&& record) { log.Add(std::move(record)); });
  const fs::path& file = reader.path();
  if (!progress) {
    notes.push_back(progress.error().message);
  } else if (progress->end == JournalEnd::kCorrupt) {
    notes.push_back(StrCat(file.string(), ": damaged at byte ", progress->valid_bytes, " (",
                           progress->fault, "); what follows is left out"));
  } else if (progress->end == JournalEnd::kTorn) {
    notes.push_back(StrCat(file.string(), ": its last record is not whole (", progress->fault,
                           "): it is being written, or its writer died"));
  }
}

}  // namespace

Result<RecordedGames> ReadRecordedGames(const fs::path& dir, const RecordsQuery& query) {
  AZ_ASSIGN_OR_RETURN(const std::vector<fs::path> files, JournalsIn(dir));
  RecordedGames read;
  GameLog log([&](StitchedGame&& stitched) {
    const GameId id = stitched.game.id;
    if (query.kind.value_or(id.kind()) != id.kind()) return;
    if (!query.kind && id.kind() == GameKind::kYardstick) return;  // single positions, not games
    if (query.iteration && id.iteration() != *query.iteration) return;
    NotedGame game = Noted(stitched.game, read.ops->info());
    game.players = PlayersOf(id);
    read.games.push_back({.id = id, .game = std::move(game), .conflicted = stitched.conflicted});
  });
  std::vector<JournalReader> readers;
  std::vector<std::string> left_out;
  std::optional<JournalIdentity> common;
  std::optional<Error> refused;
  for (const fs::path& file : files) {
    const Result<JournalIdentity> identity = IdentityOf(file);
    if (!identity) {
      refused = identity.error();
      left_out.push_back(StrCat(identity.error().message, "; left out"));
      continue;
    }
    if (!common) {
      AZ_ASSIGN_OR_RETURN(read.ops, FindGame(identity->entry));
      if (read.ops->info().Hash() != identity->game_hash) {
        return Error{Errc::kIncompatible,
                     StrCat(file.string(), ": another version of ", identity->entry,
                            " (use the build that wrote it)")};
      }
      common = *identity;
    }
    if (identity->run_id != common->run_id || identity->game_hash != common->game_hash) {
      left_out.push_back(StrCat(file.string(), ": of another run or game; left out"));
      continue;
    }
    readers.emplace_back(file, *identity);
  }
  if (!common) return *refused;
  ReadToRepairs(readers, log, read.notes);
  for (JournalReader& reader : readers) ReadJournal(reader, log, read.notes);
  read.notes.insert(read.notes.end(), left_out.begin(), left_out.end());
  const std::size_t gaps = log.GamesWithGaps().size();
  if (gaps > 0) read.notes.push_back(StrCat(gaps, " games have ended but miss moves; left out"));
  std::sort(read.games.begin(), read.games.end(),
            [](const auto& a, const auto& b) { return OrderOf(a) < OrderOf(b); });
  if (query.last && read.games.size() > *query.last) {
    read.games.erase(read.games.begin(),
                     read.games.end() - static_cast<std::ptrdiff_t>(*query.last));
  }
  return read;
}

}  // namespace az
