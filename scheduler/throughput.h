#pragma once
// How fast the server is and how many workers keep it busy (docs/memory.md section 7). Priors, not
// measurements: they rank plans, and every figure made from them is labelled assumed.

#include "scheduler/plan.h"

namespace az {

// A forward of b rows takes fixed_us + row_us * b.
struct ForwardTime {
  double fixed_us = 0;
  double row_us = 0;
  double Micros(int rows) const { return fixed_us + row_us * rows; }
};
ForwardTime AssumedForwardTime(const DeviceFacts& device, const NetShape& net, Precision precision);

inline constexpr double kWorkerMicrosPerRow = 4.0;  // search work of a worker per row it sends

// The smallest power of two in [8, limit] that reaches 95 % of the rows per second at `limit` rows.
int KneeBucket(const ForwardTime& time, int limit);

// Workers and the server as sizes, for the two questions below.
struct Pipeline {
  ForwardTime time;
  int runners = 1;        // r: batches that run at the same time
  int in_flight = 1;      // s: batches taken at the same time
  int rows_a_worker = 0;  // F: rows that one worker can have in flight
};
// Share of full batches that n workers can keep up, (0, 1].
double Fill(const Pipeline& pipeline, int workers, int bucket);
// Rows per second of n workers and the server.
double RowsPerSecond(const Pipeline& pipeline, int workers, int bucket);
// The fewest workers that fill batches of `bucket` rows to 95 %; at least 1.
int WorkersFor(const Pipeline& pipeline, int bucket);

}  // namespace az
