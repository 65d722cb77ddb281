#include "engine/tournament/arena_run.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <memory>
#include <system_error>
#include <utility>

#include "base/clock.h"
#include "base/exit_codes.h"
#include "base/log.h"
#include "base/standard_output.h"
#include "base/strings.h"
#include "engine/data/journal.h"
#include "engine/fleet/process_fleet.h"
#include "engine/ipc/run_id.h"
#include "engine/memory/governor.h"
#include "engine/memory/lesson_keeper.h"
#include "engine/memory/plan_run.h"
#include "engine/records/recorded_games.h"
#include "engine/run/metrics.h"
#include "engine/run/run_dir.h"
#include "engine/tournament/arena_faults.h"
#include "engine/tournament/arena_games.h"
#include "engine/tournament/arena_match.h"
#include "engine/tournament/arena_programs.h"

namespace az {
namespace {

constexpr int kSignalExit = 128;
constexpr std::string_view kOtherOut = "choose another --out";

// The folder of a tournament: a run directory with arena.json beside state.json.
struct Session {
  RunDir dir;
  UniqueFd log_fd;
  MetricsFile metrics;
};

bool HoldsNetworks(const std::filesystem::path& folder) {
  std::error_code code;
  const std::filesystem::directory_iterator first(folder / "checkpoints", code);
  return !code && first != std::filesystem::directory_iterator();
}

// Whether workers have written games there: a journal then holds more than its header.
bool HoldsGames(const std::filesystem::path& folder) {
  std::error_code code;
  for (const auto& entry : std::filesystem::directory_iterator(folder / "journal", code)) {
    std::error_code unknown;
    if (entry.path().extension() == ".journal" && entry.file_size(unknown) > kJournalHeaderBytes) {
      return true;
    }
  }
  return false;
}

Result<Session> OpenSession(ArenaSetup& setup) {
  const std::filesystem::path folder = setup.config.run.dir;
  // This comes before the configs are compared, as it says what differs in words of the command
  // line.
  AZ_ASSIGN_OR_RETURN(const std::optional<ArenaIdentity> before, ReadArenaIdentity(folder));
  if (before) AZ_RETURN_IF_ERROR(CheckGoesOn(*before, setup.identity, folder.string()));
  if (!before && HoldsNetworks(folder)) {
    return Error{Errc::kInvalid,
                 StrCat(folder.string(), " is a training run's (choose another ", "--out)")};
  }
  if (!before && HoldsGames(folder)) {
    return Error{Errc::kIncompatible,
                 StrCat(folder.string(), " holds games, but ", kArenaFile,
                        ", which says whose they are, is missing (restore it from a copy, or ",
                        "choose another --out)")};
  }
  AZ_ASSIGN_OR_RETURN(RunDir dir,
                      RunDir::Open(setup.config, RunDir::Mode::kResume,
                                   {.other_folder = kOtherOut, .start_over = kOtherOut}));
  // Checks again, now under the folder's lock.
  AZ_ASSIGN_OR_RETURN(const std::optional<ArenaIdentity> saved, ReadArenaIdentity(folder));
  if (saved) {
    AZ_RETURN_IF_ERROR(CheckGoesOn(*saved, setup.identity, folder.string()));
    setup.identity.stopped = saved->stopped;
  }
  AZ_RETURN_IF_ERROR(WriteFileAtomic(folder / kArenaFile, ToJson(setup.identity)));
  UniqueFd log_fd(::open(dir.log().c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644));
  if (!log_fd.valid()) return SystemError(StrCat("open ", dir.log().string()), errno);
  AZ_ASSIGN_OR_RETURN(MetricsFile metrics, MetricsFile::Open(dir.metrics()));
  return Session{std::move(dir), std::move(log_fd), std::move(metrics)};
}

MatchCount CountOf(const ArenaSetup& setup, const std::vector<FinishedGame>& games,
                   Replays replays) {
  MatchCount count(
      OrderFor(setup.sprt),
      [&setup](const MatchReport& report) { return Stops(setup.sprt, report).has_value(); },
      replays);
  for (const FinishedGame& game : games) {
    if (game.id.index() < setup.identity.games) count.Add(ToMatchGame(game));
  }
  return count;
}

// The error when the test had stopped a match but its games no longer show that: some are lost.
Error LostGames(const RunDir& dir, std::uint32_t match, const MatchCount& count) {
  std::string damage;
  const Result<RecordedGames> read =
      ReadRecordedGames(dir.path(), {.kind = GameKind::kMatch, .iteration = match, .last = {}});
  if (!read) damage = read.error().message;
  if (read) damage = Join(read->notes, "; ");
  if (damage.empty()) damage = StrCat("games are missing in ", dir.journal().string());
  return {Errc::kCorrupt, StrCat("match ", match + 1, " of ", dir.path().string(),
                                 " was stopped by the test, but the ", count.ended(),
                                 " games that can be read do not decide it: ", damage,
                                 " (restore the journals from a copy, or choose another --out)")};
}

// Adds every game of `matches` that the folder's journals hold. Fails with kCorrupt when a match
// was stopped by games that they no longer hold.
Result<void> AddPlayed(const ArenaSetup& setup, const RunDir& dir,
                       std::vector<PlayedMatch>& matches) {
  AZ_ASSIGN_OR_RETURN(const RunId run_id, ParseRunId(dir.state().run_id));
  const GameInfo& game = setup.game->info();
  const JournalIdentity identity{
      .run_id = run_id.bytes, .game_hash = game.Hash(), .entry = game.entry};
  AZ_ASSIGN_OR_RETURN(const std::unique_ptr<LaneJournals> journals,
                      LaneJournals::Open(dir.journal(), identity, 0));
  for (std::size_t number = 0; number < matches.size(); ++number) {
    const auto match = static_cast<std::uint32_t>(number);
    const std::vector<FinishedGame> games = journals->Finished(GameKind::kMatch, match);
    PlayedMatch& played = matches[number];
    const MatchCount count = CountOf(setup, games, ReplaysOf(PlayersOf(setup, played.meet)));
    if (setup.identity.stopped.contains(match) && !count.is_decided() &&
        !CountOf(setup, games, Replays::kCount).is_decided()) {
      return LostGames(dir, match, count);
    }
    played.report = count.report();
    played.uncounted = count.uncounted();
    // The games decide, not arena.json: builds that took replays for evidence stopped too early,
    // and such a match continues.
    played.stopped = Stops(setup.sprt, count.report());
  }
  return {};
}

class ArenaRun {
 public:
  ArenaRun(const ArenaRequest& request, const ArenaRunOptions& options)
      : request_(request),
        options_(options),
        display_(options.json ? STDERR_FILENO : STDOUT_FILENO, options.style, options.colour,
                 clock_) {}

