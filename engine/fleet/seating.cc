#include "engine/fleet/seating.h"

#include <algorithm>
#include <utility>

#include "base/check.h"

namespace az {

Result<Seating> Seating::Make(ModelSharing sharing, const SegmentSpec& spec, bool with_device) {
  AZ_CHECK(with_device || sharing == ModelSharing::kShared);
  Seating seating;
  seating.workers_ = static_cast<int>(spec.shape.lanes);
  seating.is_shared_ = sharing == ModelSharing::kShared;
  if (with_device) seating.devices_ = {kDeviceLane};
  SegmentSpec each = spec;
  if (!seating.is_shared_) {
    each.shape.lanes = 1;
    for (int worker = 0; worker < seating.workers_; ++worker) {
      seating.devices_.push_back(OwnDeviceOf(worker));
    }
  }
  for (std::size_t i = 0; i < std::max<std::size_t>(1, seating.devices_.size()); ++i) {
    AZ_ASSIGN_OR_RETURN(seating.segments_.emplace_back(), Segment::Create(each));
  }
  return seating;
}

std::size_t Seating::Index(int lane) const {
  if (is_shared_ || lane == kDeviceLane) return 0;
  return static_cast<std::size_t>(1 + (IsDevice(lane) ? WorkerOfDevice(lane) : lane));
}

std::uint32_t Seating::SegmentLane(int lane) const {
  return is_shared_ && !IsDevice(lane) ? static_cast<std::uint32_t>(lane) : 0;
}

SegmentSeat Seating::SeatOf(int lane) const {
  return {.segment_fd = SegmentOf(lane).fd(), .segment_lane = static_cast<int>(SegmentLane(lane))};
}

const ProcessLine& Seating::LineOf(int lane) const {
  const Segment& segment = SegmentOf(lane);
  return IsDevice(lane) ? segment.device() : segment.worker(SegmentLane(lane));
}

void Seating::Notify(int worker) const { SegmentOf(worker).NotifyLane(SegmentLane(worker)); }

void Seating::Drain() const {
  for (const auto& segment : segments_) segment->SetStop(StopWord::kDrain);
}

void Seating::NotifyAll() const {
  for (const auto& segment : segments_) segment->NotifyAll();
}

ServingCounts Seating::Serving() const {
  ServingCounts sum;
  for (const auto& segment : segments_) sum += ReadServingCounts(*segment);
  return sum;
}

Bytes Seating::bytes() const {
  Bytes sum;
  for (const auto& segment : segments_) {
    sum += Bytes(static_cast<std::int64_t>(segment->layout().total_bytes));
  }
  return sum;
}

}  // namespace az
