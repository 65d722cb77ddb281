#pragma once
// Measuring what a plan's batches take: probe two sizes of training and of inference, fit, plan
// with it, confirm at exactly the sizes that were chosen. For az_plan --measure and memory.probe.

#include <algorithm>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "engine/config/run_config.h"
#include "engine/process/probe_messages.h"
#include "games/game_ops.h"
#include "scheduler/plan.h"

namespace az {

// One batch size that was run.
struct MeasuredSize {
  std::string phase;  // "train", "inference"
  int rows = 0;
  bool confirms = false;       // run at the size that the plan chose
  bool out_of_memory = false;  // the rest is then empty
  Bytes predicted;             // before it was run: by formula, or by the fit when it confirms
  // Peaks beside the state, of a shard or batch in flight; nothing: the device cannot tell. The
  // first step has what libraries set up once.
  std::optional<Bytes> first_step;
  std::optional<Bytes> later_steps;
  Bytes process;       // anonymous memory of the device process afterwards
  double step_us = 0;  // of one of those that take turns

  // What is planned with: what is set up once must fit too.
  std::optional<Bytes> peak() const { return std::max(first_step, later_steps); }
};

// The size of a probe's answer, which is of all shards, or of a batch on every runner, together.
MeasuredSize SizeOf(const Plan& plan, const ProbeMessage& asked, const ProbedMessage& probed);

// What one rung of a ladder saves and costs: a run with it beside one without.
struct MeasuredPrice {
  std::string key;  // of the config: "train.gradient_checkpointing"
  std::string from;
  std::string to;
  int rows = 0;                // of a micro-batch or bucket, with the rung taken
  bool out_of_memory = false;  // the rest is then empty
  Bytes saved;                 // of all shards or batches in flight; below 0: it takes more
  double time_ratio = 0;       // for the same rows: 1.3 takes 30 % longer
};

struct Measurement {
  Calibration calibration;
  std::vector<MeasuredSize> sizes;    // in the order they were run
  std::vector<MeasuredPrice> prices;  // when asked for
  std::string device;                 // what the device process calls itself
  Plan plan;                          // made with all of it
  std::vector<std::string> notes;     // what could not be measured
};

struct MeasuringOptions {
  bool prices = false;                      // takes about half as long again
  std::function<void(int)> on_signal = {};  // told which one ends the measuring
};

// Starts a device process and blocks for some seconds. The calling thread must be the process's
// only one. Fails: as MakePlan, as ProbeRun (kStopped after `on_signal` was told); a size that runs
// out of memory is no failure.
Result<Measurement> Measure(const RunConfig& config, const GameOps& game, const PlanInput& input,
                            const std::filesystem::path& programs, const Clock& clock,
                            const MeasuringOptions& options = {});

// Whether az_train should measure before its first phase: memory.probe is always, or is auto and
// this is a GPU of which nothing is known. (On a CPU the formulas were checked; see
// docs/memory.md.)
bool ShouldMeasure(const RunConfig& config, const PlanInput& input);

}  // namespace az
