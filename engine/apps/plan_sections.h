#pragma once
// The parts of az_plan's output beside the plan itself, and the file of --write. plan_command.h puts
// them together; nobody else uses them.

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "engine/apps/plan_setup.h"
#include "engine/memory/measure.h"
#include "scheduler/plan.h"

namespace az {

// A part of the output, as text and as JSON.
struct PlanSection {
  std::string name;  // its key in --json
  std::string text;  // ends in a newline
  std::string json;  // one JSON value
};

// ---- two plans ----

inline constexpr std::string_view kSamePlan = "nothing changes";

// The differences in words: "num_workers 16; device memory 800 MiB -> 1.20 GiB", or kSamePlan.
std::string PlanDifference(const Plan& from, const Plan& to);

// ---- --explain KEY ----

// The value of a config key in the plan, the reason for it, and what would change it. All of it comes
// from planning again with one thing changed. Fails with kInvalid when there is no such key; the
// message names the nearest one.
Result<PlanSection> Explain(const PlanArguments& arguments, const PlanSetup& setup,
                            const Plan& plan, std::string_view key);

// ---- --measure ----

// The device process's measurements.
PlanSection MeasureSection(const Measurement& measurement);

// ---- --simulate ----

// The layout of the plan's phases on the simulated card. REQUIRES: the plan is for a simulated card,
// and SimulatePhases returns phases for it.
PlanSection SimulatedSection(const PlanInput& input, const Plan& plan);

// The differences in layout: "self_play 690 -> 813 MiB and 0 -> 20 % fragmented, ...; laid out on a
// SIMULATED card". Empty when there are none, or no GPU.
std::string LayoutDifference(const PlanInput& from_input, const Plan& from,
                             const PlanInput& to_input, const Plan& to);

// ---- --sweep num_workers ----

struct SweepPoint {
  int workers = 0;
  std::optional<Plan> plan;  // nullopt: it does not fit, whatever else is given up
  // The speed of a real run with so many workers; nullopt: not measured.
  std::optional<double> measured_moves_per_s;
  std::optional<Bytes> measured_ram;
};

// Plans for 1, 2, 3, 4, 6, 8, 12, … workers, up to twice the planner's own choice but at least to 8.
// arena.num_workers is the same number where it is auto. The number of workers is never given up;
// other sizes may be.
std::vector<SweepPoint> SweepWorkers(const PlanInput& input);

// The points as a table and a bar chart.
PlanSection SweepSection(const PlanInput& input, const std::vector<SweepPoint>& points);

// ---- --write FILE ----

// The text of a config that az_train takes, with the plan's numbers in place of auto; comments say
// where they come from. Planning with it again on the same device gives the same numbers.
Result<std::string> TunedConfig(const PlanSetup& setup, const Plan& plan);

// Writes that text. Fails with kInvalid when the file exists and was not written by this function,
// and with kIo.
Result<void> WriteTunedConfig(const PlanSetup& setup, const Plan& plan,
                              const std::filesystem::path& file);

}  // namespace az
