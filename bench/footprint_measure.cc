#include "bench/footprint_measure.h"

#include <torch/utils.h>

#include <algorithm>
#include <memory>
#include <utility>

#include "base/check.h"
#include "base/rng.h"
#include "base/strings.h"
#include "engine/data/random_rows.h"
#include "engine/net/byte_trace.h"
#include "engine/net/capped_cpu_allocator.h"
#include "engine/net/checkpoint.h"
#include "engine/net/net_spec.h"
#include "engine/net/network.h"
#include "engine/train/batch_tensors.h"
#include "engine/train/learner.h"
#include "games/game.h"
#include "scheduler/footprint.h"

namespace az {
namespace {

constexpr std::uint64_t kSeed = 1;

// Traces the optimizer alone, with a state of its own.
FootprintFigure TraceOptimizer(const NetShape& shape, CappedHeap& heap) {
  const torch::NoGradGuard no_grad;
  LearnerState state = LearnerState::Fresh(shape, kSeed);
  const FlatLayout layout = FlatLayout::Of(*Network(shape));
  Optimizer optimizer({}, layout, torch::kCPU);
  torch::Tensor gradient = torch::ones({layout.weight_count});
  optimizer.Update(state, gradient, 0.5, 1e-3);
  ByteTrace trace(heap);
  optimizer.Update(state, gradient, 0.5, 1e-3);
  return {.phase = "optimizer", .traced = trace.peak(), .predicted = Bytes()};
}

Result<std::vector<FootprintFigure>> TraceTraining(const FootprintCase& c, CappedHeap& heap) {
  std::vector<FootprintFigure> figures = {TraceOptimizer(c.shape, heap)};
  ByteTrace trace(heap);
  LearnerOptions options{
      .micro_batch = c.rows, .checkpoint_stages = c.checkpoint_blocks, .precision = c.precision};
  options.train.batch = c.rows;
  AZ_ASSIGN_OR_RETURN(const std::unique_ptr<Learner> learner,
                      Learner::Create(c.shape, options, LearnerState::Fresh(c.shape, kSeed)));
  const FootprintFigure state = {.phase = "train state",
                                 .traced = trace.live(),
                                 .predicted = TrainingStateBytes(c.shape, c.precision, 1).total()};
  figures.push_back(state);
  Rng rng(kSeed);
  const TrainBatch batch =
      RandomTrainBatch({c.shape.planes, c.shape.rows, c.shape.cols}, c.shape.actions, c.rows, rng,
                       {.opponent = c.shape.opponent_head, .short_term = c.shape.short_term_head});
  const StepRows rows = RowsOf(batch, learner->input_type(), learner->device());
  for (int step = 0; step < 2; ++step) {  // the first step sets things up
    trace.Restart();
    AZ_ASSIGN_OR_RETURN(const StepReport report, learner->Step(rows, 1e-3));
    AZ_CHECK(!report.is_skipped);
  }
  const Bytes predicted = TrainingStepBytes(c.shape, c.precision, c.checkpoint_blocks, c.rows);
  figures.push_back({.phase = "train step",
                     .traced = trace.peak(),
                     .predicted = predicted,
                     .reserved = trace.reserved_peak(),
                     .planned = predicted + CpuSlackBytes(state.predicted + predicted)});
  return figures;
}

Result<std::vector<FootprintFigure>> TraceInference(const FootprintCase& c, CappedHeap& heap) {
  std::vector<FootprintFigure> figures;
  torch::manual_seed(kSeed);
  const Weights weights = WeightsOf(*Network(c.shape), {.shape = c.shape});
  const PlaneShape planes{c.shape.planes, c.shape.rows, c.shape.cols};
  Rng rng(kSeed);
  const std::vector<std::uint64_t> bits = RandomPlanes(planes, c.rows, rng);
  const auto rows = static_cast<std::size_t>(c.rows);
  std::vector<float> logits(rows * static_cast<std::size_t>(c.shape.actions));
  std::vector<float> values(rows);
  const bool direct = c.kernels != NetKernels::kOnednn;
  const CpuUnit here = CpuHasTiles() ? CpuUnit::kTiles : CpuUnit::kVectors;
  ByteTrace trace(heap);
  AZ_ASSIGN_OR_RETURN(const std::unique_ptr<const InferenceNet> net,
                      InferenceNet::Create(weights, {c.precision, c.kernels}));
  // Our own kernels' arrays are no tensors.
  const FootprintFigure state = {
      .phase = "inference weights",
      .traced = direct ? trace.live() + trace.other() : trace.live(),
      .predicted =
          direct ? DirectStateBytes(c.shape) : InferenceStateBytes(c.shape, c.precision, here)};
  figures.push_back(state);
  const InferenceBatch batch{bits.data(), logits.data(), values.data(), c.rows, c.rows};
  InferenceScratch scratch;
  trace.Restart();
  AZ_RETURN_IF_ERROR(net->Forward(batch, scratch));
  const Bytes arrays = trace.other();  // stays allocated; with LibTorch also its plans and code
  trace.Restart();
  AZ_RETURN_IF_ERROR(net->Forward(batch, scratch));
  const Bytes predicted =
      direct ? DirectScratchBytes(
                   c.shape, c.kernels == NetKernels::kTiles ? CpuUnit::kTiles : CpuUnit::kVectors)
             : InferenceBatchBytes(c.shape, c.precision, c.rows, here);
  const Bytes kept = direct ? arrays : Bytes();
  figures.push_back({.phase = "forward",
                     .traced = trace.peak() + kept,
                     .predicted = predicted,
                     .reserved = trace.reserved_peak() + arrays,
                     .planned = predicted + CpuSlackBytes(state.predicted + predicted)});
  return figures;
}

}  // namespace

Result<std::vector<FootprintFigure>> TraceFootprint(const FootprintCase& wanted) {
  CappedHeap* heap = InstalledCpuHeap();
  AZ_CHECK(heap != nullptr) << "InstallCappedCpuAllocator comes first";
  return wanted.trains ? TraceTraining(wanted, *heap) : TraceInference(wanted, *heap);
}

}  // namespace az
