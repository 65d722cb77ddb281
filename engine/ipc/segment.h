#pragma once
// Segment: the shared memory through which workers and the inference server meet. The supervisor
// creates it before it spawns anything and passes the file descriptor; nobody names it, truncates
// it or grows it. Holds rows in flight and counters only: no game lives here.

#include <cstdint>
#include <memory>
#include <optional>
#include <span>

#include "base/clock.h"
#include "base/files.h"
#include "base/result.h"
#include "engine/ipc/fail_points.h"
#include "engine/ipc/layout.h"
#include "engine/ipc/memory_limits.h"

namespace az {

struct SegmentSpec {
  SegmentShape shape;           // lanes: the largest number of workers that any phase plans
  std::uint64_t game_hash = 0;  // GameInfo::Hash()
  RunId run_id = {};
};

// What a child knows from its command line and the registry; anything else in the header is a wrong
// segment.
struct SegmentExpectation {
  RunId run_id = {};
  std::uint64_t game_hash = 0;
  std::uint32_t in_words = 0;
  std::uint32_t num_actions = 0;
  std::optional<std::uint32_t> lane;  // must exist; none for the device process
};

// Views into the mapping; every part lives as long as the Segment. Thread-safe but for the parts
// that a block's state or a comment gives to one owner.
class Segment {
 public:
  // Refuses what the limits do not leave before it touches a byte. kInvalid, kNoMemory, kNoSpace,
  // kUnavailable, kIo.
  static Result<std::unique_ptr<Segment>> Create(const SegmentSpec& spec,
                                                 const MemoryLimits& limits);
  static Result<std::unique_ptr<Segment>> Create(const SegmentSpec& spec) {
    return Create(spec, ReadMemoryLimits("/"));
  }

  // Takes `fd` over and maps it. Writes nothing. kIncompatible, with expected and found, for a
  // segment of another layout, run or game, or a file that is no sealed segment: the process ends
  // with ExitCode::kWrongSegment.
  static Result<std::unique_ptr<Segment>> Open(UniqueFd fd, const SegmentExpectation& expected);

 private:
  struct Mapping;

 public:
  // For Create and Open alone: nobody else can name a Mapping.
  Segment(UniqueFd fd, std::unique_ptr<Mapping> mapping, const SegmentShape& shape);
  ~Segment();
  Segment(const Segment&) = delete;
  Segment& operator=(const Segment&) = delete;

  int fd() const { return fd_.get(); }                  // for the children; close-on-exec
  const SegmentShape& shape() const { return shape_; }  // copied when opened
  const SegmentLayout& layout() const { return layout_; }
  Header& header() const { return *reinterpret_cast<Header*>(base_); }

  // REQUIRES of these: lane < shape().lanes, block < shape().blocks.
  LaneHeader& lane(std::uint32_t lane) const;
  BlockLine& block(std::uint32_t lane, std::uint32_t block) const;
  // [rows][in_words], [rows][num_actions], [rows].
  std::span<std::uint64_t> planes(std::uint32_t lane, std::uint32_t block) const;
  std::span<float> logits(std::uint32_t lane, std::uint32_t block) const;
  std::span<float> values(std::uint32_t lane, std::uint32_t block) const;

  ProcessLine& device() const { return header().device; }
  ProcessLine& worker(std::uint32_t lane_index) const { return lane(lane_index).worker; }

  StopWord stop() const;
  void SetStop(StopWord word);          // and rings everybody
  void NotifyLane(std::uint32_t lane);  // the worker leaves WaitAny, to look at its control channel
  void NotifyAll();                     // every lane, and the server's bell
  void MarkPending(std::uint32_t lane);  // hint: the lane has SUBMITTED blocks. Does not ring

  int CountBlocks(BlockState state) const;  // over all lanes; a snapshot

  // Writes this process into the line. REQUIRES: the line's last process was reaped.
  void Register(ProcessLine& line, std::uint32_t epoch, ProcessState state);
  static void Beat(ProcessLine& line);
  // How long ago the line's last beat was; nullopt before the first.
  static std::optional<Duration> SinceBeat(const ProcessLine& line, TimePoint now);

  // Counters: `member` of a family, such as a model slot or a status.
  void Count(ServerCounter counter, std::uint64_t by = 1, int member = 0) const;
  std::uint64_t counter(ServerCounter counter, int member = 0) const;
  // REQUIRES: called by the lane's worker alone.
  void Count(std::uint32_t lane, LaneCounter counter, std::uint64_t by = 1) const;
  std::uint64_t counter(std::uint32_t lane, LaneCounter counter) const;

  // Tests: borrowed, nullable, set before any thread uses the segment.
  void set_fail_points(FailPointHook* hook) { fail_points_ = hook; }
  void Reached(FailPoint point) const {
    if (fail_points_ != nullptr) fail_points_->Reached(point);
  }

 private:
  static Result<std::unique_ptr<Mapping>> Map(int fd, std::uint64_t bytes);
  template <class T>
  std::span<T> Part(std::uint32_t lane, std::uint64_t at, std::uint64_t count) const;

  UniqueFd fd_;
  std::unique_ptr<Mapping> mapping_;
  SegmentShape shape_;
  SegmentLayout layout_;
  std::byte* base_ = nullptr;  // the mapping's
  FailPointHook* fail_points_ = nullptr;
};

// Of CLOCK_MONOTONIC, as stored in the segment.
inline std::uint64_t ToNs(TimePoint time) {
  return static_cast<std::uint64_t>(time.time_since_epoch().count());
}
inline TimePoint FromNs(std::uint64_t ns) {
  return TimePoint(Duration(static_cast<std::int64_t>(ns)));
}
std::uint64_t NowNs();

}  // namespace az
