#pragma once
// Options of the training phase; included by options.h.

#include <array>
#include <cstdint>
#include <string_view>
#include <utility>

#include "base/describe.h"
#include "scheduler/checkpointing.h"
#include "scheduler/precision.h"

namespace az {

enum class LrSchedule : std::uint8_t { kConstant, kCosine, kSteps };
template <>
struct EnumNames<LrSchedule> {
  static constexpr std::array<std::pair<LrSchedule, std::string_view>, 3> value = {
      {{LrSchedule::kConstant, "constant"},
       {LrSchedule::kCosine, "cosine"},
       {LrSchedule::kSteps, "steps"}}};
};

enum class FastPlies : std::uint8_t { kNone, kValue };
template <>
struct EnumNames<FastPlies> {
  static constexpr std::array<std::pair<FastPlies, std::string_view>, 2> value = {
      {{FastPlies::kNone, "none"}, {FastPlies::kValue, "value"}}};
};

struct TrainOptions {
  int batch = 512;                    // rows per optimizer step, never changed silently
  Auto<int> accumulate_grad_batches;  // micro-batches per step (and shard)
  Auto<Precision> precision;          // training's, forward and backward
  Auto<Checkpointing> gradient_checkpointing;
  float lr = 1e-3f;
  LrSchedule lr_schedule = LrSchedule::kCosine;
  float warmup_fraction = 0.02f;    // share of the planned samples
  float lr_final_fraction = 0.02f;  // share of lr at the end of the cosine or after the last drop
  int lr_steps = 3;                 // drops in the schedule `steps`
  float weight_decay = 1e-4f;
  float grad_clip = 2.0f;       // global norm; 0 = off
  float ema_span = 100'000.0f;  // samples; 0 = no averaging
  float policy_weight = 1.0f;
  float value_weight = 1.0f;
  float value_mix = 0.25f;       // beta: share of the value loss taken from the search's root value
  float opponent_weight = 0.0f;  // 0: the network has no such head
  float short_term_weight = 0.0f;  // 0: the network has no such head
  bool proven_targets = true;
  bool merge_duplicates = false;
  float surprise_weight = 0.0f;  // a and b of docs/learning.md, Data
  float surprise_value_weight = 0.0f;
  float samples_per_position = 4.0f;  // how often a new position is trained on, on average
  int max_steps = 0;                  // optimizer steps per training phase; 0 = all that are due
  int min_positions = 2'000;          // positions in the window before the first step
  int window_start = 20'000;          // c of the growing window (docs/learning.md)
  int window_max = 2'000'000;         // its cap, positions
  bool symmetries = true;             // turns each sample by a random symmetry
  float held_out_fraction = 0.02f;    // share of the games that are never trained on
  FastPlies fast_plies = FastPlies::kNone;
  int prefetch = 2;  // batches assembled ahead
};
template <class V>
void Describe(V& v, TrainOptions& o) {
  v.Field("batch", o.batch, Range{1, 65536},
          "rows of an optimizer step; memory limits never change it");
  v.Field("accumulate_grad_batches", o.accumulate_grad_batches, Range{1, 1024},
          "micro-batches a step is cut into");
  v.Field("precision", o.precision,
          "of forwards and backwards in training: auto = bf16 where the device is fast at it");
  v.Field("gradient_checkpointing", o.gradient_checkpointing,
          "recompute residual blocks in the backward pass: exact, slower, less memory; a number = "
          "blocks of a segment");
  v.Field("lr", o.lr, Range{1e-8f, 10.0f}, "peak learning rate of AdamW");
  v.Field("lr_schedule", o.lr_schedule,
          "course of the learning rate over the run's planned samples");
  v.Field("warmup_fraction", o.warmup_fraction, Range{0.0f, 1.0f},
          "share of the planned samples with rising rate");
  v.Field("lr_final_fraction", o.lr_final_fraction, Range{0.0f, 1.0f},
          "rate at the end of the cosine or after the last step, as a share of lr");
  v.Field(
      "lr_steps", o.lr_steps, Range{1, 100},
      "how often lr_schedule steps lowers the rate, by the same factor after equal shares of the "
      "samples past warm-up");
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
  v.Field("opponent_weight", o.opponent_weight, Range{0.0f, 100.0f},
          "weight of predicting the opponent's next policy, by a head that only training has; 0 = "
          "no such head");
  v.Field("short_term_weight", o.short_term_weight, Range{0.0f, 100.0f},
          "weight of predicting the value a few plies ahead, by a head that only training has; 0 = "
          "no such head");
  v.Field("proven_targets", o.proven_targets,
          "a proven position's exact value takes the place of the game's outcome");
  v.Field("merge_duplicates", o.merge_duplicates,
          "equal positions of the window are one sample, with the mean of their targets and the "
          "weight 1 + log2(how many)");
  v.Field("surprise_weight", o.surprise_weight, Range{0.0f, 1.0f},
          "share of a game's samples drawn by how far the search moved the policy; 0 = off");
  v.Field("surprise_value_weight", o.surprise_value_weight, Range{0.0f, 1.0f},
          "share of a game's samples drawn by how wrong the network's value was; 0 = off");
  v.Field("samples_per_position", o.samples_per_position, Range{0.01f, 1000.0f},
          "training samples per new position");
  v.Field("max_steps", o.max_steps, Range{0, 1'000'000'000},
          "optimizer steps of an iteration at most, for trials; those left out are not made up for "
          "later; 0 = as many as samples_per_position asks for");
  v.Field("min_positions", o.min_positions, Range{1, 100'000'000},
          "positions in the window before training starts");
  v.Field("window_start", o.window_start, Range{1, 100'000'000},
          "positions of the replay window at the start of the run");
  v.Field("window_max", o.window_max, Range{1, 100'000'000},
          "positions of the replay window at most");
  v.Field("symmetries", o.symmetries, "train on random symmetric images");
  v.Field("held_out_fraction", o.held_out_fraction, Range{0.0f, 0.5f},
          "share of games kept for validation");
  v.Field("fast_plies", o.fast_plies,
          "what plies of fast searches (search.full_fraction) teach: nothing, or their outcome");
  v.Field("prefetch", o.prefetch, Range{1, 8}, "batches assembled ahead of the learner");
}

}  // namespace az
