#include "engine/data/batch_assembly.h"

#include <tbb/blocked_range.h>
#include <tbb/enumerable_thread_specific.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <exception>
#include <mutex>
#include <new>
#include <optional>
#include <utility>

#include "base/strings.h"
#include "engine/data/short_term_value.h"

namespace az {
namespace {

constexpr std::size_t kRowsPerTask = 16;
constexpr std::size_t kValueClasses = 3;

ValueClass ClassOf(int value) {
  return value > 0 ? ValueClass::kWin : value < 0 ? ValueClass::kLoss : ValueClass::kDraw;
}

Error CorruptGame(const PackedGame& game, std::size_t ply, std::string_view fault) {
  return Error{Errc::kCorrupt,
               StrCat("assemble game ", game.id().packed, " (iteration ", game.id().iteration(),
                      ", index ", game.id().index(), "), ply ", ply, ": ", fault)};
}

// The arrays of one row; the last four are empty where there are none.
struct RowView {
  std::span<std::uint64_t> planes;
  std::span<float> policy;
  std::span<std::uint8_t> legal;
  float& policy_weight;
  std::int64_t& value_class;
  float& root_value;
  std::span<float> opponent;
  std::span<float> opponent_weight;  // one number
  std::span<float> short_term;       // one number
  std::span<float> value_shares;     // three
};

std::span<float> Part(std::vector<float>& array, bool has, std::size_t row, std::size_t width) {
  return has ? std::span(array).subspan(row * width, width) : std::span<float>();
}

RowView RowOf(TrainBatch& batch, std::size_t row) {
  const auto words = static_cast<std::size_t>(batch.shape.words());
  const auto actions = static_cast<std::size_t>(batch.actions);
  return {std::span(batch.planes).subspan(row * words, words),
          std::span(batch.policy).subspan(row * actions, actions),
          std::span(batch.legal).subspan(row * actions, actions),
          batch.policy_weight[row],
          batch.value_class[row],
          batch.root_value[row],
          Part(batch.opponent, batch.has.opponent, row, actions),
          Part(batch.opponent_weight, batch.has.opponent, row, 1),
          Part(batch.short_term, batch.has.short_term, row, 1),
          Part(batch.value_shares, batch.has_shares, row, kValueClasses)};
}

Result<std::unique_ptr<Position>> ReplayTo(const GameOps& ops, const PackedGame& game,
                                           std::size_t ply) {
  std::unique_ptr<Position> position = ops.Start();
  for (std::size_t i = 0; i < ply; ++i) {
    if (Result<void> applied = position->Apply(game.moves()[i].action); !applied) {
      return CorruptGame(game, i, applied.error().message);
    }
  }
  return position;
}

// The policy of `ply`, at `position`, as shares of actions under the symmetry. The weight of the
// target: 1, or 0 where there is none.
Result<float> FillPolicy(const GameOps& ops, const PackedGame& game, std::size_t ply, int symmetry,
                         const Position& position, std::span<float> policy) {
  const PackedMove& move = game.moves()[ply];
  std::fill(policy.begin(), policy.end(), 0.0f);
  std::int64_t total = 0;
  for (const PolicyEntry& entry : game.policy(move)) {
    if (!position.IsLegal(entry.action)) {
      return CorruptGame(
          game, ply,
          StrCat("the policy names action ", Index(entry.action), ", which is not legal there"));
    }
    total += entry.weight;
  }
  if (total == 0) return 0.0f;
  for (const PolicyEntry& entry : game.policy(move)) {
    const Action mapped = ops.MapAction(entry.action, symmetry);
    policy[static_cast<std::size_t>(Index(mapped))] +=
        static_cast<float>(static_cast<double>(entry.weight) / static_cast<double>(total));
  }
  return 1.0f;
}

void FillLegal(const GameOps& ops, const Position& position, int symmetry,
               std::span<std::uint8_t> legal) {
  std::fill(legal.begin(), legal.end(), std::uint8_t{0});
  for (const Action action : position.LegalActions()) {
    legal[static_cast<std::size_t>(Index(ops.MapAction(action, symmetry)))] = 1;
  }
}

// The targets that follow from how the game went on. `position` is the sample's, and played on.
Result<void> FillHeads(const GameOps& ops, const PackedGame& game, const Sample& sample,
                       Position& position, RowView row) {
  if (row.opponent.empty() && row.short_term.empty()) return {};
  const Player mover = position.ToMove();
  const std::span<const PackedMove> moves = game.moves();
  ShortTermValue short_term(mover, ShortTermHorizon(ops.info().shape.cells()));
  if (!row.opponent.empty()) {
    std::fill(row.opponent.begin(), row.opponent.end(), 0.0f);
    row.opponent_weight[0] = 0.0f;
  }
  // To the end of the game, or without that head to the next ply.
  for (std::size_t ply = sample.ply; ply < moves.size(); ++ply) {
    const bool is_next = ply == std::size_t{sample.ply} + 1;
    if (is_next && !row.opponent.empty() && position.ToMove() != mover) {
      AZ_ASSIGN_OR_RETURN(row.opponent_weight[0],
                          FillPolicy(ops, game, ply, sample.symmetry, position, row.opponent));
    }
    if (is_next && row.short_term.empty()) return {};
    if (moves[ply].is_searched) short_term.Add(position.ToMove(), moves[ply].root_value);
    if (Result<void> applied = position.Apply(moves[ply].action); !applied) {
      return CorruptGame(game, ply, applied.error().message);
    }
  }
  if (!row.short_term.empty()) row.short_term[0] = short_term.EndedWith(game.outcome());
  return {};
}

// All targets of a sample; `position` is played on.
Result<void> FillTargets(const GameOps& ops, const BatchOptions& options, const PackedGame& game,
                         const Sample& sample, Position& position, RowView row) {
  AZ_CHECK_LT(std::size_t{sample.ply}, game.moves().size());
  AZ_ASSIGN_OR_RETURN(row.policy_weight,
                      FillPolicy(ops, game, sample.ply, sample.symmetry, position, row.policy));
  const PackedMove& move = game.moves()[sample.ply];
  int value = ValueFor(game.outcome(), position.ToMove());
  if (options.proven_targets && (move.flags & kMoveProven) != 0) {
    value = move.root_value > 0.5f ? 1 : move.root_value < -0.5f ? -1 : 0;
  }
  row.value_class = static_cast<std::int64_t>(ClassOf(value));
  row.root_value = std::clamp(move.root_value, -1.0f, 1.0f);
  if (!row.value_shares.empty()) {
    std::fill(row.value_shares.begin(), row.value_shares.end(), 0.0f);
    row.value_shares[static_cast<std::size_t>(row.value_class)] = 1.0f;
  }
  return FillHeads(ops, game, sample, position, row);
}

// What a thread keeps from row to row.
struct Scratch {
  std::vector<std::uint64_t> planes;  // before the symmetry
  TrainBatch member;                  // one row: the targets of one of a group
};

// `to` += `from`, where a target that is not there is all 0.
void AddTargets(const RowView& from, RowView to) {
  const auto add = [](std::span<const float> more, std::span<float> sum) {
    for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += more[i];
  };
  add(from.policy, to.policy);
  to.policy_weight += from.policy_weight;
  to.root_value += from.root_value;
  add(from.opponent, to.opponent);
  add(from.opponent_weight, to.opponent_weight);
  add(from.short_term, to.short_term);
  add(from.value_shares, to.value_shares);
}

// From sums over `count` games to means. A weight counts games until here, then that there are any.
void Average(float count, RowView row) {
  const auto divide = [](std::span<float> sum, float by) {
    for (float& number : sum) number /= by;
  };
  const auto weigh = [&](std::span<float> target, float& weight) {
    if (weight > 0.0f) divide(target, weight);
    weight = weight > 0.0f ? 1.0f : 0.0f;
  };
  weigh(row.policy, row.policy_weight);
  if (!row.opponent.empty()) weigh(row.opponent, row.opponent_weight[0]);
  row.root_value /= count;
  divide(row.short_term, count);
  divide(row.value_shares, count);
}

// The mean targets of the sample's group. `position` is that of every member, but how it was
// reached can matter later (Go's superko, its longest game): heads follow each game from its own
// start.
Result<void> FillMerged(const GameOps& ops, const BatchOptions& options, const PositionStore& store,
                        const Sample& sample, const Position& position, Scratch& scratch,
                        RowView row) {
  const bool has_heads = options.heads.opponent || options.heads.short_term;
  std::span<const PositionAt> members = store.index()->members(sample.group);
  members = members.last(std::min(members.size(), kMostMergedGames));
  for (std::size_t i = 0; i < members.size(); ++i) {
    const PositionAt& at = members[i];
    const PackedGame& game = store.games()[at.game];
    std::unique_ptr<Position> own;
    if (has_heads) {
      AZ_ASSIGN_OR_RETURN(own, ReplayTo(ops, game, at.ply));
    } else {
      own = position.Clone();
    }
    const Sample one{.game = at.game, .ply = at.ply, .symmetry = sample.symmetry};
    const RowView target = i == 0 ? row : RowOf(scratch.member, 0);
    AZ_RETURN_IF_ERROR(FillTargets(ops, options, game, one, *own, target));
    if (i > 0) AddTargets(target, row);
  }
  Average(static_cast<float>(members.size()), row);
  return {};
}

Result<void> FillRow(const GameOps& ops, const BatchOptions& options, const PositionStore& store,
                     const Sample& sample, Scratch& scratch, RowView row) {
  AZ_CHECK_LT(std::size_t{sample.game}, store.games().size());
  AZ_CHECK_LT(int{sample.symmetry}, ops.info().num_symmetries);
  const PackedGame& game = store.games()[sample.game];
  AZ_ASSIGN_OR_RETURN(const std::unique_ptr<Position> position, ReplayTo(ops, game, sample.ply));
  FillLegal(ops, *position, sample.symmetry, row.legal);
  scratch.planes.resize(row.planes.size());
  position->Encode(scratch.planes);
  ops.MapPlanes(scratch.planes, sample.symmetry, row.planes);
  if (!options.merges_duplicates || sample.group == Sample::kAlone) {
    return FillTargets(ops, options, game, sample, *position, row);
  }
  return FillMerged(ops, options, store, sample, *position, scratch, row);
}

template <class T>
void GrowTo(std::vector<T>& array, std::size_t size) {
  if (array.size() < size) array.resize(size);
}

void Reserve(const GameInfo& info, const BatchOptions& options, std::size_t rows,
             TrainBatch& batch) {
  batch.rows = static_cast<int>(rows);
  batch.actions = info.num_actions;
  batch.shape = info.shape;
  GrowTo(batch.planes, rows * static_cast<std::size_t>(info.shape.words()));
  GrowTo(batch.policy, rows * static_cast<std::size_t>(info.num_actions));
  GrowTo(batch.legal, rows * static_cast<std::size_t>(info.num_actions));
  GrowTo(batch.policy_weight, rows);
  GrowTo(batch.value_class, rows);
  GrowTo(batch.root_value, rows);
  batch.has_shares = options.merges_duplicates;
  if (batch.has_shares) GrowTo(batch.value_shares, rows * kValueClasses);
  batch.has = options.heads;
  if (batch.has.opponent) {
    GrowTo(batch.opponent, rows * static_cast<std::size_t>(info.num_actions));
    GrowTo(batch.opponent_weight, rows);
  }
  if (batch.has.short_term) GrowTo(batch.short_term, rows);
}

}  // namespace

struct BatchAssembler::State {
  State(const GameOps& ops, const BatchOptions& batch_options)
      : game(ops), options(batch_options), arena(std::max(1, batch_options.threads)) {}

