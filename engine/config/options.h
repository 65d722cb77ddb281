#pragma once
// The option structs of the engine, each described once (base/describe.h). RunConfig (run_config.h)
// puts them together. They are plain values that need only the standard library, so any folder of
// the engine can take its own struct as a parameter.

#include <cstdint>
#include <string>

#include "base/describe.h"
#include "engine/config/train_options.h"
#include "engine/config/yardstick_config.h"
#include "scheduler/plan_input.h"
#include "scheduler/precision.h"

namespace az {

struct GameOptions {
  std::string name = "hex";  // family or registry entry
  Auto<int> board_size;      // auto: the family's default
};
template <class V>
void Describe(V& v, GameOptions& o) {
  v.Field("name", o.name, "game: a family (hex, go, gomoku, othello, ...) or an entry like hex5");
  v.Field("board_size", o.board_size, Range{1, 64},
          "board size, for games with several; auto = the game's default");
}

struct NetOptions {
  int num_filters = 64;
  int num_res_blocks = 5;
  int global_pool_every = 0;     // 0: no block pools
  int num_heads = 0;             // 0: no self-attention
  int num_attention_blocks = 1;  // used when num_heads > 0; after the trunk
  int policy_filters = 32;
  int value_filters = 32;
  int value_hidden = 256;
  Auto<Precision> precision;  // inference's
};
template <class V>
void Describe(V& v, NetOptions& o) {
  v.Field("num_filters", o.num_filters, Range{1, 4096}, "channels of the trunk");
  v.Field("num_res_blocks", o.num_res_blocks, Range{0, 256}, "residual blocks");
  v.Field(
      "global_pool_every", o.global_pool_every, Range{0, 256},
      "every n-th residual block also pools a quarter of its channels over the board; 0 = none");
  v.Field("num_heads", o.num_heads, Range{0, 64},
          "heads of the self-attention over the cells; 0 = no attention");
  v.Field("num_attention_blocks", o.num_attention_blocks, Range{1, 64},
          "self-attention blocks after the trunk (with num_heads > 0)");
  v.Field("policy_filters", o.policy_filters, Range{1, 1024}, "channels of the policy head");
  v.Field("value_filters", o.value_filters, Range{1, 1024}, "channels of the value head");
  v.Field("value_hidden", o.value_hidden, Range{1, 65536}, "hidden units of the value head");
  v.Field("precision", o.precision,
          "precision of inference: auto = bf16 where the device is fast at it");
}

struct SelfPlayOptions {
  Auto<int> games_per_iteration;  // auto: about 5-10 % of the window
  Auto<int> slots;                // games per worker at a time; auto: its lane's blocks x rows
  Auto<int> first_visits;         // auto: search.visits; engine/config/visits_schedule.h
  Auto<int> full_visits_from;     // auto: the run's last iteration
};
template <class V>
void Describe(V& v, SelfPlayOptions& o) {
  v.Field("games_per_iteration", o.games_per_iteration, Range{1, 10'000'000},
          "self-play games of an iteration");
  v.Field("slots", o.slots, Range{1, 4096}, "games a worker plays at the same time");
  v.Field("first_visits", o.first_visits, Range{1, 1'000'000},
          "simulations of a full search in the first iteration, from where they rise evenly to "
          "search.visits; auto = search.visits from the start");
  v.Field("full_visits_from", o.full_visits_from, Range{1, 1'000'000},
          "with first_visits: the iteration, counted from 0, from which a full search has "
          "search.visits; auto = the run's last one, so a run that is made longer falls back");
}

enum class Gate : std::uint8_t { kNone, kFixed, kSprt };
template <>
struct EnumNames<Gate> {
  static constexpr std::array<std::pair<Gate, std::string_view>, 3> value = {
      {{Gate::kNone, "none"}, {Gate::kFixed, "fixed"}, {Gate::kSprt, "sprt"}}};
};

// A sequential test between the hypotheses elo0 and elo1.
struct SprtOptions {
  double elo0 = 0;
  double elo1 = 50;
  double alpha = 0.05;
  double beta = 0.05;
};
template <class V>
void Describe(V& v, SprtOptions& o) {
  v.Field("elo0", o.elo0, Range{-1000.0, 1000.0}, "Elo of a candidate that should fail");
  v.Field("elo1", o.elo1, Range{-1000.0, 1000.0}, "Elo of a candidate that should pass");
  v.Field("alpha", o.alpha, Range{0.001, 0.5}, "how often one of elo0 may pass");
  v.Field("beta", o.beta, Range{0.001, 0.5}, "how often one of elo1 may fail");
}

struct ArenaOptions {
  Auto<int> num_workers;  // auto: the plan's number
  int games = 100;        // per gate match; rounded up to whole colour-swapped pairs
  Gate gate = Gate::kFixed;
  float threshold = 0.55f;   // score a candidate must reach
  Auto<int> visits;          // auto: search.visits
  Auto<ArenaModels> models;  // auto: in turn
  Auto<ArenaMode> mode;      // auto: where inference runs, or where it fits
  int opening_plies = 2;     // random plies at the start of a pair, the same in both of its games
  int final_games = 100;     // per match of the final summary; 0 = no final matches
  int final_mcts_visits = 200;  // simulations per move of their pure-MCTS opponent
  SprtOptions sprt;             // for gate = sprt
  std::string panel = "none";   // more opponents for the best network, besides the gate's
  int panel_every = 5;          // iterations
  int panel_games = 20;         // against each opponent
};
template <class V>
void Describe(V& v, ArenaOptions& o) {
  v.Field("num_workers", o.num_workers, Range{1, 256}, "worker processes in the arena phase");
  v.Field("models", o.models,
          "in_turn: both models share the batches in flight; concurrent: twice as many on a GPU");
  v.Field("mode", o.mode, "where the arena's networks run, gpu or cpu; auto = as the plan has it");
  v.Field("games", o.games, Range{2, 1'000'000}, "games of a gate match, in colour-swapped pairs");
  v.Field("gate", o.gate,
          "none: every candidate is published; fixed: it must reach the threshold; sprt: it must "
          "pass a sequential test");
  v.Field("threshold", o.threshold, Range{0.0f, 1.0f}, "score (win 1, draw 0.5) a candidate needs");
  v.Field("visits", o.visits, Range{1, 1'000'000},
          "simulations per arena move; auto = search.visits");
  v.Field("opening_plies", o.opening_plies, Range{0, 100},
          "random plies that open each pair of games");
  v.Field("final_games", o.final_games, Range{0, 1'000'000},
          "games of each match of the final summary; 0 = none");
  v.Field("final_mcts_visits", o.final_mcts_visits, Range{1, 1'000'000},
          "simulations of the pure-MCTS opponent of the final summary");
  v.Section("sprt", o.sprt, "the test of gate = sprt");
  v.Field("panel", o.panel,
          "whom the best network meets besides: none, or a list of first, earlier (kept "
          "checkpoints), mcts, and any players (docs/players.md)");
  v.Field("panel_every", o.panel_every, Range{1, 1'000'000}, "iterations from panel to panel");
  v.Field("panel_games", o.panel_games, Range{2, 1'000'000}, "games against each of the panel");
}

struct EngineOptions {
  std::string device = "auto";  // auto, cpu, cuda:0
  Auto<int> runners;            // CPU inference threads
  Auto<int> max_batch;          // largest bucket
  Auto<bool> cuda_graphs;
  int max_deaths_per_minute = 5;  // per process; 0: no limit
};
template <class V>
void Describe(V& v, EngineOptions& o) {
  v.Field("device", o.device, "auto, cpu or cuda:N");
  v.Field("runners", o.runners, Range{1, 256}, "inference threads on a CPU, each on its own batch");
  v.Field("max_batch", o.max_batch, Range{1, 4096}, "largest inference batch");
  v.Field("cuda_graphs", o.cuda_graphs, "replay captured graphs on a GPU");
  v.Field("max_deaths_per_minute", o.max_deaths_per_minute, Range{0, 1'000'000},
          "deaths of one process within a minute that end the run; 0 = it is always started again");
}

struct LoopOptions {
  int iterations = 100;
  int keep_checkpoints = 3;   // this many of the newest are kept; best and first always are
  int checkpoint_every = 10;  // the checkpoint of every n-th iteration is never removed; 0 = none
  LoopYardstickOptions yardstick;
};
template <class V>
void Describe(V& v, LoopOptions& o) {
  v.Field("iterations", o.iterations, Range{1, 1'000'000},
          "iterations of self-play, training and arena");
  v.Field("keep_checkpoints", o.keep_checkpoints, Range{1, 1000},
          "newest checkpoints kept, besides best and first");
  v.Field("checkpoint_every", o.checkpoint_every, Range{0, 1'000'000},
          "every n-th checkpoint is kept for good; 0 = none");
  v.Section("yardstick", o.yardstick, "strength against an exact solver, as the run goes on");
}

struct RunOptions {
  std::string name = "run";
  std::string dir = "auto";  // auto: runs/<name>
  std::uint64_t seed = 1;
};
template <class V>
void Describe(V& v, RunOptions& o) {
  v.Field("name", o.name, "name of the run");
  v.Field("dir", o.dir, "run directory; auto = runs/<name>");
  v.Field("seed", o.seed, Range{std::uint64_t{0}, ~std::uint64_t{0}},
          "seed of every random stream of the run");
}

}  // namespace az
