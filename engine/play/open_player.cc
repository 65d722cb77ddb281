#include "engine/play/open_player.h"

#include <algorithm>
#include <utility>

#include "base/clock.h"
#include "base/files.h"
#include "base/strings.h"
#include "engine/config/config_printer.h"
#include "engine/config/config_reader.h"
#include "engine/config/plan_request.h"
#include "engine/config/visits_schedule.h"
#include "engine/play/plain_thinkers.h"
#include "engine/play/search_thinker.h"
#include "games/registry.h"

namespace az {
namespace {

constexpr int kRolloutSimulations = 1000;
// The simulations for which a plan counts a thinker's tree. Longer searches are rare, and there is
// only one at a time.
constexpr int kPlannedVisits = 10'000;

Result<RunConfig> ConfigOf(const PlayerSource& source, const std::vector<std::string>& sets) {
  std::string yaml = ToYaml(RunConfig{});
  std::filesystem::path path = "default config";
  if (!source.run.empty()) {
    path = source.run / "config.yaml";
    AZ_ASSIGN_OR_RETURN(yaml, ReadFile(path));
  }
  AZ_ASSIGN_OR_RETURN(LoadedConfig loaded, ReadConfigText(yaml, path, WithoutVisitsSchedule(sets)));
  RunConfig& config = loaded.config;
  config.game = {.name = source.game->info().entry, .board_size = std::nullopt};
  const Auto<Precision> precision = config.net.precision;
  config.net = NetOptionsFor(source.info.shape);
  config.net.precision = precision;
  return std::move(config);
}

Result<const GameOps*> GameOf(const PlayerRequest& request, const ResolvedPlayer& player) {
  if (!request.game.empty()) return FindGame(request.game, request.board_size);
  if (!player.source) {
    return Error{Errc::kInvalid,
                 StrCat("player '", request.player, "' plays any game: say which (game, --game)")};
  }
  const GameInfo& own = player.source->game->info();
  if (request.board_size == 0 || request.board_size == own.board_size) return player.source->game;
  return FindGame(own.family, request.board_size);
}

Result<std::unique_ptr<PlayService>> StartService(const ResolvedPlayer& player, RunConfig config,
                                                  const PlayEnvironment& environment) {
  config.search.visits = std::min(player.search.visits, kPlannedVisits);
  return PlayService::Start({.config = std::move(config),
                             .weights = player.source->load_path(),
                             .programs = environment.programs,
                             .on_signal = environment.on_signal});
}

// The player's search options within what was planned.
SearchOptions Planned(const ResolvedPlayer& player, const PlayService& service) {
  SearchOptions options = player.search.options;
  options.visits = std::min(player.search.visits, kMostSimulations);
  options.cache = service.planned().plan.cache;
  return options;
}

// A thinker that owns its processes and knows the limits of its player.
class PlayersThinker final : public Thinker {
 public:
  PlayersThinker(const PlayerSettings& settings, std::unique_ptr<PlayService> service)
      : settings_(settings), service_(std::move(service)) {}
  void Set(std::unique_ptr<Thinker> thinker) { thinker_ = std::move(thinker); }
  const Clock& clock() const { return clock_; }
  PlayService* service() { return service_.get(); }

  Result<void> NewGame(const StartOptions& start) override { return thinker_->NewGame(start); }
  Result<Thought> Think(std::span<const Action> moves, const ThinkLimits& limits,
                        const OnProgress& on_progress) override {
    ThinkLimits own = limits;
    if (settings_.seconds && !own.simulations && !own.time) {
      own.time = DurationOf(*settings_.seconds);
    }
    if (settings_.is_timed() && settings_.sims && !own.simulations) {
      own.simulations = *settings_.sims;  // the search ends at the first limit
    }
    return thinker_->Think(moves, own, on_progress);
  }
  Result<void> Idle() override { return service_ ? service_->Idle() : Result<void>(); }

