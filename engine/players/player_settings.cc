#include "engine/players/player_settings.h"

#include <algorithm>
#include <array>
#include <optional>

#include "base/strings.h"
#include "engine/config/option_collector.h"
#include "engine/config/validate_search.h"
#include "mcts/node_bytes.h"

namespace az {
namespace {

constexpr std::string_view kPrefix = "search.";

// Options of search.* that only self-play reads, or that all players of a worker share.
constexpr std::array<std::string_view, 21> kNotAPlayers = {
    "full_fraction",        "fast_visits",          "noise_fraction",    "noise_total",
    "noise_shaped",         "root_temperature",     "forced_playouts",   "target_pruning",
    "prune_limit",          "temperature_start",    "temperature_end",   "temperature_halflife",
    "random_opening_plies", "policy_opening_plies", "adjudicate_proven", "cache",
    "cache_max_legal",      "gumbel.explore_plies", "resign.threshold",  "resign.streak",
    "resign.play_on"};

bool IsPlayers(std::string_view key) { return std::ranges::count(kNotAPlayers, key) == 0; }

// The settings that are fields of PlayerSettings, described like all options.
struct OwnSettings {
  PlayerSettings& settings;
};
template <class V>
void Describe(V& v, OwnSettings& o) {
  v.Field("sims", o.settings.sims, Range{1, 1'000'000}, "simulations a move");
  v.Field("temperature", o.settings.temperature, Range{0.0f, 10.0f},
          "of the choice of the move; 0 = the best");
  v.Field("seconds", o.settings.seconds, Range{0.001, 86'400.0}, "to think about a move");
  v.Field("clock", o.settings.clock, "time of a game: 300, 300+2 or 300/30x5 seconds");
  v.Field("timeout", o.settings.timeout, Range{0.001, 86'400.0},
          "seconds in which a program must answer");
}

std::vector<std::string_view> OwnKeys(PlayerKind kind) {
  switch (kind) {
    case PlayerKind::kCheckpoint:
      return {"sims", "temperature", "seconds", "clock"};
    case PlayerKind::kMcts:
      return {"sims", "seconds", "clock"};
    case PlayerKind::kGtp:
      return {"timeout", "clock"};
    case PlayerKind::kRandom:
    case PlayerKind::kSolver:
      break;
  }
  return {};
}

Error Fault(std::string text) { return Error{Errc::kInvalid, std::move(text)}; }

// The error of a bad value: "sims = 0 is out of range [1, 1000000] (simulations a move)".
Error BadValue(std::string_view key, std::string_view value, const Error& fault,
               std::string_view help) {
  return Fault(StrCat(key, " = ", value, " ", fault.message, " (", help, ")"));
}

// Reads one key after another into the settings. Confined to one call.
class Reader {
 public:
  Reader(PlayerKind kind, PlayerSettings& settings)
      : kind_(kind), settings_(settings), own_{settings}, search_options_(Entries()) {
    OptionCollector collector;
    Describe(collector, own_);
    own_options_ = collector.TakeOptions();
  }

  Result<void> Read(std::string_view key, std::string_view value) {
    if (key == "gumbel") return ReadGumbel(value);
    if (key.starts_with(kPrefix)) key.remove_prefix(kPrefix.size());
    if (key == "visits") key = "sims";
    AZ_RETURN_IF_ERROR(Once(key));
    if (const OptionEntry* own = FindOption(own_options_, key)) {
      if (std::ranges::count(OwnKeys(kind_), key) == 0) return NotForKind(key);
      if (const Result<void> set = own->set(value); !set) {
        return BadValue(key, value, set.error(), own->help);
      }
      if (key == "clock") return NormaliseClock(value);
      return {};
    }
    return ReadSearch(key, value);
  }

  // Puts the overrides into the order of the options.
  void Finish() {
    for (const OptionEntry& option : search_options_) {
      if (std::ranges::count(search_keys_, option.key) > 0) {
        settings_.search.push_back({option.key, option.get()});
      }
    }
  }

 private:
  std::vector<OptionEntry> Entries() {
    OptionCollector collector;
    Describe(collector, search_);
    return collector.TakeOptions();
  }

  Result<void> Once(std::string_view key) {
    if (std::ranges::count(seen_, key) > 0) return Fault(StrCat("setting '", key, "' comes twice"));
    seen_.emplace_back(key);
    return {};
  }

  Error NotForKind(std::string_view key) const {
    std::vector<std::string> keys;
    for (const std::string_view own : OwnKeys(kind_)) keys.emplace_back(own);
    return Fault(StrCat("setting '", key, "' means nothing to a ", EnumName(kind_),
                        " player, which has ",
                        keys.empty() ? std::string("no settings") : Join(keys, ", ")));
  }

  Result<void> ReadGumbel(std::string_view value) {
    if (value != "0" && value != "1") {
      return Fault(StrCat("gumbel = ", value, " is neither 1 (a Gumbel root) nor 0 (PUCT's)"));
    }
    if (kind_ != PlayerKind::kCheckpoint) return NotForKind("gumbel");
    return Read("root", value == "1" ? "gumbel" : "puct");
  }

  Result<void> NormaliseClock(std::string_view value) {
    const Result<TimeControl> control = ParseTimeControl(Trim(value));
    if (!control) return Fault(StrCat("clock = ", value, " ", control.error().message));
    settings_.clock = ToString(*control);
    return {};
  }

  Result<void> ReadSearch(std::string_view key, std::string_view value) {
    const OptionEntry* option = FindOption(search_options_, key);
    if (option == nullptr) return Unknown(key);
    if (!IsPlayers(key)) {
      return Fault(StrCat("setting '", key,
                          "' is of self-play or of the whole run: no player of a match has it (",
                          option->help, ")"));
    }
    if (kind_ != PlayerKind::kCheckpoint) return NotForKind(key);
    if (const Result<void> set = option->set(value); !set) {
      return BadValue(StrCat(kPrefix, key), value, set.error(), option->help);
    }
    search_keys_.emplace_back(key);
    return {};
  }

  Error Unknown(std::string_view key) const {
    std::vector<std::string> known = {"gumbel"};
    for (const OptionEntry& option : own_options_) known.push_back(option.key);
    for (const OptionEntry& option : search_options_) {
      if (IsPlayers(option.key)) known.push_back(option.key);
    }
    const std::string nearest = Nearest(key, known);
    return Fault(StrCat("unknown setting '", key, "'",
                        nearest.empty()
                            ? std::string(" (sims, gumbel, temperature, seconds, clock, timeout "
                                          "or an option of search.*)")
                            : StrCat("; did you mean '", nearest, "'?")));
  }

  PlayerKind kind_;
  PlayerSettings& settings_;
  OwnSettings own_;
  std::vector<OptionEntry> own_options_;
  SearchOptions search_;  // takes the values, for their checks and their texts
  std::vector<OptionEntry> search_options_;
  std::vector<std::string> search_keys_;
  std::vector<std::string> seen_;
};

// The options of `set` whose values are not those of `unset`.
template <class Options>
std::vector<SearchOverride> OffDefault(Options set, Options unset) {
  OptionCollector collector;
  OptionCollector default_collector;
  Describe(collector, set);
  Describe(default_collector, unset);
  const std::vector<OptionEntry> options = collector.TakeOptions();
  const std::vector<OptionEntry> defaults = default_collector.TakeOptions();
  std::vector<SearchOverride> found;
  for (std::size_t i = 0; i < options.size(); ++i) {
    const std::string value = options[i].get();
    if (value != defaults[i].get()) found.push_back({options[i].key, value});
  }
  return found;
}

}  // namespace

TimeControl PlayerSettings::time_control() const { return *ParseTimeControl(clock); }

Result<PlayerSettings> ParsePlayerSettings(PlayerKind kind, std::string_view text) {
  PlayerSettings settings;
  Reader reader(kind, settings);
  if (!Trim(text).empty()) {
    for (const std::string_view part : Split(text, '&')) {
      const std::size_t equals = part.find('=');
      if (equals == std::string_view::npos) {
        return Fault(StrCat("setting '", part, "' has no '=' (key=value, with & between them)"));
      }
      AZ_RETURN_IF_ERROR(reader.Read(Trim(part.substr(0, equals)), Trim(part.substr(equals + 1))));
    }
  }
  reader.Finish();
  if (settings.seconds.has_value() && !settings.clock.empty()) {
    return Fault(
        "seconds and clock cannot both be: a move has a time of its own or a share of the "
        "game's");
  }
  return settings;
}

std::string ToString(const PlayerSettings& settings) {
  PlayerSettings copy = settings;
  PlayerSettings defaults;
  std::vector<std::string> parts;
  for (const SearchOverride& entry : OffDefault(OwnSettings{copy}, OwnSettings{defaults})) {
    parts.push_back(StrCat(entry.key, "=", entry.value));
  }
  for (const SearchOverride& entry : settings.search) {
    parts.push_back(StrCat(entry.key, "=", entry.value));
  }
  return Join(parts, "&");
}

std::string SearchText(const SearchOptions& search) {
  PlayerSettings settings;
  for (SearchOverride& entry : OffDefault(search, SearchOptions{})) {
    if (IsPlayers(entry.key) && entry.key != "visits") settings.search.push_back(std::move(entry));
  }
  return ToString(settings);
}

Result<PlayerSearch> SearchFor(const PlayerSettings& settings, const SearchOptions& run,
                               int run_visits) {
  PlayerSearch search{.options = run, .visits = run_visits};
  OptionCollector collector;
  Describe(collector, search.options);
  const std::vector<OptionEntry> options = collector.TakeOptions();
  for (const SearchOverride& entry : settings.search) {
    const OptionEntry* option = FindOption(options, entry.key);
    AZ_CHECK(option != nullptr) << entry.key;
    AZ_RETURN_IF_ERROR(option->set(entry.value));
  }
  if (settings.sims.has_value()) {
    search.visits = *settings.sims;
  } else if (settings.is_timed()) {
    if (search.options.root == RootRule::kGumbel) {
      return Fault(
          "root = gumbel divides a number of simulations: a search by time needs sims too, "
          "or root = puct");
    }
    search.options.root = RootRule::kPuct;
    search.visits = kMostTimedVisits;
  }
  search.options.visits = search.visits;
  std::vector<ConfigFault> faults;
  CheckSearch(search.options, faults);
  for (const ConfigFault& fault : faults) {
    const bool is_players = std::ranges::all_of(fault.keys, [](std::string_view key) {
      return key.starts_with(kPrefix) && IsPlayers(key.substr(kPrefix.size()));
    });
    if (is_players) return Fault(fault.text);
  }
  return search;
}

Result<Bytes> TreeBytes(PlayerKind kind, const PlayerSettings& settings, const SearchOptions& run,
                        int num_actions) {
  const auto full = [num_actions](int simulations, std::int64_t node_bytes) {
    return Bytes(((std::int64_t{simulations} + 1) * num_actions + 1) * node_bytes);
  };
  switch (kind) {
    case PlayerKind::kMcts: {
      const Bytes tree =
          full(settings.sims.value_or(settings.is_timed() ? kMostTimedVisits : run.visits),
               NodeBytes(Tree::Squares::kNone));
      return settings.is_timed() ? std::min(tree, kTimedTree) : tree;
    }
    case PlayerKind::kCheckpoint: {
      AZ_ASSIGN_OR_RETURN(const PlayerSearch search, SearchFor(settings, run, run.visits));
      if (search.visits == kMostTimedVisits) return kTimedTree;
      return full(search.options.MostVisits(search.visits, SearchMode::kPlay),
                  NodeBytes(search.options));
    }
    case PlayerKind::kRandom:
    case PlayerKind::kSolver:
    case PlayerKind::kGtp:
      return Bytes();
  }
  return Bytes();
}

}  // namespace az
