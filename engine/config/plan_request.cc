#include "engine/config/plan_request.h"

#include <algorithm>

#include "base/strings.h"
#include "engine/config/option_table.h"
#include "games/solvers/solver.h"
#include "mcts/node_bytes.h"

namespace az {

namespace {

static_assert(kNodeBytes == NodeBytes(Tree::Squares::kNone), "plans bill trees by it");

// Bytes of the judged positions and of the solver's opponent's memory.
constexpr Bytes kYardstickPositions = MiB(8);

}  // namespace

NetShape NetShapeFor(const NetOptions& options, const GameInfo& game) {
  return {.planes = game.shape.planes,
          .rows = game.shape.rows,
          .cols = game.shape.cols,
          .actions = game.num_actions,
          .filters = options.num_filters,
          .res_blocks = options.num_res_blocks,
          .global_pool_every = options.global_pool_every,
          .heads = options.num_heads,
          .attention_blocks = options.num_heads > 0 ? options.num_attention_blocks : 0,
          .policy_filters = options.policy_filters,
          .value_filters = options.value_filters,
          .value_hidden = options.value_hidden};
}

NetShape NetShapeFor(const RunConfig& config, const GameInfo& game) {
  NetShape shape = NetShapeFor(config.net, game);
  shape.opponent_head = config.train.opponent_weight > 0.0f;
  shape.short_term_head = config.train.short_term_weight > 0.0f;
  return shape;
}

NetOptions NetOptionsFor(const NetShape& shape) {
  return {.num_filters = shape.filters,
          .num_res_blocks = shape.res_blocks,
          .global_pool_every = shape.global_pool_every,
          .num_heads = shape.heads,
          .num_attention_blocks = std::max(1, shape.attention_blocks),
          .policy_filters = shape.policy_filters,
          .value_filters = shape.value_filters,
          .value_hidden = shape.value_hidden,
          .precision = {}};
}

PlanInput PlanInputFor(const RunConfig& config, const GameInfo& game, const DeviceFacts& device) {
  PlanInput input;
  input.device = device;
  input.net = NetShapeFor(config, game);
  input.game = {
      .words = game.shape.words(), .branching = game.num_actions, .max_plies = game.max_plies};
  PlanWishes& wishes = input.wishes;
  wishes.num_workers = config.num_workers;
  wishes.arena_workers = config.arena.num_workers;
  wishes.slots = config.self_play.slots;
  wishes.runners = config.engine.runners;
  wishes.max_batch = config.engine.max_batch;
  wishes.accumulate = config.train.accumulate_grad_batches;
  wishes.cuda_graphs = config.engine.cuda_graphs;
  wishes.inference_precision = config.net.precision;
  wishes.train_precision = config.train.precision;
  wishes.checkpointing = config.train.gradient_checkpointing;
  wishes.arena_models = config.arena.models;
  wishes.arena_mode = config.arena.mode;
  wishes.batch = config.train.batch;
  wishes.prefetch = config.train.prefetch;
  wishes.window_positions = config.train.window_max;
  wishes.merges_positions = config.train.merge_duplicates;
  wishes.weighs_positions =
      config.train.surprise_weight > 0.0f || config.train.surprise_value_weight > 0.0f;
  if (config.self_play.games_per_iteration.has_value()) {
    // A short run never fills its window.
    const std::int64_t games =
        std::int64_t{*config.self_play.games_per_iteration} * config.loop.iterations;
    wishes.window_positions = std::min(wishes.window_positions, games * game.max_plies);
  }
  wishes.visits = config.search.MostVisits(config.search.visits, SearchMode::kSelfPlay);
  // The yardstick is played where the arena is.
  int most_visits = config.arena.visits.value_or(config.search.visits);
  if (config.loop.yardstick.every > 0) {
    most_visits = std::max(most_visits, config.loop.yardstick.sims);
    wishes.solver = SolverOptions{}.table + kYardstickPositions;
  }
  wishes.arena_visits = config.search.MostVisits(most_visits, SearchMode::kPlay);
  // The pure-MCTS player of the final matches.
  wishes.rollout_visits = config.arena.final_games > 0 ? config.arena.final_mcts_visits : 0;
  wishes.node_bytes = static_cast<int>(NodeBytes(config.search));
  wishes.cache = config.search.cache;
  wishes.memory = config.memory;
  return input;
}

std::string_view BudgetKey(DeviceKind device) {
  return device == DeviceKind::kCpu ? "memory.ram_budget" : "memory.vram_budget";
}

Result<void> SetBudget(std::string_view text, DeviceKind device, RunConfig& config) {
  const std::vector<OptionEntry> options = OptionsOf(config);
  if (const Result<void> set = FindOption(options, BudgetKey(device))->set(text); !set) {
    return Error{Errc::kInvalid, StrCat("--budget = ", text, " ", set.error().message)};
  }
  return {};
}

}  // namespace az
