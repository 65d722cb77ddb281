#pragma once
// The option structs of the engine, each described once (base/describe.h). RunConfig (run_config.h)
// puts them together. Plain values, standard library only: any engine folder may take its own
// struct as a parameter.

#include <cstdint>
#include <string>

#include "base/describe.h"
#include "scheduler/precision.h"

namespace az {

struct GameOptions {
  std::string name = "hex";  // family or registry entry
  Auto<int> board_size;      // auto: the family's default
};
template <class V>
void Describe(V& v, GameOptions& o) {
  v.Field("name", o.name, "game: tic_tac_toe, connect_four, hex, or an entry like hex5");
  v.Field("board_size", o.board_size, Range{1, 64},
          "board size, for games with several; auto = the game's default");
}

struct NetOptions {
  int num_filters = 64;
  int num_res_blocks = 5;
  int num_heads = 0;             // 0: no self-attention
  int num_attention_blocks = 1;  // used when num_heads > 0; after the trunk
  int policy_filters = 32;
  int value_filters = 32;
  int value_hidden = 256;
  Auto<Precision> precision;  // of inference
};
template <class V>
void Describe(V& v, NetOptions& o) {
  v.Field("num_filters", o.num_filters, Range{1, 4096}, "channels of the trunk");
  v.Field("num_res_blocks", o.num_res_blocks, Range{0, 256}, "residual blocks");
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
  Auto<int> slots;                // games a worker plays at a time; auto: blocks x rows of its lane
};
template <class V>
void Describe(V& v, SelfPlayOptions& o) {
  v.Field("games_per_iteration", o.games_per_iteration, Range{1, 10'000'000},
          "self-play games of an iteration");
  v.Field("slots", o.slots, Range{1, 4096}, "games a worker plays at the same time");
}

enum class LrSchedule : std::uint8_t { kConstant, kCosine };
template <>
struct EnumNames<LrSchedule> {
  static constexpr std::array<std::pair<LrSchedule, std::string_view>, 2> value = {
      {{LrSchedule::kConstant, "constant"}, {LrSchedule::kCosine, "cosine"}}};
};

struct TrainOptions {
  int batch = 512;                    // rows of an optimizer step, never changed silently
  Auto<int> accumulate_grad_batches;  // micro-batches of a step (and shard)
  Auto<Precision> precision;          // autocast of the training forward
  float lr = 1e-3f;
  LrSchedule lr_schedule = LrSchedule::kCosine;
  float warmup_fraction = 0.02f;    // of the planned samples
  float lr_final_fraction = 0.02f;  // of lr, at the end of the cosine
  float weight_decay = 1e-4f;
  float grad_clip = 2.0f;       // global norm; 0 = off
  float ema_span = 100'000.0f;  // samples; 0 = no averaging
  float policy_weight = 1.0f;
  float value_weight = 1.0f;
  float value_mix = 0.25f;  // beta: share of the value loss taken from the search's root value
  float samples_per_position = 4.0f;  // how often a new position is trained on, on average
  int min_positions = 2'000;          // positions in the window before the first step
  int window_start = 20'000;          // c of the growing window (docs/learning.md)
  int window_max = 2'000'000;         // its cap, positions
  bool symmetries = true;             // a random symmetry a sample
  float held_out_fraction = 0.02f;    // of games, never trained on
  int prefetch = 2;                   // batches assembled ahead
};
template <class V>
void Describe(V& v, TrainOptions& o) {
  v.Field("batch", o.batch, Range{1, 65536},
          "rows of an optimizer step; memory limits never change it");
  v.Field("accumulate_grad_batches", o.accumulate_grad_batches, Range{1, 1024},
          "micro-batches a step is cut into");
  v.Field("precision", o.precision,
          "autocast of training: auto = bf16 where the device is fast at it");
  v.Field("lr", o.lr, Range{1e-8f, 10.0f}, "peak learning rate of AdamW");
  v.Field("lr_schedule", o.lr_schedule,
          "course of the learning rate over the run's planned samples");
  v.Field("warmup_fraction", o.warmup_fraction, Range{0.0f, 1.0f},
          "share of the planned samples with rising rate");
  v.Field("lr_final_fraction", o.lr_final_fraction, Range{0.0f, 1.0f},
          "rate at the end of the cosine, as a share of lr");
  v.Field("weight_decay", o.weight_decay, Range{0.0f, 1.0f},
          "decoupled weight decay of conv and linear weights");
  v.Field("grad_clip", o.grad_clip, Range{0.0f, 1e6f},
          "global gradient norm above which gradients are scaled; 0 = off");
  v.Field("ema_span", o.ema_span, Range{0.0f, 1e9f},
          "samples averaged by the weights that play; 0 = no averaging");
  v.Field("policy_weight", o.policy_weight, Range{0.0f, 100.0f}, "weight of the policy loss");
  v.Field("value_weight", o.value_weight, Range{0.0f, 100.0f}, "weight of the value loss");
  v.Field("value_mix", o.value_mix, Range{0.0f, 1.0f},
          "share of the value target taken from the root value of the search");
  v.Field("samples_per_position", o.samples_per_position, Range{0.01f, 1000.0f},
          "training samples per new position");
  v.Field("min_positions", o.min_positions, Range{1, 100'000'000},
          "positions in the window before training starts");
  v.Field("window_start", o.window_start, Range{1, 100'000'000},
          "positions of the replay window at the start of the run");
  v.Field("window_max", o.window_max, Range{1, 100'000'000},
          "positions of the replay window at most");
  v.Field("symmetries", o.symmetries, "train on random symmetric images");
  v.Field("held_out_fraction", o.held_out_fraction, Range{0.0f, 0.5f},
          "share of games kept for validation");
  v.Field("prefetch", o.prefetch, Range{1, 8}, "batches assembled ahead of the learner");
}

enum class Gate : std::uint8_t { kNone, kFixed };
template <>
struct EnumNames<Gate> {
  static constexpr std::array<std::pair<Gate, std::string_view>, 2> value = {
      {{Gate::kNone, "none"}, {Gate::kFixed, "fixed"}}};
};

struct ArenaOptions {
  Auto<int> num_workers;  // auto: as the plan has it
  int games = 100;        // a gate match; colour-swapped pairs, so rounded up to even
  Gate gate = Gate::kFixed;
  float threshold = 0.55f;  // score a candidate must reach
  Auto<int> visits;         // auto: search.visits
  int opening_plies = 2;    // random plies at the start of a pair; both games of a pair share them
  int final_games = 100;    // each match of the final summary; 0 = no final matches
  int final_mcts_visits = 200;  // of the pure-MCTS opponent there
};
template <class V>
void Describe(V& v, ArenaOptions& o) {
  v.Field("num_workers", o.num_workers, Range{1, 256}, "worker processes in the arena phase");
  v.Field("games", o.games, Range{2, 1'000'000}, "games of a gate match, in colour-swapped pairs");
  v.Field("gate", o.gate, "none: every candidate is published; fixed: it must reach the threshold");
  v.Field("threshold", o.threshold, Range{0.0f, 1.0f}, "score (win 1, draw 0.5) a candidate needs");
  v.Field("visits", o.visits, Range{1, 1'000'000},
          "simulations per arena move; auto = search.visits");
  v.Field("opening_plies", o.opening_plies, Range{0, 100},
          "random plies that open each pair of games");
  v.Field("final_games", o.final_games, Range{0, 1'000'000},
          "games of each match of the final summary; 0 = none");
  v.Field("final_mcts_visits", o.final_mcts_visits, Range{1, 1'000'000},
          "simulations of the pure-MCTS opponent of the final summary");
}

struct EngineOptions {
  std::string device = "auto";  // auto, cpu, cuda:0
  Auto<int> runners;            // CPU inference threads
  Auto<int> max_batch;          // largest bucket
  Auto<bool> cuda_graphs;
  int max_deaths_per_minute = 5;  // of one process; 0: no limit
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
  int keep_checkpoints = 3;   // the newest ones; best and first are always kept
  int checkpoint_every = 10;  // every n-th iteration's is kept for good; 0 = none
};
template <class V>
void Describe(V& v, LoopOptions& o) {
  v.Field("iterations", o.iterations, Range{1, 1'000'000},
          "iterations of self-play, training and arena");
  v.Field("keep_checkpoints", o.keep_checkpoints, Range{1, 1000},
          "newest checkpoints kept, besides best and first");
  v.Field("checkpoint_every", o.checkpoint_every, Range{0, 1'000'000},
          "every n-th checkpoint is kept for good; 0 = none");
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
