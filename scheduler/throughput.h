#pragma once
// How fast the server is and how many workers keep it busy (docs/memory.md). From the times that
// were probed: then figures are labelled predicted; else from priors, which rank plans: assumed.

#include "scheduler/plan.h"

namespace az {

// A forward of b rows takes fixed_us + row_us * b.
using ForwardTime = FittedTime;
ForwardTime AssumedForwardTime(const DeviceFacts& device, const NetShape& net, Precision precision);

// Inference batches that run, and have activations, at the same time: a CPU's runners; one on a GPU,
// where those in flight take turns on one stream.
int RunAtOnce(const Plan& plan);

// As probed for this precision, else assumed.
ForwardTime ForwardTimeOf(const PlanInput& input, Precision precision);
// Of a forward and backward of one learner shard, likewise; `checkpoint_blocks` as in the plan.
FittedTime TrainingTimeOf(const PlanInput& input, Precision precision, int checkpoint_blocks);

inline constexpr double kWorkerMicrosPerRow = 4.0;  // search work of a worker per row it sends

// The smallest power of two in [8, limit] that reaches 95 % of the rows per second at `limit` rows.
int KneeBucket(const ForwardTime& time, int limit);

// Workers and the server as sizes, for the questions below.
struct Pipeline {
  ForwardTime time;
  int runners = 1;        // r: batches that run at the same time
  int in_flight = 1;      // s: batches taken at the same time
  int rows_a_worker = 0;  // F: rows that one worker can have in flight
  double worker_us_per_row = kWorkerMicrosPerRow;
};
// Share of full batches that n workers can keep up, (0, 1].
double Fill(const Pipeline& pipeline, int workers, int bucket);
// Rows per second of n workers and the server.
double RowsPerSecond(const Pipeline& pipeline, int workers, int bucket);
// The fewest workers that fill batches of `bucket` rows to 95 %; at least 1.
int WorkersFor(const Pipeline& pipeline, int bucket);
// Of the powers of two from 8 to the knee, the largest that `most_workers` fill to 95 %, else the
// one with the most rows per second.
int BucketFor(const Pipeline& pipeline, int most_workers, int limit);

// Rows per second of self-play under this plan.
double PredictedRowsPerSecond(const PlanInput& input, const Plan& plan);
// Milliseconds of an optimizer step under this plan.
double PredictedStepMillis(const PlanInput& input, const Plan& plan);

// Of these two together: predicted when the times of both were probed in the formats of the plan,
// else assumed. Never measured: no plan is played to the end before it is made.
Basis BasisOfRates(const PlanInput& input, const Plan& plan);

}  // namespace az
