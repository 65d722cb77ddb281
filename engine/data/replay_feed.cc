#include "engine/data/replay_feed.h"

#include <algorithm>
#include <utility>
#include <variant>
#include <vector>

#include "base/strings.h"
#include "engine/data/journal_repairs.h"

namespace az {

ReplayFeed::ReplayFeed(const GameOps& game, const JournalIdentity& identity, ReplayWindow& window)
    : game_(game),
      identity_(identity),
      window_(window),
      log_([this](StitchedGame&& stitched) { OnFinished(std::move(stitched)); }) {
  identity_.lane = kAnyLane;
}

Result<void> ReplayFeed::ReadTo(std::span<const JournalExtent> journals, std::uint32_t iteration) {
  window_.Open(iteration);
  if (readers_.empty()) AZ_RETURN_IF_ERROR(ReadToRepairs(journals));
  for (const JournalExtent& journal : journals) {
    AZ_ASSIGN_OR_RETURN(const JournalProgress progress, Read(journal, journal.bytes));
    if (illegal_game_.has_value()) return *illegal_game_;
    if (progress.valid_bytes < journal.bytes) {
      return Error{Errc::kCorrupt,
                   StrCat("read journal ", journal.path.string(), " up to byte ", journal.bytes,
                          ": ", progress.fault.empty() ? "it is shorter" : progress.fault,
                          " (restore the file, or start over with --fresh)")};
    }
  }
  window_.Settle();
  return {};
}

Result<JournalProgress> ReplayFeed::Read(const JournalExtent& journal, std::int64_t limit_bytes) {
  JournalReader& reader = readers_.try_emplace(journal.path, journal.path, identity_).first->second;
  const auto sink = [this](JournalRecord&& record) {
    const GameId id = std::visit([](const auto& known) { return known.id; }, record);
    if (id.kind() == GameKind::kSelfPlay) log_.Add(std::move(record));
  };
  return reader.ReadNew(sink, limit_bytes);
}

// What is wrong with a journal's bytes is told where they are read to their extent.
Result<void> ReplayFeed::ReadToRepairs(std::span<const JournalExtent> journals) {
  if (journals.empty()) return {};
  AZ_ASSIGN_OR_RETURN(const std::vector<JournalPoint> repairs,
                      ReadRepairs(journals.front().path.parent_path()));
  return ReadRepaired(repairs, log_, [&](const JournalPoint& point) -> Result<void> {
    for (const JournalExtent& journal : journals) {
      AZ_RETURN_IF_ERROR(Read(journal, std::min(journal.bytes, BytesAt(point, journal.path))));
    }
    return {};
  });
}

void ReplayFeed::OnFinished(StitchedGame&& stitched) {
  if (!stitched.game.outcome.has_value()) {
    ++counts_.failed_games;
    return;
  }
  if (stitched.conflicted) {
    ++counts_.conflicted_games;
    return;
  }
  Result<PlyNotes> checked = CheckGame(game_, stitched.game, window_.options());
  if (!checked) {
    if (!illegal_game_.has_value()) illegal_game_ = std::move(checked).error();
    return;
  }
  ++counts_.games;
  window_.Add(stitched.game, std::move(checked).value());
}

}  // namespace az