  const GameOps& game;
  BatchOptions options;
  tbb::task_arena arena;
  tbb::enumerable_thread_specific<Scratch> scratch;
};

BatchAssembler::BatchAssembler(const GameOps& game, const BatchOptions& options)
    : state_(std::make_unique<State>(game, options)) {}
BatchAssembler::~BatchAssembler() = default;
BatchAssembler::BatchAssembler(BatchAssembler&&) noexcept = default;
BatchAssembler& BatchAssembler::operator=(BatchAssembler&&) noexcept = default;

Result<void> BatchAssembler::Assemble(const PositionStore& store, std::span<const Sample> samples,
                                      TrainBatch& batch) {
  State& s = *state_;
  std::mutex mutex;  // guards the two below
  std::size_t failed_row = samples.size();
  std::optional<Error> failure;
  const auto fill = [&](const tbb::blocked_range<std::size_t>& rows) {
    Scratch& scratch = s.scratch.local();
    if (s.options.merges_duplicates) Reserve(s.game.info(), s.options, 1, scratch.member);
    for (std::size_t row = rows.begin(); row != rows.end(); ++row) {
      const Sample& sample = samples[row];
      Result<void> filled = FillRow(s.game, s.options, store, sample, scratch, RowOf(batch, row));
      if (filled) continue;
      const std::scoped_lock lock(mutex);
      if (row < failed_row) {
        failed_row = row;
        failure = std::move(filled).error();
      }
    }
  };
  try {
    Reserve(s.game.info(), s.options, samples.size(), batch);
    s.arena.execute([&] {
      tbb::parallel_for(tbb::blocked_range<std::size_t>(0, samples.size(), kRowsPerTask), fill);
    });
  } catch (const std::bad_alloc&) {
    return Error{Errc::kNoMemory, StrCat("assemble a batch of ", samples.size(),
                                         " rows: out of memory (lower train.batch)")};
  } catch (const std::exception& thrown) {
    return Error{Errc::kUnavailable, StrCat("assemble a batch in parallel: ", thrown.what())};
  }
  if (failure.has_value()) return *std::move(failure);
  return {};
}

}  // namespace az
