#include "engine/config/plan_request.h"

#include <algorithm>

namespace az {

NetShape NetShapeFor(const NetOptions& options, const GameInfo& game) {
  return {.planes = game.shape.planes,
          .rows = game.shape.rows,
          .cols = game.shape.cols,
          .actions = game.num_actions,
          .filters = options.num_filters,
          .res_blocks = options.num_res_blocks,
          .heads = options.num_heads,
          .attention_blocks = options.num_heads > 0 ? options.num_attention_blocks : 0,
          .policy_filters = options.policy_filters,
          .value_filters = options.value_filters,
          .value_hidden = options.value_hidden};
}

PlanInput PlanInputFor(const RunConfig& config, const GameInfo& game, const DeviceFacts& device) {
  PlanInput input;
  input.device = device;
  input.net = NetShapeFor(config.net, game);
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
  if (config.self_play.games_per_iteration.has_value()) {
    // A short run never fills its window.
    const std::int64_t games =
        std::int64_t{*config.self_play.games_per_iteration} * config.loop.iterations;
    wishes.window_positions = std::min(wishes.window_positions, games * game.max_plies);
  }
  wishes.visits = config.search.MostVisits(config.search.visits, SearchMode::kSelfPlay);
  wishes.arena_visits = config.search.MostVisits(config.arena.visits.value_or(config.search.visits),
                                                 SearchMode::kPlay);
  wishes.cache = config.search.cache;
  wishes.memory = config.memory;
  return input;
}

}  // namespace az
