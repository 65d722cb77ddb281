#include "engine/loop/panel_players.h"

#include <algorithm>
#include <array>
#include <set>
#include <string_view>
#include <utility>

#include "base/strings.h"
#include "engine/config/panel.h"
#include "engine/config/plan_request.h"
#include "engine/players/player_source.h"
#include "engine/tournament/arena_programs.h"
#include "engine/tournament/arena_setup.h"
#include "games/registry.h"

namespace az {
namespace {

constexpr std::array<std::pair<std::string_view, PanelRole>, 3> kRoles = {
    {{"best", PanelRole::kBest}, {"first", PanelRole::kFirst}, {"earlier", PanelRole::kEarlier}}};

PanelRole RoleOf(const PlayerSpec& spec) {
  if (spec.kind != PlayerKind::kCheckpoint || spec.iteration) return PanelRole::kPlayer;
  const auto* role = std::ranges::find(kRoles, std::string_view(spec.source),
                                       &std::pair<std::string_view, PanelRole>::first);
  return role == kRoles.end() ? PanelRole::kPlayer : role->second;
}

bool Searches(const PlayerSpec& spec) {
  return spec.kind == PlayerKind::kCheckpoint || spec.kind == PlayerKind::kMcts;
}

// The players of one config. Confined to one call.
class PanelReader {
 public:
  PanelReader(const RunConfig& config, const GameOps& game)
      : config_(config), game_(game.info()), net_(NetShapeFor(config, game_).Playing()) {
    panel_.net = net_;
  }

  Result<void> Add(std::string_view word) {
    PanelPlayer player;
    AZ_ASSIGN_OR_RETURN(player.spec, ParsePlayer(word));
    player.role = RoleOf(player.spec);
    const std::string settings = ToString(player.spec.settings);
    if (!settings.empty()) player.settings = StrCat("?", settings);
    if (player.role == PanelRole::kBest && settings.empty()) {
      return Error{Errc::kInvalid,
                   "best would meet its equal: give it settings of its own (best?sims=50)"};
    }
    AZ_RETURN_IF_ERROR(CheckPlayerFor(player.spec, game_));
    if (player.role == PanelRole::kPlayer && player.spec.kind == PlayerKind::kCheckpoint) {
      AZ_RETURN_IF_ERROR(AddNetwork(player.spec));
    }
    AZ_RETURN_IF_ERROR(CompleteSearch(player.spec));
    if (!names_.insert(ToString(player.spec)).second) {
      return Error{Errc::kInvalid, StrCat("'", word, "' comes twice")};
    }
    opponents_ += player.opponents();
    if (opponents_ > kMostPanelOpponents) {
      return Error{Errc::kInvalid,
                   StrCat("more than ", kMostPanelOpponents, " opponents (earlier counts as ",
                          kEarlierOpponents, ")")};
    }
    panel_.players.push_back(std::move(player));
    return {};
  }
  Panel Take() { return std::move(panel_); }

 private:
  Result<void> AddNetwork(const PlayerSpec& spec) {
    AZ_ASSIGN_OR_RETURN(const PlayerSource source, FindPlayer(spec));
    AZ_RETURN_IF_ERROR(CheckPlayerFor(spec, source, game_));
    if (source.info.shape != net_) panel_.needs.nets.push_back(source.info.shape);
    return {};
  }

  // The limit of a search that says none, and whether its settings fit the run's.
  Result<void> CompleteSearch(PlayerSpec& spec) {
    if (!Searches(spec)) return {};
    PlayerSettings& settings = spec.settings;
    const bool is_mcts = spec.kind == PlayerKind::kMcts;
    const int visits = is_mcts ? config_.arena.final_mcts_visits
                               : config_.arena.visits.value_or(config_.search.visits);
    if (!settings.sims && !settings.is_timed()) settings.sims = visits;
    const Result<int> billed = BilledVisits(spec, config_.search, game_.num_actions);
    if (!billed) return WithContext(StrCat("player '", spec.text, "'"), billed.error());
    MatchNeeds& needs = panel_.needs;
    if (is_mcts) {
      needs.rollout_visits = std::max(needs.rollout_visits, *billed);
    } else if (settings.is_timed()) {
      AZ_ASSIGN_OR_RETURN(const Bytes tree,
                          TreeBytes(spec.kind, settings, config_.search, game_.num_actions));
      needs.timed_tree = std::max(needs.timed_tree, tree);
    } else {
      needs.visits = std::max(needs.visits, config_.search.MostVisits(*billed, SearchMode::kPlay));
    }
    return {};
  }

  const RunConfig& config_;
  const GameInfo& game_;
  const NetShape net_;
  Panel panel_;
  std::set<std::string> names_;
  std::uint32_t opponents_ = 0;
};

}  // namespace

Result<Panel> ReadPanel(const RunConfig& config) {
  AZ_ASSIGN_OR_RETURN(const std::vector<std::string> words, PanelWords(config.arena.panel));
  AZ_ASSIGN_OR_RETURN(const GameOps* game,
                      FindGame(config.game.name, config.game.board_size.value_or(0)));
  PanelReader reader(config, *game);
  for (const std::string& word : words) {
    Result<void> added = reader.Add(word);
    if (added) continue;
    Error error = std::move(added).error();
    error.message = StrCat("arena.panel = ", config.arena.panel, ": ", error.message, kPanelForms);
    return error;
  }
  return reader.Take();
}

Result<void> CheckPanelPrograms(const Panel& panel, const GameOps& game, const Clock& clock) {
  for (const PanelPlayer& player : panel.players) {
    Result<void> checked = CheckProgram(player.spec, game, clock);
    if (checked) continue;
    Error error = std::move(checked).error();
    error.message = StrCat("arena.panel: ", error.message, kPanelForms);
    return error;
  }
  return {};
}

}  // namespace az
