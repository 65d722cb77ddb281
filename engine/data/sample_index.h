#pragma once
// SampleIndex: what a window's samples are drawn from when they do not all weigh the same, or when
// equal positions are one. Made of a settled PositionStore; numbers games as that does.
//
//   drawn     0 ────── group 0 ────── end 0 ── group 1 ── end 1 …      by weight, in fixed point
//   members   [ group 0's, oldest game first | group 1's | … ]

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/bytes.h"

namespace az {

class PackedGame;

// A position of the window, by the number of its game there.
struct PositionAt {
  std::uint32_t game = 0;
  std::uint16_t ply = 0;
  friend bool operator==(const PositionAt&, const PositionAt&) = default;
};

// Immutable once made. Thread-safe.
class SampleIndex {
 public:
  // Positions of equal keys are one group where `games` have keys (PlyNotes), else each is its own.
  // A group of n weighs (1 + log2 n) times the mean of its members' weights.
  explicit SampleIndex(std::span<const PackedGame> games);

  std::uint64_t total() const { return ends_.empty() ? 0 : ends_.back(); }
  std::size_t groups() const { return ends_.size(); }
  // The group that holds `at` of [0, total()).
  std::uint32_t Find(std::uint64_t at) const;
  std::span<const PositionAt> members(std::uint32_t group) const;
  double weight(std::uint32_t group) const;
  Bytes memory() const;

 private:
  std::vector<PositionAt> members_;
  std::vector<std::uint32_t> begins_;  // of a group's members
  std::vector<std::uint64_t> ends_;    // of a group's weight, summed up
};

}  // namespace az
