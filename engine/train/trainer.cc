#include "engine/train/trainer.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <iterator>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/rng.h"
#include "base/strings.h"
#include "engine/train/batch_tensors.h"
#include "engine/train/divergence.h"
#include "engine/train/prefetcher.h"
#include "engine/train/schedule.h"
#include "engine/train/training_metrics.h"

namespace az {
namespace {

// Streams of training: of no game (games fork by their id, whose first byte is a small kind).
constexpr std::uint64_t kTrainStream = 0xFF00'0000'0000'0001;
constexpr std::uint64_t kStatisticsStream = 0xFF00'0000'0000'0002;
constexpr std::uint64_t kHeldOutStream = 0xFF00'0000'0000'0003;
constexpr std::uint64_t kJudgedStream = 0xFF00'0000'0000'0004;
constexpr std::uint64_t kServedStream = 0xFF00'0000'0000'0005;

constexpr int kStatisticsRows =
    4096;  // enough for means to 1 % of a deviation: rows x cells numbers a channel
constexpr int kHeldOutRows = 1024;  // of each of the two held-out losses
constexpr int kJudgedRows = 256;  // of the window, judged before the first and after the last step
constexpr int kMostLosses = 5;    // of the device, in one training
constexpr Duration kProgressInterval = std::chrono::milliseconds(500);

SampleRatioOptions RatioOptions(const TrainOptions& options) {
  // Phases take turns and a phase inserts what it likes, so no slack bounds it; the debt is worked
  // off in whole batches.
  return {.samples_per_position = options.samples_per_position,
          .min_to_sample = options.min_positions,
          .slack = static_cast<double>(options.batch),
          .largest_sample = options.batch};
}

// A row with a target that is not finite says nothing of the weights.
bool HasFiniteTargets(const TrainBatch& batch, std::size_t row) {
  const auto is_finite = [](float number) { return std::isfinite(number); };
  const auto actions = static_cast<std::size_t>(batch.actions);
  const auto policy = std::span(batch.policy).subspan(row * actions, actions);
  if (!std::ranges::all_of(policy, is_finite) || !is_finite(batch.root_value[row])) return false;
  if (batch.has.short_term && !is_finite(batch.short_term[row])) return false;
  if (!batch.has.opponent) return true;
  return std::ranges::all_of(std::span(batch.opponent).subspan(row * actions, actions), is_finite);
}

}  // namespace

struct Trainer::EndLosses {
  JudgedLoss trained;  // of the weights being trained; NaN where the gradient is not finite
  JudgedLoss average;  // of those that play
};

struct Trainer::Run {
  Run(const TrainMessage& asked, const Rng& stream) : message(asked), rng(stream) {}

