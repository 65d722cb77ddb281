#include "bench/footprint_measure.h"

#include <torch/utils.h>

#include <algorithm>
#include <memory>
#include <utility>

#include "base/check.h"
#include "base/rng.h"
#include "base/strings.h"
#include "engine/net/byte_trace.h"
#include "engine/net/capped_cpu_allocator.h"
#include "engine/net/checkpoint.h"
#include "engine/train/batch_tensors.h"
#include "engine/train/learner.h"
#include "games/game.h"
#include "scheduler/footprint.h"

namespace az {
namespace {

constexpr std::uint64_t kSeed = 1;

std::vector<std::uint64_t> RandomPlanes(const PlaneShape& shape, int rows) {
  Rng rng(kSeed);
  const auto words = static_cast<std::size_t>(rows) * static_cast<std::size_t>(shape.words());
  std::vector<std::uint64_t> planes(words);
  for (std::uint64_t& word : planes) word = rng.Next();
  return planes;
}

TrainBatch RandomBatch(const NetShape& shape, int rows) {
  Rng rng(kSeed);
  const auto n = static_cast<std::size_t>(rows);
  const auto cells = n * static_cast<std::size_t>(shape.actions);
  TrainBatch batch{
      .rows = rows, .actions = shape.actions, .shape = {shape.planes, shape.rows, shape.cols}};
  batch.planes = RandomPlanes(batch.shape, rows);
  batch.policy.assign(cells, 1.0f / static_cast<float>(shape.actions));
  batch.legal.assign(cells, 1);
  batch.policy_weight.assign(n, 1.0f);
  for (std::size_t i = 0; i < n; ++i) {
    batch.value_class.push_back(static_cast<std::int64_t>(rng.Below(3)));
    batch.root_value.push_back(static_cast<float>(rng.Uniform()));
  }
  return batch;
}

// The optimizer alone, on a state of its own.
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
  const TrainBatch batch = RandomBatch(c.shape, c.rows);
  const StepRows rows = RowsOf(batch, learner->input_type(), learner->device());
  for (int step = 0; step < 2; ++step) {  // the first one sets things up
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
  const std::vector<std::uint64_t> bits = RandomPlanes(planes, c.rows);
  const auto rows = static_cast<std::size_t>(c.rows);
  std::vector<float> logits(rows * static_cast<std::size_t>(c.shape.actions));
  std::vector<float> values(rows);
  const bool direct = c.kernels == NetKernels::kDirect;
  ByteTrace trace(heap);
  AZ_ASSIGN_OR_RETURN(const std::unique_ptr<const InferenceNet> net,
                      InferenceNet::Create(weights, {c.precision, c.kernels}));
  // Our own kernels' arrays are no tensors.
  const FootprintFigure state = {
      .phase = "inference weights",
      .traced = direct ? trace.live() + trace.other() : trace.live(),
      .predicted = direct ? DirectStateBytes(c.shape) : InferenceStateBytes(c.shape, c.precision)};
  figures.push_back(state);
  const InferenceBatch batch{bits.data(), logits.data(), values.data(), c.rows, c.rows};
  InferenceScratch scratch;
  trace.Restart();
  AZ_RETURN_IF_ERROR(net->Forward(batch, scratch));
  const Bytes arrays = trace.other();  // kept from now on; with LibTorch also its plans and code
  trace.Restart();
  AZ_RETURN_IF_ERROR(net->Forward(batch, scratch));
  const Bytes predicted =
      direct ? DirectScratchBytes(c.shape) : InferenceBatchBytes(c.shape, c.precision, c.rows);
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
