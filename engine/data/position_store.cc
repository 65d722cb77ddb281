#include "engine/data/position_store.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/check.h"

namespace az {

namespace {

std::int8_t In127ths(float value) {
  if (std::isnan(value)) return 0;
  return static_cast<std::int8_t>(std::lround(127.0f * std::clamp(value, -1.0f, 1.0f)));
}

}  // namespace

PackedGame::PackedGame(const GameRecord& record, SampledPlies sampled, PlyNotes notes)
    : id_(record.id), notes_(std::move(notes)) {
  AZ_CHECK(notes_.weights.empty() || notes_.weights.size() == record.moves.size());
  AZ_CHECK(notes_.keys.empty() || notes_.keys.size() == record.moves.size());
  AZ_CHECK(record.outcome.has_value()) << "game " << record.id.packed;
  outcome_ = *record.outcome;
  std::size_t entries = 0;
  for (const MoveRecord& move : record.moves) entries += move.policy.size();
  moves_.reserve(record.moves.size());
  policies_.reserve(entries);
  for (const MoveRecord& move : record.moves) {
    AZ_CHECK_EQ(std::size_t{move.ply}, moves_.size()) << "game " << record.id.packed;
    const bool is_value_sample = sampled == SampledPlies::kFastToo && (move.flags & kMoveFast) != 0;
    const bool is_position = !move.policy.empty() || is_value_sample;
    moves_.push_back({.root_value = move.root_value,
                      .policy_begin = static_cast<std::uint32_t>(policies_.size()),
                      .policy_count = static_cast<std::uint16_t>(move.policy.size()),
                      .action = move.action,
                      .flags = move.flags,
                      .is_position = is_position,
                      .is_searched = move.visits > 0,
                      .network_value_127 = In127ths(move.network_value)});
    policies_.insert(policies_.end(), move.policy.begin(), move.policy.end());
    if (is_position) ++positions_;
    if (move.weights_version > weights_version_) {
      weights_version_ = move.weights_version;
      newest_from_ = move.ply;
    }
  }
}

Bytes PackedGame::memory() const {
  return Bytes(static_cast<std::int64_t>(sizeof *this + moves_.capacity() * sizeof(PackedMove) +
                                         policies_.capacity() * sizeof(PolicyEntry) +
                                         notes_.weights.capacity() * sizeof(float) +
                                         notes_.keys.capacity() * sizeof(std::uint64_t)));
}

void PositionStore::Add(PackedGame game) {
  positions_ += game.positions();
  memory_ += game.memory();
  games_.push_back(std::move(game));
  index_.reset();
  settled_ = false;
}

void PositionStore::Settle() {
  if (settled_) return;
  std::sort(games_.begin(), games_.end(),
            [](const PackedGame& a, const PackedGame& b) { return a.id() < b.id(); });
  ends_.clear();
  ends_.reserve(games_.size());
  std::int64_t end = 0;
  for (const PackedGame& game : games_) ends_.push_back(end += game.positions());
  settled_ = true;
}

void PositionStore::KeepNewest(std::int64_t positions) {
  AZ_CHECK(settled_);
  // The first game whose end is beyond the spare positions is the first that must stay.
  const auto keep = std::upper_bound(ends_.begin(), ends_.end(), positions_ - positions);
  DropFirst(static_cast<std::size_t>(keep - ends_.begin()));
}

void PositionStore::DropBefore(GameId id) {
  AZ_CHECK(settled_);
  const auto keep = std::partition_point(games_.begin(), games_.end(),
                                         [id](const PackedGame& game) { return game.id() < id; });
  DropFirst(static_cast<std::size_t>(keep - games_.begin()));
}

void PositionStore::DropFirst(std::size_t games) {
  if (games == 0) return;
  for (std::size_t i = 0; i < games; ++i) {
    positions_ -= games_[i].positions();
    memory_ -= games_[i].memory();
  }
  games_.erase(games_.begin(), games_.begin() + static_cast<std::ptrdiff_t>(games));
  index_.reset();
  settled_ = false;
  Settle();
}

void PositionStore::IndexSamples() {
  AZ_CHECK(settled_);
  index_.emplace(games_);
}

Sample PositionStore::Locate(std::int64_t number) const {
  AZ_CHECK(settled_);
  AZ_CHECK(number >= 0 && number < positions_) << number << " of " << positions_;
  const auto end = std::upper_bound(ends_.begin(), ends_.end(), number);
  const auto index = static_cast<std::size_t>(end - ends_.begin());
  const PackedGame& game = games_[index];
  std::int64_t before = *end - game.positions();
  for (std::size_t ply = 0;; ++ply) {
    if (!game.moves()[ply].is_position) continue;
    if (before++ == number) {
      return {.game = static_cast<std::uint32_t>(index), .ply = static_cast<std::uint16_t>(ply)};
    }
  }
}

PositionRange PositionStore::Range(std::uint32_t first_iteration,
                                   std::uint32_t last_iteration) const {
  AZ_CHECK(settled_);
  const auto before = [this](auto is_before) {
    const auto game = std::partition_point(games_.begin(), games_.end(), is_before);
    return game == games_.begin() ? 0 : ends_[static_cast<std::size_t>(game - games_.begin()) - 1];
  };
  return {before([&](const PackedGame& game) { return game.id().iteration() < first_iteration; }),
          before([&](const PackedGame& game) { return game.id().iteration() <= last_iteration; })};
}

Sample PositionStore::DrawOne(PositionRange range, Rng& rng) const {
  if (!index_) {
    return Locate(range.begin +
                  static_cast<std::int64_t>(rng.Below(static_cast<std::uint64_t>(range.count()))));
  }
  const std::uint32_t group = index_->Find(rng.Below(index_->total()));
  const PositionAt& newest = index_->members(group).back();
  return {.game = newest.game, .ply = newest.ply, .group = group};
}

void PositionStore::Draw(PositionRange range, int num_symmetries, Rng& rng,
                         std::span<Sample> samples) const {
  AZ_CHECK_GT(range.count(), 0);
  AZ_CHECK_GT(num_symmetries, 0);
  AZ_CHECK(!index_ || range.count() == positions_) << "an index is of all positions";
  for (Sample& sample : samples) {
    sample = DrawOne(range, rng);
    sample.symmetry =
        static_cast<std::uint16_t>(rng.Below(static_cast<std::uint64_t>(num_symmetries)));
  }
}

}  // namespace az