  const TrainMessage& message;
  const Rng rng;            // forked a step
  LearnerCheckpoint start;  // what training began from
  std::optional<SampleRatio> ratio;
  std::optional<BatchAssembler> assembler;
  std::unique_ptr<Learner> learner;
  SamplePlan plan;
  JudgedLoss ignorance;  // LossOfIgnorance
  DivergenceWatch watch{0.0};
  TrainBatch judged;  // no rows: none has finite targets
  EndLosses before;   // of `start`
  TrainingMetrics metrics;
};

Trainer::Trainer(const GameOps& game, const NetShape& shape, const JournalIdentity& run,
                 TrainerOptions options, const Log& log, const Clock& clock)
    : game_(game),
      identity_(CheckpointIdentity::Of(shape, game.info())),
      options_(std::move(options)),
      log_(log),
      clock_(clock),
      data_(game, run, options_.learner.train) {}

Result<TrainedMessage> Trainer::Train(const TrainMessage& message, const Progress& progress,
                                      const std::stop_token& stop) {
  TrainedMessage trained{.iteration = message.iteration, .path = message.to, .metrics_json = "{}"};
  lowered_.reset();
  if (message.from.empty()) {
    AZ_RETURN_IF_ERROR(CreateInitialCheckpoint(message.to, identity_, options_.seed));
    return trained;
  }
  const TrainOptions& train = options_.learner.train;
  const TimePoint started = clock_.Now();
  Run run(message, Rng(options_.seed).Fork(kTrainStream).Fork(message.iteration));
  AZ_ASSIGN_OR_RETURN(run.start, LoadCheckpoint(message.from, identity_));
  AZ_RETURN_IF_ERROR(data_.Read(message.journals, message.games_before_iteration));
  AZ_ASSIGN_OR_RETURN(run.ratio, SampleRatio::Restore(RatioOptions(train), run.start.ratio));
  run.ratio->OnInsert(data_.window().made_positions() - run.ratio->state().inserted);
  const std::int64_t due = run.ratio->StepsDue(train.batch);
  const std::int64_t steps =
      train.max_steps > 0 ? std::min<std::int64_t>(due, train.max_steps) : due;
  run.ratio->Forgo((due - steps) * train.batch);
  run.metrics.forgone_steps = due - steps;
  run.metrics.iteration = message.iteration;
  run.metrics.loss_weights = LossWeights::Of(train);
  run.ignorance = JudgedLoss::OfIgnorance(run.metrics.loss_weights, game_.info().num_actions);
  run.watch = DivergenceWatch(run.ignorance.whole);
  AZ_ASSIGN_OR_RETURN(run.metrics.census,
                      CountPositions(game_, data_.window().train(), message.iteration));
  run.metrics.rate_factor = run.start.state.rate.factor;
  run.metrics.load_s = Seconds(clock_.Now() - started);
  run.metrics.conflicted_games = data_.counts().conflicted_games;
  if (steps == 0) {
    run.metrics.SetSamples(run.start.state.samples, run.ratio->debt());
    trained.path.clear();
    trained.metrics_json = ToJson(run.metrics, data_.window());
    return trained;
  }
  run.plan = PlanSamples(run.start.state.samples + steps * train.batch, message.iteration + 1,
                         options_.iterations);
  AZ_RETURN_IF_ERROR(Begin(run));
  AZ_RETURN_IF_ERROR(Steps(run, steps, progress, stop));
  const TimePoint stepped = clock_.Now();
  AZ_RETURN_IF_ERROR(EstimateStatistics(run));
  AZ_RETURN_IF_ERROR(JudgeEnd(run));
  AZ_RETURN_IF_ERROR(MeasureHeldOut(run));
  LearnerCheckpoint result{.iteration = run.start.iteration + 1,
                           .ratio = run.ratio->state(),
                           .state = run.learner->state().Clone()};
  result.state.MoveTo(at::kCPU);
  if (run.metrics.steps > 0) {  // 0: it went back, or all were skipped
    const bool is_judged = run.judged.rows > 0;
    result.state.rate.OnGoodEnd(
        is_judged ? KnownShare(run.metrics.judged_loss_after, run.ignorance.whole) : 0.0);
  }
  run.metrics.rate_factor = result.state.rate.factor;
  if (result.state.steps > run.start.state.steps) {
    run.metrics.update_weight_ratio =
        UpdateWeightRatio(result.state, train, run.learner->layout(), run.metrics.learning_rate);
  }
  AZ_RETURN_IF_ERROR(SaveCheckpoint(message.to, identity_, result));
  run.metrics.finish_s = Seconds(clock_.Now() - stepped);
  run.metrics.SetSamples(result.state.samples, run.ratio->debt());
  trained.metrics_json = ToJson(run.metrics, data_.window());
  return trained;
}

// The learner, and how good it is now.
Result<void> Trainer::Begin(Run& run) {
  const TrainOptions& train = options_.learner.train;
  LearnerOptions learner = options_.learner;
  if (run.message.micro_batch > 0) learner.micro_batch = run.message.micro_batch;
  if (run.message.checkpoint_blocks >= 0) learner.checkpoint_stages = run.message.checkpoint_blocks;
  learner.on_out_of_memory = [this](const LearnerOom& oom) {
    lowered_ = oom.sizes;
    if (options_.learner.on_out_of_memory) options_.learner.on_out_of_memory(oom);
  };
  AZ_ASSIGN_OR_RETURN(run.learner,
                      Learner::Create(identity_.shape, learner, run.start.state.Clone()));
  run.assembler.emplace(game_,
                        BatchOptions{.proven_targets = train.proven_targets,
                                     .threads = options_.assembly_threads,
                                     .heads = {.opponent = identity_.shape.opponent_head,
                                               .short_term = identity_.shape.short_term_head},
                                     .merges_duplicates = train.merge_duplicates});
  AZ_RETURN_IF_ERROR(DrawJudgedRows(run));
  AZ_ASSIGN_OR_RETURN(run.before, Judge(run));
  return MeasureServed(run);
}

// The values that the iteration's searches were served at their roots, against those of the network
// that training begins from: without a gate they are of the same weights.
Result<void> Trainer::MeasureServed(Run& run) {
  const PositionStore& positions = data_.window().train();
  Rng rng = run.rng.Fork(kServedStream);
  const ServedRoots roots = DrawServedRoots(positions, run.message.iteration, kJudgedRows, rng);
  if (roots.samples.empty()) return {};
  TrainBatch batch;
  AZ_RETURN_IF_ERROR(run.assembler->Assemble(positions, roots.samples, batch));
  std::ranges::copy(roots.values, batch.root_value.begin());
  AZ_ASSIGN_OR_RETURN(
      const LossSums sums,
      run.learner->Evaluate(RowsOf(batch, run.learner->input_type(), run.learner->device())));
  run.metrics.served_value_rmse = std::sqrt(sums.RootValueMse());
  return {};
}

Result<void> Trainer::Steps(Run& run, std::int64_t steps, const Progress& progress,
                            const std::stop_token& stop) {
  const TrainOptions& train = options_.learner.train;
  const PositionStore& positions = data_.window().train();
  const int symmetries = train.symmetries ? game_.info().num_symmetries : 1;
  std::vector<Sample> samples(static_cast<std::size_t>(train.batch));
  BatchPrefetcher prefetcher(train.prefetch, steps, [&](std::int64_t step, TrainBatch& batch) {
    Rng rng = run.rng.Fork(static_cast<std::uint64_t>(step));
    positions.Draw({0, positions.positions()}, symmetries, rng, samples);
    return run.assembler->Assemble(positions, samples, batch);
  });
  const TimePoint started = clock_.Now();
  TimePoint told = started;
  for (std::int64_t step = 0; step < steps; ++step) {
    if (stop.stop_requested()) return Error{Errc::kStopped, "training was stopped"};
    AZ_ASSIGN_OR_RETURN(const TrainBatch* batch, prefetcher.Next());
    AZ_ASSIGN_OR_RETURN(const LossSums sums, OneStep(run, *batch));
    run.ratio->OnSample(train.batch);
    if (const TimePoint now = clock_.Now(); now - told >= kProgressInterval || step + 1 == steps) {
      told = now;
      progress({.iteration = run.message.iteration,
                .step = step + 1,
                .steps = steps,
                .loss = sums.Loss(run.metrics.loss_weights)});
    }
  }
  run.metrics.steps_s = Seconds(clock_.Now() - started);
  return {};
}

Result<LossSums> Trainer::OneStep(Run& run, const TrainBatch& batch) {
  const TrainOptions& train = options_.learner.train;
  Learner& learner = *run.learner;
  const double rate = LearningRate(train, learner.state().samples + train.batch, run.plan);
  AZ_ASSIGN_OR_RETURN(const StepReport report,
                      learner.Step(RowsOf(batch, learner.input_type(), learner.device()), rate));
  if (report.lost) {
    AZ_RETURN_IF_ERROR(OnLost(run, *report.lost));
    return report.sums;
  }
  run.metrics.Count(report, rate * learner.state().rate.factor);
  const double limit = run.watch.limit();
  const double loss = report.sums.Loss(run.metrics.loss_weights);
  if (!run.watch.Explodes(report.is_skipped ? std::nullopt : std::optional(loss))) {
    return report.sums;
  }
  const std::string last = report.is_skipped
                               ? "loss or gradient not finite"
                               : StrCat("loss ", Fixed(loss, 3), " above ", Fixed(limit, 3));
  AZ_RETURN_IF_ERROR(OnDiverged(
      run, StrCat(last, ", the last of ", DivergenceWatch::kInARow, " bad steps in a row")));
  return report.sums;
}

Result<void> Trainer::OnDiverged(Run& run, std::string_view reason) {
  BackToTheStart(run, reason, RateGuard::Blame::kTraining);
  const RateGuard& rate = run.learner->state().rate;
  if (!rate.must_give_up()) return {};
  return Error{Errc::kNotFinite,
               StrCat("train iteration ", run.message.iteration, ": ", reason, ", also after ",
                      RateGuard::kMostReturns, " returns to ", run.message.from,
                      " or the same weights before it (learning rate factor now ", rate.factor,
                      "; lower train.lr, or go on from an older checkpoint)")};
}

Result<void> Trainer::OnLost(Run& run, Error error) {
  if (++run.metrics.device_returns > kMostLosses) {
    return WithContext(StrCat("train iteration ", run.message.iteration, ": the device lost the ",
                              "weights ", run.metrics.device_returns, " times"),
                       std::move(error));
  }
  BackToTheStart(run, error.message, RateGuard::Blame::kDevice);
  return {};
}

// The state that training began from, the last good checkpoint, with what is left of the rate.
void Trainer::BackToTheStart(Run& run, std::string_view reason, RateGuard::Blame blame) {
  const LearnerState& state = run.learner->state();
  run.watch.Forget();
  run.metrics.StartOver();
  if (blame == RateGuard::Blame::kTraining) run.metrics.CountReturn(reason);
  LearnerState restored = run.start.state.Clone();
  restored.skipped_steps = state.skipped_steps;
  restored.rate = state.rate;
  restored.rate.OnReturn(blame);
  log_.Warn(StrCat("event=restore iteration=", run.message.iteration, " reason=\"", reason,
                   "\" rate_factor=", restored.rate.factor, " returns=", restored.rate.returns));
  run.learner->SetState(std::move(restored));
}

// Rows that every learner of this window can be asked about.
Result<void> Trainer::DrawJudgedRows(Run& run) {
  const PositionStore& positions = data_.window().train();
  std::vector<Sample> samples(kJudgedRows);
  Rng rng = run.rng.Fork(kJudgedStream);
  positions.Draw({0, positions.positions()}, /*num_symmetries=*/1, rng, samples);
  AZ_RETURN_IF_ERROR(run.assembler->Assemble(positions, samples, run.judged));
  std::vector<Sample> finite;
  for (std::size_t row = 0; row < samples.size(); ++row) {
    if (HasFiniteTargets(run.judged, row)) finite.push_back(samples[row]);
  }
  if (finite.size() == samples.size()) return {};
  return run.assembler->Assemble(positions, finite, run.judged);
}

Result<Trainer::EndLosses> Trainer::Judge(Run& run) {
  if (run.judged.rows == 0) return EndLosses{};
  Learner& learner = *run.learner;
  const StepRows rows = RowsOf(run.judged, learner.input_type(), learner.device());
  const LossWeights& weights = run.metrics.loss_weights;
  AZ_ASSIGN_OR_RETURN(const StepReport trained, learner.Probe(rows));
  AZ_ASSIGN_OR_RETURN(const LossSums average, learner.Evaluate(rows));
  constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
  const JudgedLoss not_finite = {.whole = kNaN, .policy = kNaN, .value = kNaN};
  return EndLosses{
      .trained = trained.is_skipped ? not_finite : JudgedLoss::Of(trained.sums, weights),
      .average = JudgedLoss::Of(average, weights)};
}

// Whatever the number of steps, what will be written is no worse than divergence.h allows.
Result<void> Trainer::JudgeEnd(Run& run) {
  AZ_ASSIGN_OR_RETURN(const EndLosses after, Judge(run));
  run.metrics.judged_loss_before = run.before.average.whole;
  run.metrics.judged_loss_after = after.average.whole;
  std::optional<Divergence> lost =
      FindDivergence(run.before.trained, after.trained, run.ignorance, /*known=*/0);
  const bool of_average = !lost;
  if (!lost) {
    const double known = run.learner->state().rate.known;
    lost = FindDivergence(run.before.average, after.average, run.ignorance, known);
  }
  if (!lost) return {};
  AZ_RETURN_IF_ERROR(OnDiverged(
      run, StrCat("the ", lost->what, " ended at ", Fixed(lost->after, 3),
                  of_average ? " for the weights that play" : "", ", from ", Fixed(lost->before, 3),
                  " before (knowing nothing is ", Fixed(lost->ignorance, 3), ")")));
  return EstimateStatistics(run);
}

// Batch-norm statistics of what will play.
Result<void> Trainer::EstimateStatistics(Run& run) {
  const PositionStore& positions = data_.window().train();
  const int symmetries = options_.learner.train.symmetries ? game_.info().num_symmetries : 1;
  TrainBatch batch;
  std::vector<Sample> samples(kStatisticsRows);
  Rng rng = run.rng.Fork(kStatisticsStream);
  positions.Draw({0, positions.positions()}, symmetries, rng, samples);
  AZ_RETURN_IF_ERROR(run.assembler->Assemble(positions, samples, batch));
  return run.learner->EstimateStatistics(
      RowsOf(batch, run.learner->input_type(), run.learner->device()));
}

Result<void> Trainer::MeasureHeldOut(Run& run) {
  const PositionStore& held_out = data_.window().held_out();
  const std::uint32_t latest = run.message.games_before_iteration - 1;
  AZ_ASSIGN_OR_RETURN(run.metrics.held_out_latest, HeldOut(run, held_out.Range(latest, latest)));
  if (latest > 0) {
    AZ_ASSIGN_OR_RETURN(run.metrics.held_out_older, HeldOut(run, held_out.Range(0, latest - 1)));
  }
  return {};
}

Result<LossSums> Trainer::HeldOut(Run& run, PositionRange range) {
  if (range.count() == 0) return LossSums{};
  const PositionStore& held_out = data_.window().held_out();
  std::vector<Sample> samples;
  if (range.count() <= kHeldOutRows) {
    for (std::int64_t number = range.begin; number < range.end; ++number) {
      samples.push_back(held_out.Locate(number));
    }
  } else {
    samples.resize(kHeldOutRows);
    Rng rng = run.rng.Fork(kHeldOutStream).Fork(static_cast<std::uint64_t>(range.begin));
    held_out.Draw(range, /*num_symmetries=*/1, rng, samples);
  }
  LossSums sums;
  for (std::size_t quarter = 0; quarter < run.metrics.held_out_values.size(); ++quarter) {
    std::vector<Sample> part;
    std::ranges::copy_if(samples, std::back_inserter(part), [&](const Sample& sample) {
      const auto plies = held_out.games()[sample.game].moves().size();
      return sample.ply * run.metrics.held_out_values.size() / plies == quarter;
    });
    if (part.empty()) continue;
    TrainBatch batch;
    AZ_RETURN_IF_ERROR(run.assembler->Assemble(held_out, part, batch));
    AZ_ASSIGN_OR_RETURN(
        const LossSums more,
        run.learner->Evaluate(RowsOf(batch, run.learner->input_type(), run.learner->device()),
                              &run.metrics.held_out_values[quarter]));
    sums += more;
  }
  return sums;
}

}  // namespace az
