#pragma once
// Measuring what a plan's batches take: probe two sizes of training and of inference, fit, plan
// with it, confirm at exactly the sizes that were chosen. For az_plan --measure and memory.probe.

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "engine/config/run_config.h"
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
  Bytes measured;              // peak beside the state, of a shard or batch in flight
  Bytes process;               // anonymous memory of the device process afterwards
  double step_us = 0;
};

struct Measurement {
  Calibration calibration;
  std::vector<MeasuredSize> sizes;  // in the order they were run
  std::string device;               // what the device process calls itself
  Plan plan;                        // made with all of it
  std::vector<std::string> notes;   // what could not be measured
};

// Starts a device process and blocks for some seconds. The calling thread must be the process's
// only one. Fails: as MakePlan, as ProbeRun (kStopped after `on_signal`, which may be empty, was
// told which signal); a size that runs out of memory is no failure.
Result<Measurement> Measure(const RunConfig& config, const GameOps& game, const PlanInput& input,
                            const std::filesystem::path& programs, const Clock& clock,
                            const std::function<void(int)>& on_signal = {});

// Whether az_train should measure before its first phase: memory.probe is always, or is auto and
// this is a GPU of which nothing is known. (On a CPU the formulas were checked; see
// docs/memory.md.)
bool ShouldMeasure(const RunConfig& config, const PlanInput& input);

}  // namespace az
