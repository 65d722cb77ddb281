// The panel of a run: the best network against others than the last best, so that a run which only
// learns to beat that one is seen.

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <system_error>

#include "base/strings.h"
#include "engine/loop/training_loop.h"
#include "engine/players/player_source.h"
#include "engine/process/player_message.h"
#include "engine/run/match_text.h"
#include "engine/tournament/arena_faults.h"

namespace az {
namespace {

constexpr int kOpponentSlot = 1;

// Kept checkpoints between the first and `best`, the newest first, at most kEarlierOpponents of
// them.
std::vector<std::string> EarlierNames(const std::filesystem::path& checkpoints,
                                      const std::string& best) {
  std::vector<std::string> names;
  std::error_code code;
  for (const auto& entry : std::filesystem::directory_iterator(checkpoints, code)) {
    const std::string name = entry.path().filename().string();
    unsigned iteration = 0;
    char rest = 0;
    if (std::sscanf(name.c_str(), "iter_%u%c", &iteration, &rest) != 1) continue;
    if (name > CheckpointName(0) && name < best) names.push_back(name);
  }
  std::ranges::sort(names, std::greater<>());
  // The newest, and others spread over those that are kept.
  std::vector<std::string> spread;
  const std::size_t count = std::min<std::size_t>(kEarlierOpponents, names.size());
  for (std::size_t i = 0; i < count; ++i) spread.push_back(names[i * names.size() / count]);
  return spread;
}

std::string WordsFor(const PlayerSpec& spec) {
  PlayerSettings sims_alone;
  sims_alone.sims = spec.settings.sims;
  switch (spec.kind) {
    case PlayerKind::kRandom:
      return "random moves";
    case PlayerKind::kSolver:
      return "the solver";
    case PlayerKind::kMcts:
      if (spec.settings == sims_alone) {
        return StrCat("pure MCTS with ", *spec.settings.sims, " simulations");
      }
      break;
    case PlayerKind::kCheckpoint:
    case PlayerKind::kGtp:
      break;
  }
  return spec.text;
}

// Ratings know a run by what the config calls it, though its files are found by one absolute path.
std::string RunAsWritten(const PlayerSpec& spec, const PlayerSource& source) {
  std::error_code code;
  const std::filesystem::path here = std::filesystem::current_path(code);
  const bool is_absolute = std::filesystem::path(spec.source).is_absolute();
  return (is_absolute || code ? source.run : source.run.lexically_proximate(here)).string();
}

}  // namespace

// As it stands now: "runs/x/best" of a run that goes on is another network than it was.
Result<TrainingLoop::Opponent> TrainingLoop::CheckpointOfPanel(const PanelPlayer& player) const {
  AZ_ASSIGN_OR_RETURN(const PlayerSource source, FindPlayer(player.spec));
  AZ_RETURN_IF_ERROR(CheckPlayerFor(player.spec, source, s_.game.info()));
  const std::vector<NetShape>& nets = s_.panel.needs.nets;
  if (source.info.shape != s_.panel.net && std::ranges::count(nets, source.info.shape) == 0) {
    return Error{Errc::kIncompatible,
                 StrCat("player '", player.spec.text,
                        "': its network has another size than when this run started")};
  }
  const std::string name = source.run.empty() ? player.spec.source
                                              : StrCat(RunAsWritten(player.spec, source),
                                                       "@iter=", source.info.iteration);
  return Opponent{.words = player.spec.text,
                  .name = name + player.settings,
                  .player = MessageFor(player.spec, kOpponentSlot),
                  .weights = source.load_path()};
}

std::vector<TrainingLoop::Opponent> TrainingLoop::PanelOpponents(const PanelPlayer& player) const {
  const std::string& best = s_.dir.state().best;
  const auto of_this_run = [&](std::string_view words, const std::string& name) {
    return Opponent{.words = StrCat(words, player.settings),
                    .name = name + player.settings,
                    .player = MessageFor(player.spec, kOpponentSlot),
                    .weights = s_.dir.checkpoint(name)};
  };
  std::vector<Opponent> opponents;
  switch (player.role) {
    case PanelRole::kBest:
      return {Opponent{.words = StrCat("itself", player.settings),
                       .name = best + player.settings,
                       .player = MessageFor(player.spec, 0),
                       .weights = {}}};
    case PanelRole::kFirst:
      if (best == CheckpointName(0)) return {};
      return {of_this_run("its first network", CheckpointName(0))};
    case PanelRole::kEarlier:
      for (const std::string& name : EarlierNames(s_.dir.checkpoints(), best)) {
        opponents.push_back(of_this_run(StrCat("its network ", name), name));
      }
      return opponents;
    case PanelRole::kPlayer:
      break;
  }
  if (player.spec.kind != PlayerKind::kCheckpoint) {
    return {Opponent{.words = WordsFor(player.spec),
                     .name = ToString(player.spec),
                     .player = MessageFor(player.spec, 0),
                     .weights = {}}};
  }
  Result<Opponent> opponent = CheckpointOfPanel(player);
  if (opponent) return {*std::move(opponent)};
  SayPanelWithout(player, opponent.error());
  return {};
}

// It was there at the start. A measurement is lost, not the run.
void TrainingLoop::SayPanelWithout(const PanelPlayer& player, const Error& why) const {
  s_.log.Warn(
      StrCat("event=panel_without player=\"", player.spec.text, "\" why=\"", why.message, "\""));
  s_.display.Say(StrCat("warning: iteration ", s_.dir.state().iteration + 1,
                        ": no match of the panel: ", why.message));
}

// Whether the match failed for the opponent's weights alone, which are gone or damaged by now, and
// the fleet goes on without them: it would hand them to a device that is started again.
bool TrainingLoop::GoesOnWithout(const Opponent& opponent, const Error& failed) {
  if (opponent.weights.empty() || failed.code == Errc::kNoMemory || !s_.fleet.RefusedWeights()) {
    return false;
  }
  s_.fleet.Unload(kOpponentSlot);
  return !s_.fleet.LacksWeights();
}

Result<void> TrainingLoop::MeetOfPanel(const PanelPlayer& player, const Opponent& opponent,
                                       std::uint32_t number) {
  const RunState& state = s_.dir.state();
  // Without a gate no match has done so.
  AZ_RETURN_IF_ERROR(s_.governor.Prepare(PlanPhase::kArena));
  const Result<MatchReport> played = PlayMatch({.kind = GameKind::kMatch,
                                                .number = number,
                                                .games = s_.config.arena.panel_games,
                                                .opening_plies = s_.config.arena.opening_plies,
                                                .shown_as = Phase::kArena,
                                                .is_decided = {}},
                                               opponent);
  if (!played) {
    if (!GoesOnWithout(opponent, played.error())) return played.error();
    SayPanelWithout(player, played.error());
    return s_.governor.EndPhase();
  }
  const MatchReport& report = *played;
  const MatchResult result = ToResult(report.score(), opponent.words);
  s_.display.Say(StrCat("iteration ", state.iteration + 1, ": best against ", opponent.words, " ",
                        ResultText(result)));
  Forfeits outside;
  AddOutside(report, 1, player.spec, outside);
  if (!outside.empty()) s_.display.Say(StrCat("warning: ", FaultText(player.spec, outside)));
  MetricsLine line;
  line.Add("kind", std::string_view("panel_match"))
      .Add("iteration", static_cast<std::int64_t>(state.iteration))
      .Add("network", std::string_view(state.best))
      .Add("opponent", std::string_view(opponent.name))
      .Add("wins", result.wins)
      .Add("draws", result.draws)
      .Add("losses", result.losses)
      .Add("score_fraction", result.score())
      .Add("score_low", result.score_low)
      .Add("score_high", result.score_high)
      .Add("distinct_pairs", PairsIn(report.score().distinct_pairs()));
  return s_.metrics.Append(line);
}

// The numbers of the matches name their games: a player has the same ones whoever else is there.
// Games that were played before a kill would be counted for whoever stands there now, so a panel
// goes on with those that it began with, or not at all.
Result<void> TrainingLoop::MeetPanel() {
  RunState& state = s_.dir.state();
  if ((state.iteration + 1) % static_cast<std::uint32_t>(s_.config.arena.panel_every) != 0) {
    return {};
  }
  struct Meeting {
    const PanelPlayer& player;
    Opponent opponent;
    std::uint32_t number;
  };
  std::vector<Meeting> meetings;
  std::vector<std::string> names;
  std::uint32_t first = state.iteration * kMostPanelOpponents;
  for (const PanelPlayer& player : s_.panel.players) {
    std::uint32_t number = first;
    for (Opponent& opponent : PanelOpponents(player)) {
      names.push_back(opponent.name);
      meetings.push_back({player, std::move(opponent), number++});
    }
    first += player.opponents();
  }
  if (!state.panel.empty() && state.panel != names) {
    s_.display.Say(StrCat("iteration ", state.iteration + 1, ": its panel had begun with ",
                          Join(state.panel, ", "), "; the rest of it is not played"));
    return {};
  }
  if (meetings.empty()) return {};
  state.panel = std::move(names);
  AZ_RETURN_IF_ERROR(SaveState());
  for (const Meeting& meeting : meetings) {
    AZ_RETURN_IF_ERROR(MeetOfPanel(meeting.player, meeting.opponent, meeting.number));
  }
  return {};
}

}  // namespace az
