#include "engine/memory/measure.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>

#include "base/strings.h"
#include "engine/memory/kept_probe.h"
#include "engine/memory/probe_run.h"
#include "scheduler/checkpointing.h"
#include "scheduler/footprint.h"
#include "scheduler/planner.h"
#include "scheduler/probe.h"
#include "scheduler/throughput.h"

namespace az {
namespace {

constexpr int kProbeSteps = 3;
constexpr int kConfirmSteps = 2;
constexpr int kMostConfirmRounds = 3;
constexpr int kMostInferenceRows = 1024;  // on a GPU; past it nothing is gained
constexpr std::string_view kTrain = "train";
constexpr std::string_view kInference = "inference";

// What the formulas say of one shard's micro-batch, and of one batch in flight.
FittedPeak TrainingFormula(const PlanInput& input, const Plan& plan) {
  const int no_rows = 0;
  return {
      .fixed = TrainingStepBytes(input.net, plan.train_precision, plan.checkpoint_blocks, no_rows),
      .row = TrainingRowBytes(input.net, plan.train_precision, plan.checkpoint_blocks)};
}
FittedPeak InferenceFormula(const PlanInput& input, const Plan& plan) {
  return {.fixed = Bytes(), .row = InferenceRowBytes(input.net, plan.inference_precision)};
}

// Half of the budget may be used for a probe, less what is there anyway.
Bytes RoomOf(const PlanInput& input, const Plan& plan) {
  const Bytes budget = plan.device == DeviceKind::kCpu ? plan.ram_budget : plan.vram_budget;
  const Bytes state =
      TrainingStateBytes(input.net, plan.train_precision, plan.learner_shards).total();
  return std::max(Bytes(), budget - state);
}

// Confined to the call of Measure.
class Measuring {
 public:
  Measuring(const PlanInput& input, const Plan& plan, ProbeRun& run)
      : input_(input), plan_(plan), run_(run) {}

  // Both sizes, halved as long as they run out of memory. Fewer than two when that never ended.
  Result<std::vector<ProbePoint>> Points(std::string_view phase, const FittedPeak& formula,
                                         int parallel, int most) {
    const FittedPeak all = {.fixed = formula.fixed * parallel, .row = formula.row * parallel};
    std::optional<ProbeSizes> sizes = ChooseProbeSizes(all, RoomOf(input_, plan_), most);
    while (sizes) {
      std::vector<ProbePoint> points;
      for (const int rows : {sizes->large, sizes->small}) {
        AZ_ASSIGN_OR_RETURN(const std::optional<ProbePoint> point,
                            RunSize(phase, rows, kProbeSteps, formula, false));
        if (point) points.push_back(*point);
      }
      if (points.size() == 2) return points;
      if (!measurement_.sizes.back().out_of_memory && points.empty()) break;  // bytes unknown
      sizes = HalvedSizes(*sizes);
    }
    measurement_.notes.push_back(StrCat(phase, ": no two sizes could be measured"));
    return std::vector<ProbePoint>();
  }

  // One size; nothing when it ran out of memory, or when the device cannot tell its bytes.
  Result<std::optional<ProbePoint>> RunSize(std::string_view phase, int rows, int steps,
                                            const FittedPeak& expected, bool confirms) {
    AZ_ASSIGN_OR_RETURN(MeasuredSize size, Run({.phase = std::string(phase),
                                                .rows = rows,
                                                .steps = steps,
                                                .checkpoint_blocks = plan_.checkpoint_blocks}));
    size.confirms = confirms;
    size.predicted = expected.At(rows);
    measurement_.sizes.push_back(std::move(size));
    return PointOf(measurement_.sizes.back());
  }

  // What every run of this size took together: the highest peak, the fastest step.
  std::optional<ProbePoint> Seen(std::string_view phase, int rows) const {
    std::optional<ProbePoint> seen;
    for (const MeasuredSize& size : measurement_.sizes) {
      if (size.phase != phase || size.rows != rows) continue;
      const std::optional<ProbePoint> point = PointOf(size);
      if (!point) continue;
      if (!seen) seen = point;
      seen->peak = std::max(seen->peak, point->peak);
      seen->micros = std::min(seen->micros, point->micros);
    }
    return seen;
  }

  // Runs training with one rung of its ladder taken, beside `without` it.
  Result<void> PriceTraining(MeasuredPrice price, int micro_batches, int checkpoint_blocks,
                             const ProbePoint& without) {
    AZ_ASSIGN_OR_RETURN(const MeasuredSize size, Run({.phase = std::string(kTrain),
                                                      .rows = price.rows,
                                                      .steps = kConfirmSteps,
                                                      .micro_batches = micro_batches,
                                                      .checkpoint_blocks = checkpoint_blocks}));
    price.out_of_memory = size.out_of_memory;
    if (std::optional<ProbePoint> with = PointOf(size)) {
      with->rows *= micro_batches;
      Compare(without, *with, plan_.learner_shards, price);
    }
    measurement_.prices.push_back(std::move(price));
    return {};
  }

