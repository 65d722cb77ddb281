#include "engine/config/validate.h"

#include <algorithm>

#include "base/strings.h"
#include "engine/config/panel.h"
#include "engine/config/validate_search.h"
#include "games/registry.h"
#include "games/solvers/solver.h"

namespace az {
namespace {

void CheckGame(const RunConfig& config, std::vector<ConfigFault>& faults) {
  const GameOptions& game = config.game;
  const Result<const GameOps*> found = GameOf(game);
  if (found) {
    const int max_plies = (*found)->info().max_plies;
    if (config.arena.opening_plies >= max_plies) {
      faults.push_back(
          {{"arena.opening_plies", "game.name"},
           StrCat("arena.opening_plies = ", config.arena.opening_plies, " must be below the ",
                  max_plies, " plies of the longest game of ", (*found)->info().entry)});
    }
    return;
  }
  const std::string size =
      game.board_size.has_value() ? StrCat(", game.board_size = ", *game.board_size) : "";
  faults.push_back({{"game.board_size", "game.name"},
                    StrCat("game.name = ", game.name, size, ": ", found.error().message)});
}

void CheckNet(const NetOptions& net, std::vector<ConfigFault>& faults) {
  if (net.num_heads > 0 && net.num_filters % net.num_heads != 0) {
    faults.push_back({{"net.num_heads", "net.num_filters"},
                      StrCat("net.num_heads = ", net.num_heads,
                             " must divide net.num_filters = ", net.num_filters)});
  }
  if (net.global_pool_every > 0 && net.num_filters % 4 != 0) {
    faults.push_back({{"net.num_filters", "net.global_pool_every"},
                      StrCat("net.num_filters = ", net.num_filters,
                             " must be a multiple of 4, as net.global_pool_every = ",
                             net.global_pool_every, " pools a quarter of them")});
  }
  if (net.global_pool_every > net.num_res_blocks) {
    faults.push_back({{"net.global_pool_every", "net.num_res_blocks"},
                      StrCat("net.global_pool_every = ", net.global_pool_every,
                             " must be <= net.num_res_blocks = ", net.num_res_blocks,
                             ", or no block pools; 0 = none")});
  }
}

void CheckVisits(const RunConfig& config, std::vector<ConfigFault>& faults) {
  const SelfPlayOptions& self_play = config.self_play;
  if (self_play.full_visits_from && !self_play.first_visits) {
    faults.push_back({{"self_play.full_visits_from", "self_play.first_visits"},
                      StrCat("self_play.full_visits_from = ", *self_play.full_visits_from,
                             " needs self_play.first_visits: with auto there is no rise to end")});
  }
  if (self_play.first_visits && *self_play.first_visits > config.search.visits) {
    faults.push_back({{"self_play.first_visits", "search.visits"},
                      StrCat("self_play.first_visits = ", *self_play.first_visits,
                             " must be <= search.visits = ", config.search.visits,
                             ", to which it rises (auto = search.visits from the start)")});
  }
}

void CheckTrain(const TrainOptions& train, std::vector<ConfigFault>& faults) {
  if (train.lr_schedule == LrSchedule::kSteps && train.lr_final_fraction == 0.0f) {
    faults.push_back(
        {{"train.lr_schedule", "train.lr_final_fraction"},
         "train.lr_schedule = steps lowers the rate by the same factor each time, which "
         "for train.lr_final_fraction = 0 is 0 (set it above 0, 0.001 for instance)"});
  }
  if (train.window_start > train.window_max) {
    faults.push_back({{"train.window_start", "train.window_max"},
                      StrCat("train.window_start = ", train.window_start,
                             " must be <= train.window_max = ", train.window_max)});
  }
  if (train.min_positions > train.window_start) {
    faults.push_back({{"train.min_positions", "train.window_start"},
                      StrCat("train.min_positions = ", train.min_positions,
                             " must be <= train.window_start = ", train.window_start)});
  }
  if (train.accumulate_grad_batches.value_or(1) > train.batch) {
    faults.push_back({{"train.accumulate_grad_batches", "train.batch"},
                      StrCat("train.accumulate_grad_batches = ", *train.accumulate_grad_batches,
                             " must be <= train.batch = ", train.batch)});
  }
  if (train.policy_weight == 0.0f && train.value_weight == 0.0f) {
    faults.push_back({{"train.policy_weight", "train.value_weight"},
                      "train.policy_weight and train.value_weight are both 0: nothing to learn"});
  }
  if (train.surprise_weight + train.surprise_value_weight > 1.0f) {
    faults.push_back(
        {{"train.surprise_weight", "train.surprise_value_weight"},
         StrCat("train.surprise_weight = ", Fixed(train.surprise_weight, 3),
                " and train.surprise_value_weight = ", Fixed(train.surprise_value_weight, 3),
                " are shares of the samples: together at most 1")});
  }
}

void CheckArena(const ArenaOptions& arena, std::vector<ConfigFault>& faults) {
  if (arena.games % 2 != 0) {
    faults.push_back({{"arena.games"},
                      StrCat("arena.games = ", arena.games,
                             " must be even: games come in colour-swapped pairs")});
  }
  if (arena.final_games % 2 != 0) {
    faults.push_back({{"arena.final_games"},
                      StrCat("arena.final_games = ", arena.final_games,
                             " must be even: games come in colour-swapped pairs")});
  }
}

void CheckSprt(const SprtOptions& sprt, std::vector<ConfigFault>& faults) {
  if (sprt.elo0 < sprt.elo1) return;
  faults.push_back({{"arena.sprt.elo1", "arena.sprt.elo0"},
                    StrCat("arena.sprt.elo1 = ", Fixed(sprt.elo1, 1),
                           " must be above arena.sprt.elo0 = ", Fixed(sprt.elo0, 1))});
}

void CheckPanel(const ArenaOptions& arena, std::vector<ConfigFault>& faults) {
  if (arena.panel_games % 2 != 0) {
    faults.push_back({{"arena.panel_games"},
                      StrCat("arena.panel_games = ", arena.panel_games,
                             " must be even: games come in colour-swapped pairs")});
  }
  const Result<std::vector<std::string>> panel = PanelWords(arena.panel);
  if (!panel) faults.push_back({{"arena.panel"}, panel.error().message});
}

void CheckYardstick(const RunConfig& config, std::vector<ConfigFault>& faults) {
  if (config.loop.yardstick.every == 0) return;
  const Result<const GameOps*> game = GameOf(config.game);
  if (!game) return;  // CheckGame has already reported it
  const std::vector<std::string> solved = SolvedEntries();
  const std::string& entry = (*game)->info().entry;
  if (std::ranges::find(solved, entry) != solved.end()) return;
  faults.push_back({{"loop.yardstick.every", "game.name"},
                    StrCat("loop.yardstick.every = ", config.loop.yardstick.every,
                           " needs an exact solver, and there is none for ", entry,
                           " (0 turns it off; there are solvers for ", Join(solved, ", "), ")")});
}

void CheckEngine(const EngineOptions& engine, std::vector<ConfigFault>& faults) {
  const std::string_view device = engine.device;
  if (device == "auto" || device == "cpu") return;
  std::uint64_t index = 0;
  if (device.starts_with("cuda:") && ParseUint(device.substr(5), index) && index < 64) return;
  if (device == "cuda") return;
  faults.push_back({{"engine.device"},
                    StrCat("engine.device = ", device, " is not one of: auto, cpu, cuda, cuda:N")});
}

}  // namespace

std::optional<ConfigFault> FaultOfNewName(const RunOptions& run) {
  const auto is_control = [](unsigned char c) { return c < 0x20 || c == 0x7f; };
  const std::string& name = run.name;
  if (run.dir != "auto") return std::nullopt;
  if (!name.empty() && name != "." && name != ".." && name.find('/') == std::string::npos &&
      std::ranges::none_of(name, is_control)) {
    return std::nullopt;
  }
  return ConfigFault{{"run.name"},
                     StrCat("run.name = ", name,
                            " is no name for a folder in runs/ (not empty, . or .., no / and no "
                            "control character; run.dir takes a path)")};
}

Result<const GameOps*> GameOf(const GameOptions& game) {
  return FindGame(game.name, game.board_size.value_or(0));
}

std::vector<ConfigFault> Validate(const RunConfig& config) {
  std::vector<ConfigFault> faults;
  CheckGame(config, faults);
  CheckNet(config.net, faults);
  CheckSearch(config.search, faults);
  CheckVisits(config, faults);
  CheckTrain(config.train, faults);
  CheckArena(config.arena, faults);
  CheckSprt(config.arena.sprt, faults);
  CheckPanel(config.arena, faults);
  CheckYardstick(config, faults);
  CheckEngine(config.engine, faults);
  if (config.train.fast_plies == FastPlies::kValue && config.search.full_fraction == 1.0f) {
    faults.push_back({{"train.fast_plies", "search.full_fraction"},
                      "train.fast_plies = value needs search.full_fraction below 1: no search "
                      "would be fast"});
  }
  return faults;
}

}  // namespace az
