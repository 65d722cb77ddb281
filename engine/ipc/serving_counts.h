#pragma once
// ServingCounts: what a segment's server and workers have done for each other since the segment was
// made, read off its counters (counters.h). All of it sums, so that segments add up and phases take
// differences (base/sums.h).

#include <cstdint>

#include "base/sums.h"

namespace az {

class Segment;

// Plain value.
struct ServingCounts {
  // Of the server.
  std::uint64_t batches = 0;
  std::uint64_t device_rows = 0;       // rows that were asked for, in these batches
  std::uint64_t pad_rows = 0;          // rows that their buckets were larger
  std::uint64_t full_batches = 0;      // sealed because what waited filled the largest bucket
  std::uint64_t starving_batches = 0;  // sealed because a block had waited too long
  double runner_busy_s = 0;            // summed over runners
  double queue_wait_s = 0;             // of blocks, from submission to each batch they were in
  std::uint64_t requeued_blocks = 0;   // run again: a batch or a server had ended without answers
  std::uint64_t lost_hints = 0;        // blocks found by a sweep alone
  std::uint64_t violations = 0;  // states of blocks that another process than their owner changed
  // Of the workers.
  std::uint64_t answered_blocks = 0;
  std::uint64_t full_blocks = 0;  // of these, with every row used
  std::uint64_t failed_blocks = 0;
  double round_trip_s = 0;  // of answered blocks, from submission to the answer's being seen
  double asleep_s = 0;      // summed over workers: nothing to do until an answer comes

  ServingCounts& operator+=(const ServingCounts& other) {
    AddSums(other, *this);
    return *this;
  }
  // Calls visit("name", pointer to member) for each.
  template <class V>
  static constexpr void VisitSums(V&& visit) {
    visit("batches", &ServingCounts::batches);
    visit("device_rows", &ServingCounts::device_rows);
    visit("pad_rows", &ServingCounts::pad_rows);
    visit("full_batches", &ServingCounts::full_batches);
    visit("starving_batches", &ServingCounts::starving_batches);
    visit("runner_busy_s", &ServingCounts::runner_busy_s);
    visit("queue_wait_s", &ServingCounts::queue_wait_s);
    visit("requeued_blocks", &ServingCounts::requeued_blocks);
    visit("lost_hints", &ServingCounts::lost_hints);
    visit("violations", &ServingCounts::violations);
    visit("answered_blocks", &ServingCounts::answered_blocks);
    visit("full_blocks", &ServingCounts::full_blocks);
    visit("failed_blocks", &ServingCounts::failed_blocks);
    visit("round_trip_s", &ServingCounts::round_trip_s);
    visit("asleep_s", &ServingCounts::asleep_s);
  }
};

static_assert(BytesOfSums<ServingCounts>() == sizeof(ServingCounts), "a count that is not visited");

// A snapshot, while everybody goes on counting.
ServingCounts ReadServingCounts(const Segment& segment);

}  // namespace az