  // Both were run already.
  void PriceInference(const ProbePoint& large, const ProbePoint& small) {
    MeasuredPrice price{.key = "engine.max_batch",
                        .from = StrCat(large.rows),
                        .to = StrCat(small.rows),
                        .rows = small.rows};
    Compare(large, small, RunAtOnce(plan_), price);
    measurement_.prices.push_back(std::move(price));
  }

  // Runs exactly this size and puts it into the fit. False when it cannot be run or measured.
  Result<bool> Confirm(std::string_view phase, int rows, int parallel, FittedPeak& fit,
                       Calibration& calibration) {
    AZ_ASSIGN_OR_RETURN(const std::optional<ProbePoint> point,
                        RunSize(phase, rows, kConfirmSteps, fit, true));
    if (!point) {
      measurement_.notes.push_back(StrCat(phase, " with ", rows, " rows could not be confirmed"));
      return false;
    }
    calibration.confirm_residual =
        std::max(calibration.confirm_residual, ConfirmResidual(fit, *point) * parallel);
    fit.See(rows, point->peak);
    return true;
  }

  Measurement& measurement() { return measurement_; }

 private:
  Result<MeasuredSize> Run(const ProbeMessage& message) {
    AZ_ASSIGN_OR_RETURN(const ProbedMessage probed, run_.Ask(message));
    return SizeOf(plan_, message, probed);
  }

  static std::optional<ProbePoint> PointOf(const MeasuredSize& size) {
    if (!size.peak()) return std::nullopt;
    return ProbePoint{.rows = size.rows, .peak = *size.peak(), .micros = size.step_us};
  }

  static void Compare(const ProbePoint& without, const ProbePoint& with, int parallel,
                      MeasuredPrice& price) {
    price.saved = (without.peak - with.peak) * parallel;
    price.time_ratio = with.micros / with.rows / (without.micros / without.rows);
  }

