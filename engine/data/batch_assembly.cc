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

namespace az {
namespace {

constexpr std::size_t kRowsPerTask = 16;

ValueClass ClassOf(int value) {
  return value > 0 ? ValueClass::kWin : value < 0 ? ValueClass::kLoss : ValueClass::kDraw;
}

Error CorruptGame(const PackedGame& game, std::size_t ply, std::string_view fault) {
  return Error{Errc::kCorrupt,
               StrCat("assemble game ", game.id().packed, " (iteration ", game.id().iteration(),
                      ", index ", game.id().index(), "), ply ", ply, ": ", fault)};
}

// The arrays of one row.
struct RowView {
  std::span<std::uint64_t> planes;
  std::span<float> policy;
  std::span<std::uint8_t> legal;
  float& policy_weight;
  std::int64_t& value_class;
  float& root_value;
};

RowView RowOf(TrainBatch& batch, std::size_t row) {
  const auto words = static_cast<std::size_t>(batch.shape.words());
  const auto actions = static_cast<std::size_t>(batch.actions);
  return {std::span(batch.planes).subspan(row * words, words),
          std::span(batch.policy).subspan(row * actions, actions),
          std::span(batch.legal).subspan(row * actions, actions),
          batch.policy_weight[row],
          batch.value_class[row],
          batch.root_value[row]};
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

Result<void> FillPolicy(const GameOps& ops, const PackedGame& game, const Sample& sample,
                        const Position& position, RowView row) {
  const PackedMove& move = game.moves()[sample.ply];
  std::fill(row.policy.begin(), row.policy.end(), 0.0f);
  std::fill(row.legal.begin(), row.legal.end(), std::uint8_t{0});
  for (const Action action : position.LegalActions()) {
    row.legal[static_cast<std::size_t>(Index(ops.MapAction(action, sample.symmetry)))] = 1;
  }
  std::int64_t total = 0;
  for (const PolicyEntry& entry : game.policy(move)) {
    if (!position.IsLegal(entry.action)) {
      return CorruptGame(
          game, sample.ply,
          StrCat("the policy names action ", Index(entry.action), ", which is not legal there"));
    }
    total += entry.weight;
  }
  row.policy_weight = total > 0 ? 1.0f : 0.0f;
  for (const PolicyEntry& entry : game.policy(move)) {
    if (total == 0) break;
    const Action mapped = ops.MapAction(entry.action, sample.symmetry);
    row.policy[static_cast<std::size_t>(Index(mapped))] +=
        static_cast<float>(static_cast<double>(entry.weight) / static_cast<double>(total));
  }
  return {};
}

Result<void> FillRow(const GameOps& ops, const BatchOptions& options, const PackedGame& game,
                     const Sample& sample, std::vector<std::uint64_t>& unmapped, RowView row) {
  AZ_CHECK_LT(std::size_t{sample.ply}, game.moves().size());
  AZ_CHECK_LT(int{sample.symmetry}, ops.info().num_symmetries);
  AZ_ASSIGN_OR_RETURN(const std::unique_ptr<Position> position, ReplayTo(ops, game, sample.ply));
  AZ_RETURN_IF_ERROR(FillPolicy(ops, game, sample, *position, row));
  unmapped.resize(row.planes.size());
  position->Encode(unmapped);
  ops.MapPlanes(unmapped, sample.symmetry, row.planes);
  const PackedMove& move = game.moves()[sample.ply];
  int value = ValueFor(game.outcome(), position->ToMove());
  if (options.proven_targets && (move.flags & kMoveProven) != 0) {
    value = move.root_value > 0.5f ? 1 : move.root_value < -0.5f ? -1 : 0;
  }
  row.value_class = static_cast<std::int64_t>(ClassOf(value));
  row.root_value = std::clamp(move.root_value, -1.0f, 1.0f);
  return {};
}

template <class T>
void GrowTo(std::vector<T>& array, std::size_t size) {
  if (array.size() < size) array.resize(size);
}

void Reserve(const GameInfo& info, std::size_t rows, TrainBatch& batch) {
  batch.rows = static_cast<int>(rows);
  batch.actions = info.num_actions;
  batch.shape = info.shape;
  GrowTo(batch.planes, rows * static_cast<std::size_t>(info.shape.words()));
  GrowTo(batch.policy, rows * static_cast<std::size_t>(info.num_actions));
  GrowTo(batch.legal, rows * static_cast<std::size_t>(info.num_actions));
  GrowTo(batch.policy_weight, rows);
  GrowTo(batch.value_class, rows);
  GrowTo(batch.root_value, rows);
}

}  // namespace

struct BatchAssembler::State {
  State(const GameOps& ops, const BatchOptions& batch_options)
      : game(ops), options(batch_options), arena(std::max(1, batch_options.threads)) {}

  const GameOps& game;
  BatchOptions options;
  tbb::task_arena arena;
  tbb::enumerable_thread_specific<std::vector<std::uint64_t>>
      scratch;  // planes before the symmetry
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
    std::vector<std::uint64_t>& unmapped = s.scratch.local();
    for (std::size_t row = rows.begin(); row != rows.end(); ++row) {
      const Sample& sample = samples[row];
      AZ_CHECK_LT(std::size_t{sample.game}, store.games().size());
      Result<void> filled = FillRow(s.game, s.options, store.games()[sample.game], sample, unmapped,
                                    RowOf(batch, row));
      if (filled) continue;
      const std::scoped_lock lock(mutex);
      if (row < failed_row) {
        failed_row = row;
        failure = std::move(filled).error();
      }
    }
  };
  try {
    Reserve(s.game.info(), samples.size(), batch);
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