  int Run() {
    const Result<void> run = RunAll();
    if (run) return has_faults_ ? static_cast<int>(ExitCode::kForfeits) : 0;
    if (run.error().code == Errc::kStopped && signal_ != 0) {
      display_.Tell(StrCat("stopped: the games are kept in ", setup_->config.run.dir,
                           "; the same command goes on"));
      return kSignalExit + signal_;
    }
    display_.Clear();
    return Complain("az_arena", run.error());
  }

 private:
  Result<void> RunAll() {
    AZ_ASSIGN_OR_RETURN(ArenaSetup setup, SetUpArena(request_));
    setup_.emplace(std::move(setup));
    AZ_ASSIGN_OR_RETURN(PlannedRun planned,
                        PlanRun(setup_->config, options_.programs, setup_->needs));
    setup_->config.engine.device = planned.engine_device;
    // This comes before a folder is made, or before the first new game in one that exists.
    std::error_code ignored;
    const bool is_new = !std::filesystem::exists(
        std::filesystem::path(setup_->config.run.dir) / kArenaFile, ignored);
    if (is_new) AZ_RETURN_IF_ERROR(CheckPrograms(*setup_, clock_));
    AZ_ASSIGN_OR_RETURN(Session session, OpenSession(*setup_));
    const std::string learned =
        PlanWithLearned(session.dir.plan(), session.dir.state().memory, planned);
    SayWhat(session.dir, planned);
    if (!learned.empty()) display_.Say(learned);
    std::vector<PlayedMatch> matches = NewMatches();
    AZ_RETURN_IF_ERROR(AddPlayed(*setup_, session.dir, matches));
    std::vector<std::size_t> missing;
    for (std::size_t i = 0; i < matches.size(); ++i) {
      if (!matches[i].stopped && matches[i].report.finished() < setup_->identity.games) {
        missing.push_back(i);
      }
    }
    if (!missing.empty()) {
      if (!is_new) AZ_RETURN_IF_ERROR(CheckPrograms(*setup_, clock_));
      AZ_RETURN_IF_ERROR(Play(planned, session, missing, matches));
    }
    return Tell(session.dir, std::move(matches));
  }

