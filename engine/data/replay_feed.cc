#include "engine/data/replay_feed.h"

#include <utility>
#include <variant>

#include "base/strings.h"

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
  const auto sink = [this](JournalRecord&& record) {
    const GameId id = std::visit([](const auto& known) { return known.id; }, record);
    if (id.kind() == GameKind::kSelfPlay) log_.Add(std::move(record));
  };
  for (const JournalExtent& journal : journals) {
    JournalReader& reader =
        readers_.try_emplace(journal.path, journal.path, identity_).first->second;
    AZ_ASSIGN_OR_RETURN(const JournalProgress progress, reader.ReadNew(sink, journal.bytes));
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
