#include "engine/fleet/lane_journals.h"

#include <algorithm>
#include <cstdio>
#include <memory>
#include <set>
#include <system_error>
#include <utility>

#include "base/hash.h"
#include "base/strings.h"

namespace az {
namespace {

// A reader may look while a record is being written; damage stays.
constexpr int kMostDamagedReads = 100;

FinishedGame Summarise(const GameRecord& game) {
  FinishedGame finished{.id = game.id,
                        .outcome = game.outcome,
                        .plies = static_cast<int>(game.moves.size()),
                        .policy_samples = 0,
                        .first = std::nullopt,
                        .reason = game.reason,
                        .last = std::nullopt};
  if (!game.moves.empty()) {
    finished.first = game.moves.front().action;
    finished.last = game.moves.back().action;
    finished.last_network_value = game.moves.back().network_value;
  }
  for (const MoveRecord& move : game.moves) {
    finished.policy_samples += move.policy.empty() ? 0 : 1;
    finished.moves = HashCombine(finished.moves, static_cast<std::uint64_t>(Index(move.action)));
  }
  return finished;
}

// A copy of cut bytes lies beside the file: the person was told of its loss.
bool WasCut(const std::filesystem::path& journal) {
  const std::string start = journal.filename().string() + ".cut_at_";
  std::error_code code;
  for (const auto& entry : std::filesystem::directory_iterator(journal.parent_path(), code)) {
    if (entry.path().filename().string().starts_with(start)) return true;
  }
  return false;
}

}  // namespace

std::string LaneJournalName(int lane) {
  char name[32];
  std::snprintf(name, sizeof name, "lane_%03d.journal", lane);
  return name;
}

LaneJournals::LaneJournals()
    : log_([this](StitchedGame&& stitched) {
        const FinishedGame finished = Summarise(stitched.game);
        const GameId id = finished.id;
        const bool is_old = id.kind() == GameKind::kSelfPlay && id.iteration() < self_play_from_;
        if (!is_old) finished_.emplace(id, finished);
        if (callback_) callback_(finished);
      }) {}

Result<std::unique_ptr<LaneJournals>> LaneJournals::Open(const std::filesystem::path& folder,
                                                         const JournalIdentity& identity, int lanes,
                                                         std::uint32_t iteration) {
  std::set<int> numbers;
  for (int lane = 0; lane < lanes; ++lane) numbers.insert(lane);
  std::error_code code;
  for (const auto& entry : std::filesystem::directory_iterator(folder, code)) {
    int number = 0;
    char rest = 0;
    const std::string name = entry.path().filename().string();
    if (std::sscanf(name.c_str(), "lane_%d.journa%c", &number, &rest) == 2 &&
        name == LaneJournalName(number)) {
      numbers.insert(number);
    }
  }
  if (code) return SystemError(StrCat("list ", folder.string()), code.value());
  auto journals = std::make_unique<LaneJournals>();
  journals->self_play_from_ = iteration;
  for (const int number : numbers) {
    JournalIdentity lane_identity = identity;
    lane_identity.lane = static_cast<std::uint32_t>(number);
    journals->lanes_.push_back(
        {number, lane_identity, JournalReader(folder / LaneJournalName(number), lane_identity)});
  }
  journals->folder_ = folder;
  AZ_ASSIGN_OR_RETURN(journals->repairs_, ReadRepairs(folder));
  AZ_RETURN_IF_ERROR(ReadRepaired(journals->repairs_, journals->log_,
                                  [&](const auto& point) { return journals->ReadUpTo(point); }));
  AZ_RETURN_IF_ERROR(journals->Poll());
  return journals;
}

// What is wrong with a journal's bytes is told where it is read to its end.
Result<void> LaneJournals::ReadUpTo(const JournalPoint& point) {
  const auto sink = [this](JournalRecord&& record) { log_.Add(std::move(record)); };
  for (Lane& lane : lanes_) {
    AZ_RETURN_IF_ERROR(lane.reader.ReadNew(sink, BytesAt(point, lane.reader.path())));
  }
  return {};
}

Result<void> LaneJournals::Read(Lane& lane) {
  AZ_ASSIGN_OR_RETURN(
      const JournalProgress progress,
      lane.reader.ReadNew([this](JournalRecord&& record) { log_.Add(std::move(record)); }));
  lane.damaged_reads = progress.end == JournalEnd::kCorrupt ? lane.damaged_reads + 1 : 0;
  faults_[lane.number] = progress.fault;
  if (lane.damaged_reads < kMostDamagedReads) return {};
  return Error{Errc::kCorrupt, StrCat("damaged journal ", progress.fault,
                                      " (the same command repairs it, with a copy of what it cuts, "
                                      "and goes on)")};
}

Result<std::vector<std::string>> LaneJournals::CutDamage() {
  std::vector<std::string> told;
  for (Lane& lane : lanes_) {
    if (lane.damaged_reads == 0) continue;
    const std::filesystem::path& path = lane.reader.path();
    AZ_ASSIGN_OR_RETURN(const JournalWriter writer,
                        JournalWriter::Open(path, lane.identity, lane.reader.valid_bytes()));
    const JournalRecovery& recovery = writer.recovery();
    lane.damaged_reads = 0;
    faults_.erase(lane.number);
    told.push_back(StrCat("journal damaged: ", recovery.fault, "; ", recovery.cut_bytes,
                          " bytes from there on were moved to ", recovery.saved_as.string(),
                          "; their unfinished games are played again"));
  }
  AZ_RETURN_IF_ERROR(RepairGames(told));
  return told;
}

Result<void> LaneJournals::RepairGames(std::vector<std::string>& told) {
  JournalPoint now;
  for (const Lane& lane : lanes_) now[LaneJournalName(lane.number)] = lane.reader.valid_bytes();
  std::vector<JournalPoint> repairs = NoFurtherThan(repairs_, now);
  if (const std::size_t games = log_.ForgetBeyondGaps(); games > 0) {
    repairs.push_back(now);
    told.push_back(StrCat("games that lost moves in their middle: ", games,
                          "; unfinished ones are played again from there"));
  }
  if (repairs == repairs_) return {};
  AZ_RETURN_IF_ERROR(WriteRepairs(folder_, repairs));
  repairs_ = std::move(repairs);
  return {};
}

Result<void> LaneJournals::CheckHolds(const std::vector<LaneBytes>& lanes) const {
  for (const LaneBytes& wanted : lanes) {
    const auto lane = std::ranges::find_if(lanes_, [&](const Lane& candidate) {
      return LaneJournalName(candidate.number) == wanted.file;
    });
    const std::int64_t have = lane == lanes_.end() ? 0 : lane->reader.valid_bytes();
    if (have >= wanted.bytes) continue;
    if (lane != lanes_.end() && WasCut(lane->reader.path())) continue;
    return Error{Errc::kCorrupt,
                 StrCat("journal ", wanted.file, " has ", have, " bytes, but ", wanted.bytes,
                        " were trained on (restore the file from a copy, or start "
                        "over with --fresh)")};
  }
  return {};
}

std::vector<std::string> LaneJournals::Faults(const std::vector<LaneBytes>& lanes) const {
  std::vector<std::string> told;
  std::vector<LaneBytes> others = lanes;  // of damaged ones all is said, and CutDamage mends them
  for (const Lane& lane : lanes_) {
    const auto fault = faults_.find(lane.number);
    if (fault == faults_.end() || fault->second.empty()) continue;
    if (lane.damaged_reads == 0) {
      told.push_back(StrCat(fault->second, ": it is being written, or its writer died"));
      continue;
    }
    told.push_back(StrCat("journal damaged: ", fault->second,
                          "; what follows is left out (the command that trains the run repairs it, "
                          "with a copy of what it cuts)"));
    std::erase_if(
        others, [&](const LaneBytes& other) { return other.file == LaneJournalName(lane.number); });
  }
  for (const LaneBytes& wanted : others) {
    if (const Result<void> held = CheckHolds({wanted}); !held) told.push_back(held.error().message);
  }
  return told;
}

Result<void> LaneJournals::Poll() {
  for (Lane& lane : lanes_) AZ_RETURN_IF_ERROR(Read(lane));
  return {};
}

Result<void> LaneJournals::PollLane(int lane) {
  for (Lane& candidate : lanes_) {
    if (candidate.number == lane) return Read(candidate);
  }
  return {};
}

std::int64_t LaneJournals::valid_bytes(int lane) const {
  for (const Lane& candidate : lanes_) {
    if (candidate.number == lane) return candidate.reader.valid_bytes();
  }
  return 0;
}

std::vector<LaneBytes> LaneJournals::AllBytes() const {
  std::vector<LaneBytes> all;
  for (const Lane& lane : lanes_) {
    all.push_back({LaneJournalName(lane.number), lane.reader.valid_bytes()});
  }
  return all;
}

Result<std::vector<LaneBytes>> LaneJournals::SyncedBytes() const {
  for (const Lane& lane : lanes_) AZ_RETURN_IF_ERROR(sync_(lane.reader));
  return AllBytes();
}

std::vector<FinishedGame> LaneJournals::Finished(GameKind kind, std::uint32_t iteration) const {
  std::vector<FinishedGame> games;
  const GameId first = GameId::Make(kind, iteration, 0);
  const GameId last = GameId::Make(kind, iteration, ~std::uint32_t{0});
  for (auto it = finished_.lower_bound(first); it != finished_.end() && it->first <= last; ++it) {
    games.push_back(it->second);
  }
  return games;
}

void LaneJournals::Forget(GameKind kind, std::uint32_t iteration) {
  finished_.erase(finished_.lower_bound(GameId::Make(kind, 0, 0)),
                  finished_.lower_bound(GameId::Make(kind, iteration, 0)));
  if (kind == GameKind::kSelfPlay) return;  // it plays all of its games
  for (std::uint32_t i = 0; i <= iteration; ++i) log_.DropOpenGames(kind, i);
}

}  // namespace az