 private:
  const SteadyClock clock_;
  const PlayerSettings settings_;
  std::unique_ptr<PlayService> service_;  // nullable
  std::unique_ptr<Thinker> thinker_;      // uses the members above
};

Result<std::unique_ptr<Thinker>> PlainThinker(const ResolvedPlayer& player, std::uint64_t seed,
                                              const Clock& clock) {
  switch (player.spec.kind) {
    case PlayerKind::kRandom:
      return MakeRandomThinker(*player.game, seed);
    case PlayerKind::kMcts:
      return MakeRolloutThinker(*player.game, {.simulations = player.search.visits, .seed = seed},
                                clock);
    case PlayerKind::kSolver:
      return MakeSolverThinker(*player.game);
    case PlayerKind::kCheckpoint:
    case PlayerKind::kGtp:
      break;
  }
  return Error{Errc::kInvalid, StrCat("player '", player.spec.text, "' needs a process")};
}

}  // namespace

Result<void> CheckTime(const PlayerSpec& spec, TimeKept kept) {
  const bool has_clock = !spec.settings.clock.empty();
  if (kept == TimeKept::kNone && spec.settings.is_timed()) {
    return Error{Errc::kInvalid,
                 StrCat("player '", spec.text, "': an analysis does not think by time (",
                        has_clock ? "clock" : "seconds",
                        "), so that the same request has the same answer: say how many "
                        "simulations instead (sims)")};
  }
  if (kept == TimeKept::kSeconds && has_clock) {
    return Error{Errc::kInvalid,
                 StrCat("player '", spec.text,
                        "': nobody keeps a game clock at the terminal (clock): give it a time a "
                        "move instead (seconds), or play through GTP (az_play gtp)")};
  }
  return {};
}

Result<ResolvedPlayer> ResolvePlayer(const PlayerRequest& request,
                                     const PlayEnvironment& environment) {
  if (request.player.empty()) {
    return Error{Errc::kInvalid, "no player is given (player, --player)"};
  }
  ResolvedPlayer player;
  AZ_ASSIGN_OR_RETURN(player.spec, ParsePlayer(request.player));
  if (player.spec.kind == PlayerKind::kGtp) {
    return Error{Errc::kInvalid, StrCat("player '", request.player,
                                        "' is a program of its own that says nothing but its "
                                        "move: it plays in az_arena")};
  }
  AZ_RETURN_IF_ERROR(CheckTime(player.spec, environment.time));
  if (player.spec.kind == PlayerKind::kCheckpoint) {
    AZ_ASSIGN_OR_RETURN(player.source, FindPlayer(player.spec));
  }
  AZ_ASSIGN_OR_RETURN(player.game, GameOf(request, player));
  if (!player.source) {
    AZ_RETURN_IF_ERROR(CheckPlayerFor(player.spec, player.game->info()));
    player.search.visits =
        std::min(player.spec.settings.sims.value_or(kRolloutSimulations), kMostSimulations);
    return player;
  }
  AZ_RETURN_IF_ERROR(CheckPlayerFor(player.spec, *player.source, player.game->info()));
  AZ_ASSIGN_OR_RETURN(player.config, ConfigOf(*player.source, environment.sets));
  const SearchOptions& search = player.config.search;
  Result<PlayerSearch> own =
      SearchFor(player.spec.settings, search, player.config.arena.visits.value_or(search.visits));
  if (!own) return WithContext(StrCat("player '", request.player, "'"), own.error());
  player.search = *std::move(own);
  return player;
}

Result<std::unique_ptr<Thinker>> OpenThinker(const ResolvedPlayer& player,
                                             const PlayEnvironment& environment) {
  std::unique_ptr<PlayService> service;
  if (player.source) {
    RunConfig config = player.config;
    config.self_play.slots = 1;
    AZ_ASSIGN_OR_RETURN(service, StartService(player, std::move(config), environment));
  }
  auto thinker = std::make_unique<PlayersThinker>(player.spec.settings, std::move(service));
  if (PlayService* const served = thinker->service()) {
    thinker->Set(MakeSearchThinker(*player.game, {.search = Planned(player, *served),
                                                  .temperature = player.spec.settings.temperature,
                                                  .version = PlayService::kVersion,
                                                  .evaluator = served->evaluator(),
                                                  .clock = thinker->clock()}));
  } else {
    AZ_ASSIGN_OR_RETURN(std::unique_ptr<Thinker> plain,
                        PlainThinker(player, environment.seed, thinker->clock()));
    thinker->Set(std::move(plain));
  }
  return std::unique_ptr<Thinker>(std::move(thinker));
}

Result<OpenedPool> OpenPoolOf(const ResolvedPlayer& player, const PlayEnvironment& environment) {
  OpenedPool opened;
  if (!player.source) {
    AZ_ASSIGN_OR_RETURN(std::unique_ptr<Thinker> thinker, OpenThinker(player, environment));
    opened.pool = MakeThinkerPool(std::move(thinker));
    return opened;
  }
  AZ_ASSIGN_OR_RETURN(opened.service, StartService(player, player.config, environment));
  opened.pool = MakeSearchPool(*player.game, {.search = Planned(player, *opened.service),
                                              .version = PlayService::kVersion,
                                              .slots = opened.service->planned().plan.slots,
                                              .evaluator = opened.service->evaluator(),
                                              .clock = opened.service->clock()});
  return opened;
}

}  // namespace az
