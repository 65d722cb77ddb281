#include "engine/data/sample_index.h"

#include <algorithm>
#include <cmath>

#include "base/check.h"
#include "engine/data/position_store.h"

namespace az {
namespace {

constexpr double kWeightUnit = 1024;  // of fixed point: the same sums on every machine

struct Keyed {
  std::uint64_t key = 0;
  PositionAt at;
};

// All positions, equal keys together and those by age. Without keys a position is its own key.
std::vector<Keyed> PositionsOf(std::span<const PackedGame> games) {
  std::size_t count = 0;
  for (const PackedGame& game : games) count += static_cast<std::size_t>(game.positions());
  std::vector<Keyed> positions;
  positions.reserve(count);
  for (std::size_t index = 0; index < games.size(); ++index) {
    const PackedGame& game = games[index];
    for (std::size_t ply = 0; ply < game.moves().size(); ++ply) {
      if (!game.moves()[ply].is_position) continue;
      const std::uint64_t key = game.keys().empty() ? positions.size() : game.keys()[ply];
      positions.push_back({.key = key,
                           .at = {.game = static_cast<std::uint32_t>(index),
                                  .ply = static_cast<std::uint16_t>(ply)}});
    }
  }
  std::ranges::sort(positions, [](const Keyed& a, const Keyed& b) {
    if (a.key != b.key) return a.key < b.key;
    return a.at.game != b.at.game ? a.at.game < b.at.game : a.at.ply < b.at.ply;
  });
  return positions;
}

}  // namespace

SampleIndex::SampleIndex(std::span<const PackedGame> games) {
  const std::vector<Keyed> positions = PositionsOf(games);
  std::size_t groups = 0;
  for (std::size_t i = 0; i < positions.size(); ++i) {
    groups += i == 0 || positions[i].key != positions[i - 1].key ? 1 : 0;
  }
  members_.reserve(positions.size());
  begins_.reserve(groups);
  ends_.reserve(groups);
  std::uint64_t end = 0;
  for (std::size_t first = 0; first < positions.size();) {
    begins_.push_back(static_cast<std::uint32_t>(members_.size()));
    double sum = 0;
    std::size_t next = first;
    for (; next < positions.size() && positions[next].key == positions[first].key; ++next) {
      const PositionAt& at = positions[next].at;
      members_.push_back(at);
      sum += static_cast<double>(games[at.game].weight(at.ply));
    }
    const auto count = static_cast<double>(next - first);
    end += static_cast<std::uint64_t>(
        std::llround(kWeightUnit * (1.0 + std::log2(count)) * sum / count));
    ends_.push_back(end);
    first = next;
  }
}

std::uint32_t SampleIndex::Find(std::uint64_t at) const {
  AZ_CHECK_LT(at, total());
  const auto end = std::upper_bound(ends_.begin(), ends_.end(), at);
  return static_cast<std::uint32_t>(end - ends_.begin());
}

std::span<const PositionAt> SampleIndex::members(std::uint32_t group) const {
  AZ_CHECK_LT(std::size_t{group}, begins_.size());
  const std::size_t begin = begins_[group];
  const std::size_t end = group + 1 < begins_.size() ? begins_[group + 1] : members_.size();
  return std::span(members_).subspan(begin, end - begin);
}

double SampleIndex::weight(std::uint32_t group) const {
  const std::uint64_t begin = group == 0 ? 0 : ends_[group - 1];
  return static_cast<double>(ends_[group] - begin) / kWeightUnit;
}

Bytes SampleIndex::memory() const {
  return Bytes(static_cast<std::int64_t>(members_.capacity() * sizeof(PositionAt) +
                                         begins_.capacity() * sizeof(std::uint32_t) +
                                         ends_.capacity() * sizeof(std::uint64_t)));
}

}  // namespace az
