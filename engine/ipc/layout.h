#pragma once
// The bytes of the segment: one Header, then a lane for each worker. docs/formats/segment.md draws
// it.
//
//   0                     Header, padded to a page
//   lanes_at + i * lane   LaneHeader, BlockLine[blocks], padded to a page
//                         planes[blocks][rows][in_words]       uint64
//                         logits[blocks][rows][num_actions]    float32
//                         values[blocks][rows]                 float32
//
// Each block's part is 64-byte aligned, its rows are packed: one copy moves a block.
//
// PODs and lock-free atomics only; no pointers. No offset is ever read from the segment: every
// process computes its own.

#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "base/hash.h"
#include "base/result.h"
#include "engine/ipc/block.h"
#include "engine/ipc/counters.h"
#include "engine/ipc/event_count.h"
#include "engine/ipc/run_id.h"

namespace az {

inline constexpr std::uint64_t kSegmentMagic = 0x0031304745535A41u;  // "AZSEG01"
// +1 whenever a member moves, grows or changes its meaning.
inline constexpr std::uint32_t kLayoutVersion = 2;
inline constexpr std::uint32_t kMaxLanes = 256;
inline constexpr std::uint32_t kMaxBlocks = 8;
inline constexpr std::uint32_t kMaxRows = 64;
inline constexpr std::uint32_t kMaxInWords = 4096;
inline constexpr std::uint32_t kMaxActions = 65535;

struct SegmentShape {
  std::uint32_t lanes = 1;
  std::uint32_t blocks = 4;
  std::uint32_t rows = 32;
  std::uint32_t in_words = 1;
  std::uint32_t num_actions = 1;
  std::uint32_t models = 2;
  friend constexpr bool operator==(const SegmentShape&, const SegmentShape&) = default;
};

// kInvalid: a number that is 0 or over its maximum; the message names it.
Result<void> CheckShape(const SegmentShape& shape);

enum class StopWord : std::uint32_t {
  kRun,
  kDrain,  // let go of open games; answers still come
};

enum class ProcessState : std::uint32_t { kNone, kStarting, kRunning, kStopping };

// Who serves a role now, or served it last. Written by that process alone.
struct alignas(64) ProcessLine {
  std::atomic<std::uint32_t> pid;
  std::atomic<std::uint32_t> epoch;  // starts of this role
  std::atomic<std::uint32_t> state;  // ProcessState
  std::uint32_t reserved;
  std::atomic<std::uint64_t> progress;      // counts work done
  std::atomic<std::uint64_t> heartbeat_ns;  // CLOCK_MONOTONIC; 0 before the first
};

enum class ModelState : std::uint32_t { kEmpty, kLoading, kReady };

struct alignas(64) ModelLine {
  std::atomic<std::uint32_t> state;  // ModelState
  std::uint32_t reserved;
  std::atomic<std::uint64_t> version;  // WeightsVersion
};

struct Header {
  std::uint64_t magic;
  std::uint32_t abi;
  std::uint32_t layout_hash;
  std::uint64_t total_bytes;
  std::uint64_t game_hash;
  RunId run_id;
  SegmentShape shape;
  std::atomic<std::uint32_t> ready;  // 1 once all of the above and every lane is written
  EventCount bell;                   // the server sleeps here
  // Hint, a bit a lane: it has SUBMITTED blocks.
  alignas(64) std::atomic<std::uint64_t> pending[kMaxLanes / 64];
  ProcessLine device;
  alignas(64) std::atomic<std::uint32_t> stop;  // StopWord
  ModelLine models[kMaxModels];
  alignas(64) std::atomic<std::uint64_t> counters[64];  // ServerCounter
};

struct LaneHeader {
  ProcessLine worker;
  EventCount bell;                                 // the worker sleeps here
  alignas(64) std::atomic<std::uint32_t> notices;  // +1, then a ring: look at the control channel
  alignas(64) std::atomic<std::uint64_t> counters[24];  // LaneCounter
};

static_assert(std::atomic<std::uint64_t>::is_always_lock_free);
static_assert(std::endian::native == std::endian::little);
static_assert(std::is_standard_layout_v<Header> && std::is_standard_layout_v<LaneHeader>);
static_assert(sizeof(SegmentShape) == 24 && sizeof(ProcessLine) == 64 && sizeof(ModelLine) == 64);
static_assert(sizeof(Header) == 1152 && sizeof(LaneHeader) == 384);
static_assert(offsetof(Header, run_id) == 32 && offsetof(Header, ready) == 72);
static_assert(offsetof(Header, bell) == 128 && offsetof(Header, pending) == 192);

struct SegmentLayout {
  std::uint64_t lanes_at = 0;  // from the segment's start
  std::uint64_t lane_bytes = 0;
  std::uint64_t blocks_at = 0;  // these from the lane's start
  std::uint64_t planes_at = 0;
  std::uint64_t logits_at = 0;
  std::uint64_t values_at = 0;
  std::uint64_t planes_stride = 0;  // bytes from block to block
  std::uint64_t logits_stride = 0;
  std::uint64_t values_stride = 0;
  std::uint64_t total_bytes = 0;
  friend constexpr bool operator==(const SegmentLayout&, const SegmentLayout&) = default;
};

constexpr std::uint64_t RoundUp(std::uint64_t value, std::uint64_t to) {
  return (value + to - 1) / to * to;
}

// REQUIRES: CheckShape(shape). Cannot overflow within its limits.
constexpr SegmentLayout ComputeLayout(const SegmentShape& shape) {
  constexpr std::uint64_t kPage = 4096;
  constexpr std::uint64_t kLine = 64;
  SegmentLayout at;
  at.lanes_at = RoundUp(sizeof(Header), kPage);
  at.blocks_at = sizeof(LaneHeader);
  at.planes_at = RoundUp(at.blocks_at + shape.blocks * sizeof(BlockLine), kPage);
  at.planes_stride = RoundUp(std::uint64_t{shape.rows} * shape.in_words * 8, kLine);
  at.logits_at = at.planes_at + shape.blocks * at.planes_stride;
  at.logits_stride = RoundUp(std::uint64_t{shape.rows} * shape.num_actions * 4, kLine);
  at.values_at = at.logits_at + shape.blocks * at.logits_stride;
  at.values_stride = RoundUp(std::uint64_t{shape.rows} * 4, kLine);
  at.lane_bytes = RoundUp(at.values_at + shape.blocks * at.values_stride, kPage);
  at.total_bytes = at.lanes_at + shape.lanes * at.lane_bytes;
  return at;
}

// Over every size and offset above and the numbers of two shapes: differs when two builds would
// disagree.
std::uint32_t LayoutHash();

}  // namespace az
