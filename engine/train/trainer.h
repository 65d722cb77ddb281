#pragma once
// Trainer: the training phase of one iteration, from journals and a checkpoint to the next
// checkpoint. What it writes depends on its inputs alone: the same message gives the same files
// (with one shard or several), so a training that was interrupted is simply done again. Used by the
// device program; knows no processes.

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string_view>

#include "base/clock.h"
#include "base/log.h"
#include "base/result.h"
#include "engine/data/batch_assembly.h"
#include "engine/process/messages.h"
#include "engine/train/learner.h"
#include "engine/train/learner_checkpoint.h"
#include "engine/train/training_data.h"
#include "games/game_ops.h"

namespace az {

struct TrainerOptions {
  LearnerOptions learner;  // learner.train are the options of everything here
  int iterations = 100;    // of the run: where the learning rate's course ends
  std::uint64_t seed = 1;  // of the run
  int assembly_threads = 1;
};

// Confined to one thread. Game, log and clock outlive it.
class Trainer {
 public:
  using Progress = std::function<void(const TrainProgressMessage&)>;

  Trainer(const GameOps& game, const NetShape& shape, const JournalIdentity& run,
          TrainerOptions options, const Log& log, const Clock& clock);

  // Blocks until the iteration is trained and its checkpoint written, or the first network is
  // (message.from empty). The answer's path is empty, and nothing is written, when the window holds
  // fewer than min_positions or no step is due. `progress` is called at most about twice a second,
  // on this thread. Weights that diverged are never written: where training ends so, the checkpoint
  // holds those it began from. Fails: kStopped, and then nothing is written; as LoadCheckpoint,
  // TrainingData::Read, Learner::Step, SaveCheckpoint; kNotFinite after too many returns to one
  // checkpoint, whatever the number of iterations they took.
  Result<TrainedMessage> Train(const TrainMessage& message, const Progress& progress,
                               const std::stop_token& stop);

  // What the last Train went on with when it had run out of memory last; none if it never did.
  const std::optional<StepSizes>& lowered() const { return lowered_; }

  const LearnerOptions& learner_options() const { return options_.learner; }
  Bytes memory() const {
    return data_.window().memory();
  }  // kept between iterations: the replay window

 private:
  struct Run;        // one call of Train
  struct EndLosses;  // of the judged rows
  Result<void> Steps(Run& run, std::int64_t steps, const Progress& progress,
                     const std::stop_token& stop);
  Result<LossSums> OneStep(Run& run, const TrainBatch& batch);
  Result<void> OnDiverged(Run& run, std::string_view reason);
  Result<void> OnLost(Run& run, Error error);
  void BackToTheStart(Run& run, std::string_view reason, RateGuard::Blame blame);
  Result<void> Begin(Run& run);
  Result<void> DrawJudgedRows(Run& run);
  Result<EndLosses> Judge(Run& run);
  Result<void> JudgeEnd(Run& run);
  Result<void> MeasureServed(Run& run);
  Result<void> EstimateStatistics(Run& run);
  Result<void> MeasureHeldOut(Run& run);
  Result<LossSums> HeldOut(Run& run, PositionRange range);

  const GameOps& game_;
  const CheckpointIdentity identity_;
  const TrainerOptions options_;
  const Log& log_;
  const Clock& clock_;
  TrainingData data_;
  std::optional<StepSizes> lowered_;
};

}  // namespace az