  const PlanInput& input_;
  const Plan& plan_;
  ProbeRun& run_;
  Measurement measurement_;
};

// Fits of both phases, as far as they could be measured.
Result<Calibration> Probe(const PlanInput& input, const Plan& plan, bool prices,
                          Measuring& measuring) {
  Calibration calibration;
  const int shards = plan.learner_shards;
  const FittedPeak train = TrainingFormula(input, plan);
  AZ_ASSIGN_OR_RETURN(
      const std::vector<ProbePoint> training,
      measuring.Points(kTrain, train, shards, std::max(4, input.wishes.batch / shards)));
  if (training.size() == 2) {
    Remember(calibration, ProbedTraining{.precision = plan.train_precision,
                                         .checkpoint_blocks = plan.checkpoint_blocks,
                                         .peak = FitPeak(training, train.row),
                                         .time = FitTime(training),
                                         .at_once = shards});
  }
  const FittedPeak infer = InferenceFormula(input, plan);
  const int most = plan.device == DeviceKind::kCpu ? plan.buckets.back() : kMostInferenceRows;
  AZ_ASSIGN_OR_RETURN(const std::vector<ProbePoint> inference,
                      measuring.Points(kInference, infer, RunAtOnce(plan), most));
  if (inference.size() == 2) {
    Remember(calibration, ProbedInference{.precision = plan.inference_precision,
                                          .peak = FitPeak(inference, infer.row),
                                          .time = FitTime(inference),
                                          .at_once = RunAtOnce(plan)});
    if (prices) measuring.PriceInference(inference.front(), inference.back());
  }
  return calibration;
}

// Fits are of one shard and one batch in flight, so their numbers may differ.
bool SameForms(const Plan& a, const Plan& b) {
  return a.train_precision == b.train_precision && a.inference_precision == b.inference_precision &&
         a.checkpoint_blocks == b.checkpoint_blocks && a.device == b.device;
}

// Runs the sizes of the plan that follows from the measurements; where what they took changes the
// plan, its new sizes too. Returns the plan in the end.
Result<Plan> ConfirmPlan(const Plan& probed, PlanInput& seen, Measuring& measuring) {
  Calibration& calibration = seen.calibration;
  for (int round = 0;; ++round) {
    AZ_ASSIGN_OR_RETURN(Plan chosen, MakePlan(seen));
    if (!SameForms(probed, chosen)) {
      measuring.measurement().notes.emplace_back(
          "not confirmed: the plan made from the measurements runs in another form (formats, "
          "checkpointing)");
      return chosen;
    }
    if (round == kMostConfirmRounds) return chosen;  // what is new in it stays predicted
    bool has_news = false;
    for (ProbedTraining& fit : calibration.training) {
      if (round > 0 && fit.peak.WasSeen(chosen.micro_batch)) continue;
      AZ_ASSIGN_OR_RETURN(const bool ran, measuring.Confirm(kTrain, chosen.micro_batch, fit.at_once,
                                                            fit.peak, calibration));
      has_news |= ran;
    }
    for (ProbedInference& fit : calibration.inference) {
      const int rows = chosen.buckets.back();
      if (round > 0 && fit.peak.WasSeen(rows)) continue;
      AZ_ASSIGN_OR_RETURN(const bool ran,
                          measuring.Confirm(kInference, rows, fit.at_once, fit.peak, calibration));
      has_news |= ran;
    }
    if (!has_news) return chosen;
  }
}

// Training at the size that was chosen, with one rung more taken, each in turn.
Result<void> PriceTraining(const PlanInput& input, const Plan& probed, const Plan& chosen,
                           Measuring& measuring) {
  const std::optional<ProbePoint> without =
      SameForms(probed, chosen) ? measuring.Seen(kTrain, chosen.micro_batch) : std::nullopt;
  if (!without) {
    measuring.measurement().notes.emplace_back(
        "train: no prices, as the size that was chosen was not run");
    return {};
  }
  if (chosen.micro_batch > 1) {
    AZ_RETURN_IF_ERROR(measuring.PriceTraining({.key = "train.accumulate_grad_batches",
                                                .from = StrCat(chosen.accumulate),
                                                .to = StrCat(2 * chosen.accumulate),
                                                .rows = (chosen.micro_batch + 1) / 2},
                                               2, chosen.checkpoint_blocks, *without));
  }
  if (chosen.checkpoint_blocks > 0 || input.net.res_blocks == 0) return {};
  return measuring.PriceTraining({.key = "train.gradient_checkpointing",
                                  .from = "off",
                                  .to = "on",
                                  .rows = chosen.micro_batch},
                                 1, BestSegment(input.net.res_blocks), *without);
}

}  // namespace

MeasuredSize SizeOf(const Plan& plan, const ProbeMessage& asked, const ProbedMessage& probed) {
  const bool trains = asked.phase == kTrain;
  const int at_once = trains ? plan.learner_shards : RunAtOnce(plan);
  const int in_turn = trains ? 1 : plan.runners / at_once;
  const auto beside_state = [&](std::int64_t peak) -> std::optional<Bytes> {
    if (probed.out_of_memory || peak < 0 || probed.state_bytes < 0) return std::nullopt;
    return Bytes((peak - probed.state_bytes + at_once - 1) / at_once);
  };
  return {.phase = asked.phase,
          .rows = asked.rows,
          .out_of_memory = probed.out_of_memory,
          .first_step = beside_state(probed.first_peak_bytes),
          .later_steps = beside_state(probed.peak_bytes),
          .process = Bytes(std::max<std::int64_t>(0, probed.process_bytes)),
          .step_us = probed.step_us / in_turn};
}

Result<Measurement> Measure(const RunConfig& config, const GameOps& game, const PlanInput& input,
                            const std::filesystem::path& programs, const Clock& clock,
                            const MeasuringOptions& options) {
  PlanInput seen = input;
  seen.calibration = {};
  AZ_ASSIGN_OR_RETURN(const Plan first, MakePlan(seen));
  const ProbeSetup setup{.config = config,
                         .game = game,
                         .clock = clock,
                         .programs = programs,
                         .on_signal = options.on_signal};
  AZ_ASSIGN_OR_RETURN(const std::unique_ptr<ProbeRun> run, ProbeRun::Start(setup, first));
  Measuring measuring(input, first, *run);
  AZ_ASSIGN_OR_RETURN(seen.calibration, Probe(input, first, options.prices, measuring));
  seen.calibration.context = run->context();
  AZ_ASSIGN_OR_RETURN(Plan plan, ConfirmPlan(first, seen, measuring));
  if (options.prices) AZ_RETURN_IF_ERROR(PriceTraining(input, first, plan, measuring));
  Measurement measurement = std::move(measuring.measurement());
  measurement.device = run->device();
  measurement.plan = std::move(plan);
  measurement.calibration = std::move(seen.calibration);
  return measurement;
}

bool ShouldMeasure(const RunConfig& config, const PlanInput& input) {
  if (config.memory.probe == ProbeMode::kAlways) return true;
  return config.memory.probe == ProbeMode::kAuto && input.device.kind == DeviceKind::kCuda &&
         input.calibration == Calibration();
}

}  // namespace az
