#pragma once
// PositionStore: finished games kept small, in the order of their ids, with every position to
// train on numbered for sampling. The replay window is made of two: games to train on and held-out
// ones.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <type_traits>
#include <vector>

#include "base/bytes.h"
#include "base/rng.h"
#include "engine/data/game_record.h"
#include "engine/data/sample_index.h"

namespace az {

// A move without most of what only statistics need. Values in the view of the side to move.
struct PackedMove {
  float root_value = 0;
  std::uint32_t policy_begin = 0;  // in the game's policies
  std::uint16_t policy_count = 0;  // 0: no policy sample
  Action action{};
  std::uint8_t flags = 0;  // kMove… of game_record.h
  bool is_position = false;
  bool is_searched = false;  // root_value is a search's; else there was none
  // What the search was served for its root, in 127ths; 0 where that is not known (kMoveProven).
  std::int8_t network_value_127 = 0;

  float network_value() const { return static_cast<float>(network_value_127) / 127.0f; }
};
static_assert(sizeof(PackedMove) == 16 && std::is_trivially_copyable_v<PackedMove>);

// Which plies of a game are positions to train on.
enum class SampledPlies : std::uint8_t {
  kWithPolicy,  // those that have one
  kFastToo,     // those of fast searches too, for their outcome alone
};

// What sampling may need to know of a game beyond its record: a number a ply, or none at all.
struct PlyNotes {
  std::vector<float> weights;       // how often it is sampled beside others (surprise.h)
  std::vector<std::uint64_t> keys;  // equal positions, equal keys
};

// Immutable once made. Thread-safe.
class PackedGame {
 public:
  // REQUIRES: the game has an outcome and its plies are 0, 1, 2, …
  explicit PackedGame(const GameRecord& record, SampledPlies sampled = SampledPlies::kWithPolicy,
                      PlyNotes notes = {});

  GameId id() const { return id_; }
  Outcome outcome() const { return outcome_; }
  std::span<const PackedMove> moves() const { return moves_; }
  std::span<const PolicyEntry> policy(const PackedMove& move) const {
    return std::span(policies_).subspan(move.policy_begin, move.policy_count);
  }
  int positions() const { return positions_; }  // plies to train on
  // Of the newest weights that answered one of its searches; 0: none did.
  std::uint64_t weights_version() const { return weights_version_; }
  // The first ply that those searched.
  int newest_from() const { return newest_from_; }
  float weight(std::size_t ply) const {
    return notes_.weights.empty() ? 1.0f : notes_.weights[ply];
  }
  std::span<const std::uint64_t> keys() const { return notes_.keys; }
  Bytes memory() const;  // of the whole object

 private:
  GameId id_;
  Outcome outcome_ = Outcome::kDraw;
  int positions_ = 0;
  int newest_from_ = 0;
  std::uint64_t weights_version_ = 0;
  std::vector<PackedMove> moves_;
  std::vector<PolicyEntry> policies_;
  PlyNotes notes_;
};

// One row to assemble.
struct Sample {
  std::uint32_t game = 0;  // index in the store
  std::uint16_t ply = 0;
  std::uint16_t symmetry = 0;
  std::uint32_t group = kAlone;  // of the store's index; kAlone: this position by itself
  static constexpr std::uint32_t kAlone = 0xFFFFFFFF;
  friend bool operator==(const Sample&, const Sample&) = default;
};

// Numbers of positions: [begin, end).
struct PositionRange {
  std::int64_t begin = 0;
  std::int64_t end = 0;
  std::int64_t count() const { return end - begin; }
};

// Thread-compatible: any number of readers between two changes. Add leaves it unsettled; what needs
// the numbering says so.
class PositionStore {
 public:
  void Add(PackedGame game);
  // Sorts by id and numbers the positions; then the result does not depend on the order of Add.
  void Settle();
  // Drops the oldest games as long as at least `positions` remain without them. REQUIRES: settled;
  // is so afterwards.
  void KeepNewest(std::int64_t positions);
  // Drops games older than `id`. REQUIRES: settled; is so afterwards.
  void DropBefore(GameId id);
  // From now until the store changes, Draw goes by the games' weights and keys. REQUIRES: settled.
  void IndexSamples();

  std::span<const PackedGame> games() const { return games_; }
  std::int64_t positions() const { return positions_; }
  Bytes memory() const { return memory_ + (index_ ? index_->memory() : Bytes()); }
  const SampleIndex* index() const { return index_ ? &*index_ : nullptr; }

  // Position `number` of [0, positions()), symmetry 0. REQUIRES: settled.
  Sample Locate(std::int64_t number) const;
  // The numbers of the positions of these iterations, both included. REQUIRES: settled.
  PositionRange Range(std::uint32_t first_iteration, std::uint32_t last_iteration) const;
  // Fills `samples` with positions drawn with replacement from `range`, each with a symmetry drawn
  // from [0, num_symmetries): uniformly, or where there is an index, groups by weight. REQUIRES:
  // settled, range not empty and within [0, positions()); all of it where there is an index.
  void Draw(PositionRange range, int num_symmetries, Rng& rng, std::span<Sample> samples) const;

 private:
  void DropFirst(std::size_t games);
  Sample DrawOne(PositionRange range, Rng& rng) const;

  std::vector<PackedGame> games_;
  std::vector<std::int64_t> ends_;  // ends_[i]: positions of games 0 to i
  std::int64_t positions_ = 0;
  Bytes memory_;
  std::optional<SampleIndex> index_;
  bool settled_ = true;
};

}  // namespace az
