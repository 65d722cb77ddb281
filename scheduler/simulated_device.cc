#include "scheduler/simulated_device.h"

#include <algorithm>
#include <utility>

#include "base/check.h"
#include "base/strings.h"

namespace az {
namespace {

// Sizes of LibTorch's caching allocator (docs/memory.md): granularity, and kinds of segments.
constexpr Bytes kRound = Bytes(512);
constexpr Bytes kSmall = MiB(1);  // up to this size, pieces come from segments of 2 MiB
constexpr Bytes kSmallSegment = MiB(2);
constexpr Bytes kMiddle = MiB(10);  // below this size, from segments of 20 MiB
constexpr Bytes kMiddleSegment = MiB(20);
constexpr Bytes kLargeRound = MiB(2);  // larger pieces have a segment each, rounded up to this

Bytes RoundUp(Bytes bytes, Bytes to) { return to * ((bytes + to - Bytes(1)) / to); }

Bytes SegmentSize(Bytes rounded, bool is_small) {
  if (is_small) return kSmallSegment;
  return rounded < kMiddle ? kMiddleSegment : RoundUp(rounded, kLargeRound);
}

// The steps in which an expandable segment grows.
Bytes PageSize(bool is_small) { return is_small ? kSmallSegment : kMiddleSegment; }

// Whether a block is split: its rest must be worth keeping.
bool Splits(Bytes rest, bool is_small) { return is_small ? rest >= kRound : rest > kSmall; }

}  // namespace

SimulatedDevice::SimulatedDevice(SimulatedCardSpec spec)
    : spec_(std::move(spec)), others_(spec_.others) {
  AZ_CHECK(spec_.context + spec_.others <= spec_.total) << "a card that is too full for a context";
}

std::optional<SimulatedDevice::Place> SimulatedDevice::Fit(Bytes rounded, bool is_small) const {
  std::optional<Place> best;
  Bytes best_size;
  for (std::size_t s = 0; s < segments_.size(); ++s) {
    const Segment& segment = segments_[s];
    if (segment.is_small != is_small) continue;
    for (std::size_t b = 0; b < segment.blocks.size(); ++b) {
      const Block& block = segment.blocks[b];
      if (block.piece != 0 || block.size < rounded) continue;
      if (best && block.size >= best_size) continue;
      best = Place{s, b};
      best_size = block.size;
    }
  }
  return best;
}

Bytes SimulatedDevice::FreeOnCard() const {
  return std::max(Bytes(), spec_.total - spec_.context - others_ - reserved_);
}

bool SimulatedDevice::Grow(Bytes rounded, bool is_small) {
  const auto pool = std::ranges::find(segments_, is_small, &Segment::is_small);
  const bool extends = spec_.expandable && pool != segments_.end();
  const bool ends_free = extends && pool->blocks.back().piece == 0;
  const Bytes tail = ends_free ? pool->blocks.back().size : Bytes();
  const Bytes size = spec_.expandable ? RoundUp(rounded - tail, PageSize(is_small))
                                      : SegmentSize(rounded, is_small);
  if (cap_ && reserved_ + size > *cap_) return false;
  if (size > FreeOnCard()) return false;
  reserved_ += size;
  if (!extends) {
    segments_.push_back({.size = size, .is_small = is_small, .blocks = {{.size = size}}});
    return true;
  }
  pool->size += size;
  if (ends_free) {
    pool->blocks.back().size += size;
  } else {
    pool->blocks.push_back({.size = size});
  }
  return true;
}

Bytes SimulatedDevice::DropCache() {
  Bytes dropped;
  std::erase_if(segments_, [&dropped](const Segment& segment) {
    const bool is_free = segment.blocks.size() == 1 && segment.blocks[0].piece == 0;
    if (is_free) dropped += segment.size;
    return is_free;
  });
  for (Segment& segment : segments_) {
    Block& last = segment.blocks.back();
    if (!spec_.expandable || last.piece != 0) continue;
    const Bytes page = PageSize(segment.is_small);
    const Bytes cut = page * (last.size / page);
    segment.size -= cut;
    last.size -= cut;
    dropped += cut;
    if (last.size == Bytes()) segment.blocks.pop_back();
  }
  reserved_ -= dropped;
  return dropped;
}

std::string SimulatedDevice::Refusal(Bytes bytes) const {
  return StrCat("CUDA out of memory (SIMULATED ", spec_.name, "). Tried to allocate ",
                FormatBytes(bytes), ". It has a total capacity of ", FormatBytes(spec_.total),
                " of which ", FormatBytes(FreeOnCard()), " is free. ",
                cap_ ? StrCat(FormatBytes(*cap_), " allowed; ") : "", FormatBytes(allocated_),
                " is allocated by PyTorch, and ", FormatBytes(reserved_ - allocated_),
                " is reserved by PyTorch but unallocated.");
}

Result<SimulatedDevice::Piece> SimulatedDevice::Allocate(Bytes bytes) {
  AZ_CHECK(bytes >= Bytes());
  const Bytes rounded = std::max(kRound, RoundUp(bytes, kRound));
  const bool is_small = rounded <= kSmall;
  const MutexLock lock(mutex_);
  std::optional<Place> place = Fit(rounded, is_small);
  if (!place && !Grow(rounded, is_small)) {
    ++retries_;
    DropCache();
    if (!Grow(rounded, is_small)) {
      ++ooms_;
      last_refusal_ = MemoryRefusal{.requested = bytes, .layers = Layers()};
      return Error{Errc::kNoMemory, Refusal(bytes)};
    }
  }
  if (!place) place = Fit(rounded, is_small);
  Segment& segment = segments_[place->segment];
  const auto at = segment.blocks.begin() + static_cast<std::ptrdiff_t>(place->block);
  const Bytes rest = at->size - rounded;
  const bool splits = Splits(rest, is_small);
  const Piece piece = next_++;
  *at = {.size = splits ? rounded : at->size, .piece = piece, .requested = bytes};
  const Bytes taken = at->size;
  if (splits) segment.blocks.insert(at + 1, {.size = rest});
  rounded_[piece] = taken;
  ++allocations_;
  requested_ += bytes;
  allocated_ += taken;
  NotePeaks();
  return piece;
}

void SimulatedDevice::Free(Piece piece) {
  const MutexLock lock(mutex_);
  const auto known = rounded_.find(piece);
  AZ_CHECK(known != rounded_.end()) << "free of a piece that is not allocated";
  allocated_ -= known->second;
  rounded_.erase(known);
  for (Segment& segment : segments_) {
    std::vector<Block>& blocks = segment.blocks;
    const auto found = std::ranges::find(blocks, piece, &Block::piece);
    if (found == blocks.end()) continue;
    requested_ -= found->requested;
    found->piece = 0;
    found->requested = Bytes();
    auto at = found - blocks.begin();
    if (static_cast<std::size_t>(at) + 1 < blocks.size() && blocks[at + 1].piece == 0) {
      blocks[at].size += blocks[at + 1].size;
      blocks.erase(blocks.begin() + at + 1);
    }
    if (at > 0 && blocks[at - 1].piece == 0) {
      blocks[at - 1].size += blocks[at].size;
      blocks.erase(blocks.begin() + at);
    }
    return;
  }
}

void SimulatedDevice::SetOthers(Bytes bytes) {
  const MutexLock lock(mutex_);
  others_ = std::min(bytes, spec_.total - spec_.context - reserved_);
}

void SimulatedDevice::NotePeaks() {
  requested_peak_ = std::max(requested_peak_, requested_);
  allocated_peak_ = std::max(allocated_peak_, allocated_);
  reserved_peak_ = std::max(reserved_peak_, reserved_);
}

MemorySnapshot SimulatedDevice::Snapshot() const {
  const MutexLock lock(mutex_);
  return Layers();
}

std::optional<MemoryRefusal> SimulatedDevice::LastRefusal() const {
  const MutexLock lock(mutex_);
  return last_refusal_;
}

MemorySnapshot SimulatedDevice::Layers() const {
  Bytes inactive;  // free pieces of segments that are partly in use
  Bytes largest_hole;
  for (const Segment& segment : segments_) {
    for (const Block& block : segment.blocks) {
      if (block.piece != 0) continue;
      largest_hole = std::max(largest_hole, block.size);
      if (segment.blocks.size() > 1) inactive += block.size;
    }
  }
  const Bytes ours = spec_.context + reserved_;
  return {.requested = requested_,
          .allocated = allocated_,
          .active = allocated_,
          .reserved = reserved_,
          .ours = ours,
          .used = ours + others_,
          .total = spec_.total,
          .inactive_split = inactive,
          .largest_hole = largest_hole,
          .requested_peak = requested_peak_,
          .allocated_peak = allocated_peak_,
          .reserved_peak = reserved_peak_,
          .allocations = allocations_,
          .num_alloc_retries = retries_,
          .num_ooms = ooms_,
          .cap = cap_};
}

Result<void> SimulatedDevice::SetCap(std::optional<Bytes> cap) {
  if (cap && *cap <= Bytes()) {
    return Error{Errc::kInvalid, StrCat("cap the simulated ", spec_.name, " at ", FormatBytes(*cap),
                                        ": it must be above 0")};
  }
  const MutexLock lock(mutex_);
  cap_ = cap;
  return {};
}

Bytes SimulatedDevice::EmptyCache() {
  const MutexLock lock(mutex_);
  return DropCache();
}

void SimulatedDevice::ResetPeaks() {
  const MutexLock lock(mutex_);
  requested_peak_ = requested_;
  allocated_peak_ = allocated_;
  reserved_peak_ = reserved_;
}

DeviceIdentity SimulatedDevice::Identity() const {
  return {.device = StrCat("simulated ", spec_.name),
          .name = spec_.name,
          .total = spec_.total,
          .driver = "",
          .runtime = "",
          .libraries = "",
          .allocator = "simulated",
          .simulated = true};
}

}  // namespace az
