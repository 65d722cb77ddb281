#pragma once
// Seating: which device processes a run has and in which segment each process meets the others. One
// device process and one segment for all workers; or, with memory.model_sharing: per_worker, the
// usual design as a baseline to measure: a device process and a segment for each worker, beside the
// first device process, which trains.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "base/bytes.h"
#include "base/result.h"
#include "engine/ipc/segment.h"
#include "engine/ipc/serving_counts.h"
#include "engine/process/supervisor.h"
#include "scheduler/memory_options.h"

namespace az {

// Owns the segments. Thread-compatible.
class Seating {
 public:
  // `spec` is of a segment for all workers: its lanes are the workers. Without a device, which
  // matches of players without a network can do with, the workers still share a segment. Fails as
  // Segment::Create. REQUIRES: a device, where sharing is per_worker.
  static Result<Seating> Make(ModelSharing sharing, const SegmentSpec& spec,
                              bool with_device = true);

  int workers() const { return workers_; }
  const std::vector<int>& devices() const { return devices_; }  // their lanes, the first one first
  std::size_t processes() const { return static_cast<std::size_t>(workers_) + devices_.size(); }

  // REQUIRES of these: a worker's lane below workers(), or one of devices().
  Segment& SegmentOf(int lane) const { return *segments_[Index(lane)]; }
  SegmentSeat SeatOf(int lane) const;
  const ProcessLine& LineOf(int lane) const;
  void Notify(int worker) const;  // it leaves its wait, to look at its control channel

  void Drain() const;  // tells everybody to submit nothing more
  void NotifyAll() const;
  // Of all segments.
  ServingCounts Serving() const;
  Bytes bytes() const;

 private:
  std::size_t Index(int lane) const;
  std::uint32_t SegmentLane(int lane) const;

  int workers_ = 0;
  bool is_shared_ = true;
  std::vector<int> devices_;
  std::vector<std::unique_ptr<Segment>> segments_;
};

}  // namespace az
