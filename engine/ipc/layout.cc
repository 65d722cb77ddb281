#include "engine/ipc/layout.h"

#include <array>
#include <string_view>

#include "base/strings.h"

namespace az {
namespace {

constexpr std::uint64_t Fold(std::uint64_t hash, const SegmentLayout& at) {
  for (const std::uint64_t number :
       {at.lanes_at, at.lane_bytes, at.blocks_at, at.planes_at, at.logits_at, at.values_at,
        at.planes_stride, at.logits_stride, at.values_stride, at.total_bytes}) {
    hash = HashCombine(hash, number);
  }
  return hash;
}

constexpr std::uint32_t ComputeLayoutHash() {
  std::uint64_t hash = kLayoutVersion;
  for (const std::uint64_t number : {sizeof(BlockLine),
                                     offsetof(BlockLine, state),
                                     offsetof(BlockLine, lane_epoch),
                                     offsetof(BlockLine, rows),
                                     offsetof(BlockLine, model),
                                     offsetof(BlockLine, attempts),
                                     offsetof(BlockLine, request),
                                     offsetof(BlockLine, submit_ns),
                                     offsetof(BlockLine, version),
                                     offsetof(BlockLine, batch_rows),
                                     offsetof(BlockLine, status),
                                     sizeof(EventCount),
                                     sizeof(ProcessLine),
                                     offsetof(ProcessLine, pid),
                                     offsetof(ProcessLine, epoch),
                                     offsetof(ProcessLine, state),
                                     offsetof(ProcessLine, progress),
                                     offsetof(ProcessLine, heartbeat_ns),
                                     sizeof(ModelLine),
                                     offsetof(ModelLine, state),
                                     offsetof(ModelLine, version),
                                     sizeof(Header),
                                     offsetof(Header, magic),
                                     offsetof(Header, abi),
                                     offsetof(Header, layout_hash),
                                     offsetof(Header, total_bytes),
                                     offsetof(Header, game_hash),
                                     offsetof(Header, run_id),
                                     offsetof(Header, shape),
                                     offsetof(Header, ready),
                                     offsetof(Header, bell),
                                     offsetof(Header, pending),
                                     offsetof(Header, device),
                                     offsetof(Header, stop),
                                     offsetof(Header, models),
                                     offsetof(Header, counters),
                                     sizeof(LaneHeader),
                                     offsetof(LaneHeader, worker),
                                     offsetof(LaneHeader, bell),
                                     offsetof(LaneHeader, notices),
                                     offsetof(LaneHeader, counters),
                                     std::size_t{kMaxLanes},
                                     std::size_t{kMaxBlocks},
                                     std::size_t{kMaxRows},
                                     std::size_t{kMaxInWords},
                                     std::size_t{kMaxActions},
                                     std::size_t{kMaxModels},
                                     static_cast<std::size_t>(ServerCounter::kEnd),
                                     static_cast<std::size_t>(LaneCounter::kEnd)}) {
    hash = HashCombine(hash, number);
  }
  hash = Fold(hash, ComputeLayout({4, 4, 32, 17, 26, 2}));
  hash = Fold(hash, ComputeLayout({kMaxLanes, kMaxBlocks, kMaxRows, kMaxInWords, kMaxActions, 4}));
  return static_cast<std::uint32_t>(hash ^ hash >> 32);
}

constexpr std::uint32_t kLayoutHash = ComputeLayoutHash();

}  // namespace

std::uint32_t LayoutHash() { return kLayoutHash; }

Result<void> CheckShape(const SegmentShape& shape) {
  struct Number {
    std::string_view name;
    std::uint32_t value;
    std::uint32_t most;
  };
  const std::array<Number, 6> numbers = {{{"lanes", shape.lanes, kMaxLanes},
                                          {"blocks", shape.blocks, kMaxBlocks},
                                          {"rows", shape.rows, kMaxRows},
                                          {"in_words", shape.in_words, kMaxInWords},
                                          {"num_actions", shape.num_actions, kMaxActions},
                                          {"models", shape.models, kMaxModels}}};
  for (const Number& number : numbers) {
    if (number.value >= 1 && number.value <= number.most) continue;
    return Error{Errc::kInvalid, StrCat("segment shape: ", number.name, " = ", number.value,
                                        " is out of range [1, ", number.most, "]")};
  }
  return {};
}

}  // namespace az