  std::vector<PlayedMatch> NewMatches() const {
    std::vector<PlayedMatch> matches;
    for (const Meet& meet : MeetsOf(request_.format, setup_->players.size())) {
      matches.push_back({.meet = meet,
                         .asked = setup_->identity.games,
                         .report = {},
                         .uncounted = 0,
                         .stopped = {}});
    }
    return matches;
  }

  void SayWhat(const RunDir& dir, const PlannedRun& planned) {
    const Plan& plan = planned.plan;
    display_.Say(StrCat(dir.is_new() ? "new tournament in " : "going on with ", dir.path().string(),
                        ": ", setup_->game->info().entry, ", openings ",
                        setup_->identity.openings));
    display_.Say(StrCat(
        "plan: ", plan.arena_workers, " workers x ", plan.slots, " games",
        setup_->has_network
            ? StrCat(", ", plan.runners, " inference runner(s) up to batch ", plan.buckets.back(),
                     " in ", EnumName(plan.inference_precision), ", two networks")
            : std::string(", no network"),
        ", memory budget ", FormatBytes(plan.ram_budget)));
    for (const Reason& reason : plan.reasons) {
      if (reason.kind == ReasonKind::kFallback) display_.Say(StrCat("plan: ", reason.text));
    }
  }

  Result<void> Play(const PlannedRun& planned, Session& session,
                    const std::vector<std::size_t>& missing, std::vector<PlayedMatch>& matches) {
    const Log log(session.log_fd.get(), "arena");
    log.Info(StrCat("event=start workers=", planned.plan.arena_workers,
                    " slots=", planned.plan.slots, " matches=", missing.size()));
    LessonKeeper lessons(
        session.dir.state().memory, [&session] { return session.dir.SaveState(); }, clock_, log);
    Governor* governor_for_ticks = nullptr;
    ArenaMatch* match_for_ticks = nullptr;
    FleetSetup fleet_setup{.config = setup_->config,
                           .plan = planned.plan,
                           .game = *setup_->game,
                           .clock = clock_,
                           .log = log,
                           .run_dir = std::filesystem::absolute(session.dir.path()),
                           .run_id = session.dir.state().run_id,
                           .trained_on = {},
                           .programs = options_.programs,
                           .with_device = setup_->has_network,
                           .other_networks = !setup_->needs.nets.empty(),
                           .log_fd = session.log_fd.get(),
                           .on_tick =
                               [&] {
                                 if (governor_for_ticks != nullptr) governor_for_ticks->Tick();
                                 if (match_for_ticks != nullptr) match_for_ticks->Show();
                                 lessons.Tick();
                               },
                           .on_signal = [this](int number) { signal_ = number; },
                           .warn =
                               [](const std::string& text) {
                                 std::fprintf(stderr, "az_arena: warning: %s\n", text.c_str());
                               }};
    AZ_ASSIGN_OR_RETURN(const std::unique_ptr<ProcessFleet> fleet,
                        ProcessFleet::Start(std::move(fleet_setup)));
    Governor governor({.input = planned.input,
                       .plan = planned.plan,
                       .fleet = *fleet,
                       .metrics = session.metrics,
                       .display = display_,
                       .clock = clock_,
                       .log = log,
                       .state = session.dir.state().memory,
                       .plan_file = session.dir.plan(),
                       .with_device = setup_->has_network});
    governor_for_ticks = &governor;
    const Result<void> played =
        PlayMatches(session, missing, *fleet, governor, match_for_ticks, matches);
    lessons.Keep();
    return played;
  }

