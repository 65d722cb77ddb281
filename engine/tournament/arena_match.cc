#include "engine/tournament/arena_match.h"

#include <algorithm>
#include <utility>

#include "base/strings.h"
#include "engine/process/player_message.h"

namespace az {
namespace {

std::string Cut(std::string line, int width) {
  if (static_cast<int>(line.size()) > width) line.resize(static_cast<std::size_t>(width));
  return line;
}

}  // namespace

std::array<PlayerMessage, 2> PlayersOf(const ArenaSetup& setup, const Meet& meet) {
  return {MessageFor(setup.players[meet.a].spec, 0), MessageFor(setup.players[meet.b].spec, 1)};
}

Result<void> ArenaMatch::LoadPlayers(const Meet& meet) {
  const std::array<std::size_t, 2> players = {meet.a, meet.b};
  // The previous match's networks are still loaded, and no phase has memory for a third one.
  for (int slot = 0; slot < 2; ++slot) o_.fleet.Unload(slot);
  for (int slot = 0; slot < 2; ++slot) {
    const auto& source = o_.setup.players[players[static_cast<std::size_t>(slot)]].source;
    if (!source) continue;
    // Every match has versions of its own, so that no cached answer of an earlier network is used.
    const std::uint64_t version = 2 * std::uint64_t{o_.number} + static_cast<unsigned>(slot) + 1;
    AZ_RETURN_IF_ERROR(o_.governor.Load(slot, source->load_path(), version));
  }
  return {};
}

Result<void> ArenaMatch::Play(PlayedMatch& match) {
  const auto& players = o_.setup.players;
  names_ = StrCat(players[match.meet.a].spec.text, " against ", players[match.meet.b].spec.text);
  games_ = match.asked;
  AZ_RETURN_IF_ERROR(LoadPlayers(match.meet));
  o_.governor.BeginPhase(PlanPhase::kArena, "match", o_.number);
  started_ = o_.clock.Now();
  meter_.Start(started_, o_.fleet.Totals());
  MatchSpec spec;
  spec.kind = GameKind::kMatch;
  spec.match = o_.number;
  spec.games = static_cast<std::uint32_t>(match.asked);
  spec.players = PlayersOf(o_.setup, match.meet);
  spec.opening = [&](std::uint32_t pair) { return o_.setup.openings.Opening(pair); };
  const std::int64_t before = match.report.finished() + match.uncounted;
  spec.on_game = [&](const MatchCount& count) {
    report_ = count.report();
    ended_ = count.ended();
    played_ = ended_ - before;
  };
  spec.order = OrderFor(o_.setup.sprt);
  spec.is_decided = [&](const MatchReport& report) {
    match.stopped = Stops(o_.setup.sprt, report);
    return match.stopped.has_value();
  };
  MatchEnd end;
  AZ_RETURN_IF_ERROR(o_.governor.Play([&]() -> Result<void> {
    spec.workers = o_.governor.plan().arena_workers;
    AZ_ASSIGN_OR_RETURN(end, RunMatch(o_.fleet, spec));
    return {};
  }));
  match.report = std::move(end.report);
  match.uncounted = end.uncounted;
  started_ = TimePoint{};
  AZ_RETURN_IF_ERROR(o_.governor.EndPhase());
  if (o_.count > 1) {
    o_.display.Say(StrCat("match ", o_.number + 1, " of ", o_.count, ": ", names_, " ",
                          ScoreLine(match.report, o_.setup.sprt)));
  }
  return {};
}

void ArenaMatch::Show() {
  if (started_ == TimePoint{} || !o_.display.IsDue()) return;
  const TimePoint now = o_.clock.Now();
  const FleetTotals totals = o_.fleet.Totals();
  const RateMeter::Rates rates = meter_.Sample(now, totals);
  const double seconds = std::max(1e-3, Seconds(now - started_));
  const double per_s = static_cast<double>(played_) / seconds;
  std::string done = StrCat(ended_, "/", games_, " games, ", Fixed(per_s, 1), "/s");
  if (o_.count > 1) done = StrCat("match ", o_.number + 1, " of ", o_.count, ", ", done);
  if (played_ > 0) {
    const auto left = static_cast<double>(games_ - ended_);
    done += StrCat(", about ", FormatDuration(left / per_s), " left");
  }
  const std::string work =
      StrCat(FormatCount(rates.evaluations_per_s), " evaluations/s, batch ",
             Fixed(rates.mean_batch_rows, 1), ", memory ", FormatBytes(totals.memory));
  const std::string score = ScoreLine(report_, o_.setup.sprt);
  const int width = o_.display.width();
  o_.display.Draw({Cut(names_, width), Cut(score, width), Cut(StrCat(done, "; ", work), width)},
                  StrCat(done, ": ", score));
}

}  // namespace az
