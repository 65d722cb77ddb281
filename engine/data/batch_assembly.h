#pragma once
// BatchAssembler: turns sampled positions into the plain arrays a training step reads. Games are
// replayed to the sampled ply, encoded, mapped by the sample's symmetry. Rows are made in parallel
// (TBB); the result does not depend on the number of threads.

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "base/result.h"
#include "engine/data/position_store.h"
#include "games/game_ops.h"

namespace az {

// Classes of the value head.
enum class ValueClass : std::int64_t { kWin = 0, kDraw = 1, kLoss = 2 };

// Targets of heads that a network may have for training alone.
struct HeadTargets {
  bool opponent = false;
  bool short_term = false;
};

// Rows of training data, each array row-major. Everything is in the view of the side to move and in
// the frame of the row's planes, that is, after its symmetry. Reused from batch to batch: arrays
// only grow.
struct TrainBatch {
  int rows = 0;
  int actions = 0;
  PlaneShape shape;
  std::vector<std::uint64_t> planes;      // [rows, shape.words()], bit planes as in games/game.h
  std::vector<float> policy;              // [rows, actions]: target, sums to 1; 0 where illegal
  std::vector<std::uint8_t> legal;        // [rows, actions]: 1 legal, 0 not
  std::vector<float> policy_weight;       // [rows]: 0 where there is no policy target
  std::vector<std::int64_t> value_class;  // [rows]: ValueClass
  std::vector<float> root_value;          // [rows]: the search's, [-1, +1]
  // Where duplicates are merged, in place of value_class, [rows, 3]: shares of win, draw and loss
  // among the row's games. All other targets are means over these then, of those that have them.
  bool has_shares = false;
  std::vector<float> value_shares;
  HeadTargets has;  // which of the following there are
  // [rows, actions]: the policy target of the next ply, in the view and frame of who moves there,
  // after the row's symmetry. Not mapped further: the head that learns it has outputs of its own.
  std::vector<float> opponent;
  std::vector<float> opponent_weight;  // [rows]: 0 where the next ply has none or is no opponent's
  std::vector<float> short_term;       // [rows]: engine/data/short_term_value.h
};

struct BatchOptions {
  // A proven root's exact value takes the place of the game's outcome.
  bool proven_targets = true;
  int threads = 1;
  HeadTargets heads = {};
  bool merges_duplicates = false;  // a sample of a group has the mean of its members' targets
};

// Of a group of more, the newest so many are averaged: their mean is as good, and a position that
// begins every game of the window must not cost as much as all of these.
inline constexpr std::size_t kMostMergedGames = 256;

// Thread-compatible: one Assemble at a time.
class BatchAssembler {
 public:
  // `game` outlives the assembler. The horizon of short-term values follows from its board.
  BatchAssembler(const GameOps& game, const BatchOptions& options);
  ~BatchAssembler();
  BatchAssembler(BatchAssembler&&) noexcept;
  BatchAssembler& operator=(BatchAssembler&&) noexcept;

  // Blocks until row i of `batch` holds samples[i], for every i. kCorrupt, with game, ply and the
  // action, when a game does not replay or a policy names an illegal action: of the first such row.
  // kNoMemory. REQUIRES: samples of `store`, symmetries below the game's.
  Result<void> Assemble(const PositionStore& store, std::span<const Sample> samples,
                        TrainBatch& batch);

 private:
  struct State;  // keeps TBB out of this header
  std::unique_ptr<State> state_;
};

}  // namespace az