  Result<void> PlayMatches(Session& session, const std::vector<std::size_t>& missing,
                           ProcessFleet& fleet, Governor& governor, ArenaMatch*& match_for_ticks,
                           std::vector<PlayedMatch>& matches) {
    AZ_RETURN_IF_ERROR(governor.Start());
    AZ_RETURN_IF_ERROR(governor.Prepare(PlanPhase::kArena));
    for (const std::size_t number : missing) {
      ArenaMatch match({.setup = *setup_,
                        .number = static_cast<std::uint32_t>(number),
                        .count = matches.size(),
                        .fleet = fleet,
                        .governor = governor,
                        .display = display_,
                        .clock = clock_});
      match_for_ticks = &match;
      const Result<void> played = match.Play(matches[number]);
      match_for_ticks = nullptr;
      AZ_RETURN_IF_ERROR(played);
      AZ_RETURN_IF_ERROR(KeepVerdict(session.dir, number, matches[number]));
      AZ_RETURN_IF_ERROR(governor.EndIteration(Bytes()));  // for memory a match is an iteration
    }
    return {};
  }

  // Notes that the test ended a match: it stays ended, whatever the games then in flight show.
  Result<void> KeepVerdict(const RunDir& dir, std::size_t number, const PlayedMatch& match) {
    if (!match.stopped) return {};
    setup_->identity.stopped[static_cast<std::uint32_t>(number)] = EnumName(*match.stopped);
    return WriteFileAtomic(dir.path() / kArenaFile, ToJson(setup_->identity));
  }

  Result<void> Tell(const RunDir& dir, std::vector<PlayedMatch> matches) {
    const std::vector<std::string> faults = FaultsOf(setup_->players, matches);
    has_faults_ = !faults.empty();
    TournamentResults results{.game = setup_->game,
                              .players = {},
                              .format = request_.format,
                              .openings = setup_->identity.openings,
                              .sprt = setup_->sprt,
                              .matches = std::move(matches)};
    for (const ArenaPlayer& player : setup_->players) results.players.push_back(player.spec.text);
    const std::string json = ResultJson(results) + "\n";
    AZ_RETURN_IF_ERROR(WriteFileAtomic(dir.path() / "result.json", json));
    AZ_RETURN_IF_ERROR(WriteFileAtomic(dir.path() / "result.csv", ResultCsv(results)));
    AZ_RETURN_IF_ERROR(WriteArenaGames(dir.path()));
    display_.Clear();
    AZ_RETURN_IF_ERROR(
        PrintOut(options_.json ? json
                               : StrCat(ResultTable(results),
                                        "results: ", (dir.path() / "result.json").string(), "\n")));
    for (const std::string& fault : faults) std::fprintf(stderr, "az_arena: %s\n", fault.c_str());
    return {};
  }

  const ArenaRequest& request_;
  const ArenaRunOptions& options_;
  const SteadyClock clock_;
  Display display_;
  std::optional<ArenaSetup> setup_;
  int signal_ = 0;
  bool has_faults_ = false;
};

}  // namespace

int RunArena(const ArenaRequest& request, const ArenaRunOptions& options) {
  return ArenaRun(request, options).Run();
}

}  // namespace az
