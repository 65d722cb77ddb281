#include "engine/tournament/arena_setup.h"

#include <algorithm>
#include <array>
#include <set>
#include <span>
#include <utility>

#include "base/crc32c.h"
#include "base/files.h"
#include "base/hash.h"
#include "base/readable.h"
#include "base/strings.h"
#include "engine/config/config_reader.h"
#include "engine/config/machine.h"
#include "engine/config/option_table.h"
#include "engine/config/plan_request.h"
#include "engine/config/visits_schedule.h"
#include "games/registry.h"
#include "mcts/node_bytes.h"
#include "scheduler/footprint.h"

namespace az {
namespace {

constexpr std::int64_t kMostGames = 1'000'000;
constexpr std::size_t kMostPlayers = 64;
constexpr int kMostVisits = 1'000'000;  // the limit of arena.visits

// Gives a player without a limit of its own the limits of the request.
void UseDefaults(const ArenaRequest& request, PlayerSpec& spec) {
  if (spec.kind != PlayerKind::kCheckpoint && spec.kind != PlayerKind::kMcts) return;
  if (spec.settings.sims || spec.settings.is_timed()) return;
  if (request.sims > 0) spec.settings.sims = request.sims;
  if (request.seconds > 0) spec.settings.seconds = request.seconds;
}

Result<std::vector<ArenaPlayer>> FindPlayers(const ArenaRequest& request) {
  if (request.players.size() < 2 || request.players.size() > kMostPlayers) {
    return Error{Errc::kInvalid, StrCat("a tournament has 2 to ", kMostPlayers, " players, not ",
                                        request.players.size())};
  }
  std::vector<ArenaPlayer> players;
  std::set<std::string> seen;
  for (const std::string& text : request.players) {
    ArenaPlayer player;
    AZ_ASSIGN_OR_RETURN(player.spec, ParsePlayer(text));
    UseDefaults(request, player.spec);
    if (request.players.size() > 2 && !seen.insert(ToString(player.spec)).second) {
      return Error{Errc::kInvalid, StrCat("player ", text, " takes part twice")};
    }
    if (player.spec.kind == PlayerKind::kCheckpoint) {
      AZ_ASSIGN_OR_RETURN(player.source, FindPlayer(player.spec));
    }
    players.push_back(std::move(player));
  }
  return players;
}

// The keys of a config that az_arena reads beside search, engine and memory.
constexpr std::array<std::string_view, 7> kKeysRead = {
    "net.precision", "num_workers",  "self_play.slots",  "arena.mode",
    "arena.models",  "arena.visits", "arena.num_workers"};
// The keys that the command line has an option for.
constexpr std::array<std::pair<std::string_view, std::string_view>, 7> kOptionFor = {
    {{"game.name", "--game"},
     {"game.board_size", "--board-size"},
     {"arena.games", "--games"},
     {"arena.opening_plies", "--openings"},
     {"run.seed", "--seed"},
     {"run.dir", "--out"},
     {"run.name", "--out"}}};

bool IsRead(std::string_view key, bool game_is_configs) {
  if (key.starts_with("search.") || key.starts_with("engine.") || key.starts_with("memory.")) {
    return true;
  }
  if (game_is_configs && key.starts_with("game.")) return true;
  return std::ranges::find(kKeysRead, key) != kKeysRead.end();
}

// Checks that every --set has an effect. REQUIRES: the config reader accepted them.
Result<void> CheckSets(const ArenaRequest& request, const std::vector<ArenaPlayer>& players) {
  const bool has_source =
      std::ranges::any_of(players, [](const ArenaPlayer& p) { return p.source.has_value(); });
  const bool game_is_configs = request.game.empty() && !request.config.empty() && !has_source;
  const std::string known = Join({kKeysRead.begin(), kKeysRead.end()}, ", ");
  for (const std::string& set : request.sets) {
    const std::string_view key = Trim(std::string_view(set).substr(0, set.find('=')));
    if (IsRead(key, game_is_configs)) continue;
    const auto* option = std::ranges::find(kOptionFor, key, [](const auto& o) { return o.first; });
    return Error{Errc::kInvalid,
                 StrCat("--set ", Shown(set), ": ", key, " does nothing in az_arena (",
                        option != kOptionFor.end()
                            ? StrCat("give ", option->second)
                            : StrCat("it reads search.*, engine.*, memory.*, ", known),
                        ")")};
  }
  return {};
}

// The config that the command names; without one, a config with the search of the first run among
// the players.
Result<RunConfig> BaseConfig(const ArenaRequest& request, const std::vector<ArenaPlayer>& players) {
  if (!request.config.empty()) {
    AZ_ASSIGN_OR_RETURN(const LoadedConfig loaded,
                        LoadConfig(request.config, WithoutVisitsSchedule(request.sets)));
    return loaded.config;
  }
  AZ_ASSIGN_OR_RETURN(LoadedConfig base, ReadConfigText("", "no config", request.sets));
  for (const ArenaPlayer& player : players) {
    if (!player.source || player.source->run.empty()) continue;
    const std::filesystem::path file = player.source->run / "config.yaml";
    AZ_ASSIGN_OR_RETURN(const std::string text, ReadFile(file));
    AZ_ASSIGN_OR_RETURN(const LoadedConfig run,
                        ReadConfigText(text, file, WithoutVisitsSchedule(request.sets)));
    base.config.search = run.config.search;
    base.config.arena.visits = run.config.arena.visits;
    break;
  }
  return base.config;
}

Result<const GameOps*> FindTheGame(const ArenaRequest& request, const RunConfig& base,
                                   const std::vector<ArenaPlayer>& players) {
  if (!request.game.empty()) return FindGame(request.game, request.board_size);
  for (const ArenaPlayer& player : players) {
    if (!player.source) continue;
    const GameInfo& own = player.source->game->info();
    if (request.board_size == 0 || request.board_size == own.board_size) return player.source->game;
    return FindGame(own.family, request.board_size);
  }
  if (request.config.empty()) {
    return Error{Errc::kInvalid,
                 "none of the players says which game: --game hex --board-size 5, or --config"};
  }
  return FindGame(base.game.name,
                  request.board_size > 0 ? request.board_size : base.game.board_size.value_or(0));
}

// Checks that each network's settings fit the search that they modify.
Result<void> CheckSearches(const std::vector<ArenaPlayer>& players, const SearchOptions& search) {
  for (const ArenaPlayer& player : players) {
    if (!player.source) continue;
    Result<PlayerSearch> own = SearchFor(player.spec.settings, search, search.visits);
    if (own) continue;
    return WithContext(StrCat("player '", player.spec.text, "'"), std::move(own).error());
  }
  return {};
}

// The networks of the players that have one, the one with the most parameters first.
std::vector<NetShape> NetsOf(const std::vector<ArenaPlayer>& players) {
  std::vector<NetShape> nets;
  for (const ArenaPlayer& player : players) {
    if (player.source) nets.push_back(player.source->info.shape);
  }
  const auto largest = std::ranges::max_element(nets, {}, ParameterCount);
  if (largest != nets.end()) std::iter_swap(nets.begin(), largest);
  return nets;
}

// The network to plan with where no player has one.
NetOptions SmallestNet() {
  return {.num_filters = 1,
          .num_res_blocks = 0,
          .policy_filters = 1,
          .value_filters = 1,
          .value_hidden = 1,
          .precision = {}};
}

// Sets engine.device as --mode asks, or else as arena.mode of the config does.
Result<void> UseMode(const ArenaRequest& request, RunConfig& config) {
  const Auto<ArenaMode>& configured = config.arena.mode;
  const std::string_view mode = !request.mode.empty() ? std::string_view(request.mode)
                                : configured          ? EnumName(*configured)
                                                      : "auto";
  std::string& device = config.engine.device;
  if (mode == "cpu") {
    device = "cpu";
  } else if (mode == "gpu") {
    if (!device.starts_with("cuda")) device = "cuda:0";
  } else if (mode != "auto") {
    return Error{Errc::kInvalid, StrCat("--mode = ", Shown(mode), " is not gpu, cpu or auto")};
  }
  return {};
}

Result<void> UseBudget(const ArenaRequest& request, RunConfig& config) {
  if (request.budget.empty()) return {};
  const Machine machine = ReadMachine("/", GpuIndexOf(config.engine));
  AZ_ASSIGN_OR_RETURN(const DeviceFacts device,
                      ChooseDevice(config.engine, machine, machine.memory_available));
  return SetBudget(request.budget, device.kind, config);
}

// The config that the matches are played with. Options that no match depends on are at their
// default or as small as possible, as nothing is trained. `timed_tree` gets the size of the largest
// tree of a network that plays by time.
Result<RunConfig> MatchConfig(const RunConfig& base, const ArenaRequest& request,
                              const GameInfo& game, const std::vector<ArenaPlayer>& players,
                              Bytes& timed_tree) {
  RunConfig config;
  config.game.name = game.entry;
  config.net.precision = base.net.precision;
  config.search = base.search;
  config.engine = base.engine;
  config.memory = base.memory;
  config.num_workers = base.arena.num_workers ? base.arena.num_workers : base.num_workers;
  if (request.workers > 0) config.num_workers = request.workers;
  config.arena.num_workers = config.num_workers;
  config.arena.models = base.arena.models;
  config.self_play.slots = base.self_play.slots;
  config.self_play.games_per_iteration = 1;
  config.train.batch = 1;
  config.train.accumulate_grad_batches = 1;
  config.train.prefetch = 1;
  config.train.min_positions = config.train.window_start = config.train.window_max = 1;
  config.loop.iterations = 1;
  config.run.name = "arena";
  config.run.seed = request.seed;
  int most_visits = config.search.visits;
  int most_rollouts = 0;
  for (const ArenaPlayer& player : players) {
    int& most = player.spec.kind == PlayerKind::kMcts ? most_rollouts : most_visits;
    const Result<int> billed = BilledVisits(player.spec, config.search, game.num_actions);
    if (!billed) return WithContext(StrCat("player ", player.spec.text), billed.error());
    if (*billed > kMostVisits) {
      return Error{Errc::kInvalid,
                   StrCat("player ", player.spec.text, ": its tree is as large as one of ", *billed,
                          " simulations with the run's options, and ", kMostVisits,
                          " are the most (lower sims, or give its options to all with --set)")};
    }
    if (player.source && player.spec.settings.is_timed()) {
      AZ_ASSIGN_OR_RETURN(const Bytes tree, TreeBytes(player.spec.kind, player.spec.settings,
                                                      config.search, game.num_actions));
      timed_tree = std::max(timed_tree, tree);
    } else {
      most = std::max(most, *billed);
    }
    // A player with a clock gets a worker for itself; a program needs a process per game.
    if (config.self_play.slots) continue;
    if (player.spec.settings.is_timed()) config.self_play.slots = 1;
    if (player.spec.kind == PlayerKind::kGtp) config.self_play.slots = 1;
  }
  config.arena.visits = most_visits;
  // No final matches are played; these values tell the plan about the trees of rollouts.
  config.arena.final_games = most_rollouts > 0 ? 2 : 0;
  config.arena.final_mcts_visits = std::max(1, most_rollouts);
  return config;
}

Result<std::uint32_t> WeightsCrc(const ArenaPlayer& player) {
  if (!player.source) return std::uint32_t{0};
  AZ_ASSIGN_OR_RETURN(const std::string bytes, ReadFile(player.source->weights));
  return Crc32c(std::as_bytes(std::span(bytes)));
}

std::string SprtText(const std::optional<Sprt>& sprt) {
  if (!sprt) return "";
  const SprtOptions& o = sprt->options();
  return StrCat("elo0=", o.elo0, ",elo1=", o.elo1, ",alpha=", o.alpha, ",beta=", o.beta);
}

// A short digest of the options of search.*, which are in config.yaml.
std::string SearchText(RunConfig& config) {
  std::uint64_t hash = 0;
  for (const OptionEntry& option : OptionsOf(config)) {
    if (!option.key.starts_with("search.") || option.key == "search.cache") continue;
    for (const char c : option.get() + ";") hash = HashCombine(hash, static_cast<unsigned char>(c));
  }
  return StrCat("visits ", config.search.visits, ", options ", hash % 1'000'000);
}

Result<ArenaIdentity> IdentityOf(const ArenaRequest& request, ArenaSetup& setup) {
  ArenaIdentity identity;
  identity.game = setup.game->info().entry;
  identity.format = EnumName(request.format);
  for (const ArenaPlayer& player : setup.players) {
    AZ_ASSIGN_OR_RETURN(const std::uint32_t crc, WeightsCrc(player));
    identity.players.push_back({ToString(player.spec), crc});
  }
  identity.openings = setup.openings.identity();
  identity.sprt = SprtText(setup.sprt);
  identity.search = SearchText(setup.config);
  identity.seed = request.seed;
  identity.games = GamesOfMatch(static_cast<std::uint32_t>(request.games));
  return identity;
}

}  // namespace

Result<int> BilledVisits(const PlayerSpec& spec, const SearchOptions& run, int num_actions) {
  AZ_ASSIGN_OR_RETURN(const Bytes tree, TreeBytes(spec.kind, spec.settings, run, num_actions));
  if (tree == Bytes()) return 0;
  const bool is_rollouts = spec.kind == PlayerKind::kMcts;
  const std::int64_t node = is_rollouts ? NodeBytes(Tree::Squares::kNone) : NodeBytes(run);
  // The plan's tree has (simulations + 1) * actions + 1 nodes.
  const std::int64_t expansion = node * num_actions;
  const std::int64_t expansions = (tree.count() - node + expansion - 1) / expansion;
  const int simulations = std::max(1, static_cast<int>(expansions) - 1);
  const bool is_doubled = !is_rollouts && run.MostVisits(1, SearchMode::kPlay) > 1;
  return is_doubled ? (simulations + 1) / 2 : simulations;
}

Result<Sprt> ParseSprt(std::string_view text) {
  SprtOptions options;
  struct Key {
    std::string_view name;
    double* value;
    bool seen = false;
  };
  std::array<Key, 4> keys = {{{"elo0", &options.elo0},
                              {"elo1", &options.elo1},
                              {"alpha", &options.alpha},
                              {"beta", &options.beta}}};
  for (const std::string_view part : Split(text, ',')) {
    if (Trim(part).empty()) continue;
    const std::size_t equals = part.find('=');
    const std::string_view name = Trim(part.substr(0, equals));
    auto* key = std::ranges::find(keys, name, &Key::name);
    double number = 0;
    if (key == keys.end() || key->seen || equals == std::string_view::npos ||
        !ParseDouble(Trim(part.substr(equals + 1)), number)) {
      return Error{Errc::kInvalid,
                   StrCat("--sprt ", text, ": '", part,
                          "' is none of elo0=N, elo1=N, alpha=N, beta=N, each once")};
    }
    key->seen = true;
    *key->value = number;
  }
  // elo0 and elo1 have no defaults here: a test of other hypotheses than were meant is worthless.
  for (const Key& key : {keys[0], keys[1]}) {
    if (key.seen) continue;
    return Error{Errc::kInvalid, StrCat("--sprt ", text, ": ", key.name,
                                        " is missing (elo0=N,elo1=N; alpha and beta are 0.05 ",
                                        "unless they are given)")};
  }
  Result<Sprt> sprt = Sprt::Create(options);
  if (!sprt) return WithContext(StrCat("--sprt ", text), std::move(sprt).error());
  return sprt;
}

Result<ArenaSetup> SetUpArena(const ArenaRequest& request) {
  if (request.games < 1 || request.games > kMostGames) {
    return Error{Errc::kInvalid,
                 StrCat("--games = ", request.games, " is out of range [1, ", kMostGames, "]")};
  }
  std::optional<Sprt> sprt;
  if (!request.sprt.empty()) {
    AZ_ASSIGN_OR_RETURN(sprt, ParseSprt(request.sprt));
  }
  AZ_ASSIGN_OR_RETURN(std::vector<ArenaPlayer> players, FindPlayers(request));
  AZ_ASSIGN_OR_RETURN(RunConfig base, BaseConfig(request, players));
  AZ_RETURN_IF_ERROR(CheckSets(request, players));
  // The limit for players without one of their own, for which messages name none.
  base.search.visits =
      request.sims > 0 ? request.sims : base.arena.visits.value_or(base.search.visits);
  AZ_ASSIGN_OR_RETURN(const GameOps* game, FindTheGame(request, base, players));
  for (const ArenaPlayer& player : players) {
    AZ_RETURN_IF_ERROR(CheckPlayerFor(player.spec, game->info()));
    if (!player.source) continue;
    AZ_RETURN_IF_ERROR(CheckPlayerFor(player.spec, *player.source, game->info()));
  }
  AZ_RETURN_IF_ERROR(CheckSearches(players, base.search));
  std::vector<NetShape> nets = NetsOf(players);
  AZ_RETURN_IF_ERROR(UseMode(request, base));
  MatchNeeds needs{.nets = {}, .alone = true};
  AZ_ASSIGN_OR_RETURN(RunConfig config,
                      MatchConfig(base, request, game->info(), players, needs.timed_tree));
  const Auto<Precision> precision = config.net.precision;
  config.net = nets.empty() ? SmallestNet() : NetOptionsFor(nets.front());
  config.net.precision = precision;
  AZ_RETURN_IF_ERROR(UseBudget(request, config));
  AZ_ASSIGN_OR_RETURN(OpeningBook openings,
                      OpeningBook::Make(request.openings, *game, request.seed));
  const bool has_network = !nets.empty();
  if (has_network) needs.nets.assign(nets.begin() + 1, nets.end());
  ArenaSetup setup{std::move(config), game, std::move(players), std::move(openings),
                   std::move(sprt),   {},   has_network,        std::move(needs)};
  AZ_ASSIGN_OR_RETURN(setup.identity, IdentityOf(request, setup));
  setup.config.run.dir =
      request.out.empty() ? StrCat("runs/arena/", setup.identity.game, "_", setup.identity.Digest())
                          : request.out;
  return setup;
}

}  // namespace az
