#include "engine/data/replay_window.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/check.h"
#include "base/hash.h"
#include "base/strings.h"

namespace az {
namespace {

constexpr double kAlpha = 0.75;
constexpr double kBeta = 0.4;

}  // namespace

std::int64_t WindowPositions(const WindowOptions& options, std::int64_t made) {
  const auto c = static_cast<double>(options.start_positions);
  const double grown =
      c * (1 + kBeta * (std::pow(static_cast<double>(made) / c, kAlpha) - 1) / kAlpha);
  const std::int64_t window =
      made <= options.start_positions ? made : static_cast<std::int64_t>(std::llround(grown));
  return std::min({window, made, options.max_positions});
}

bool IsHeldOut(GameId id, double fraction) {
  constexpr std::uint64_t kStream = 0x68656C646F7574;  // apart from the streams that play the game
  return static_cast<double>(HashCombine(kStream, id.packed) >> 11) * 0x1.0p-53 < fraction;
}

Result<PlyNotes> CheckGame(const GameOps& game, const GameRecord& record,
                           const WindowOptions& options) {
  PlyNotes notes;
  std::vector<Player> movers;
  const auto corrupt = [&](std::size_t ply, std::string_view fault) {
    return Error{Errc::kCorrupt,
                 StrCat("game ", record.id.packed, " (iteration ", record.id.iteration(),
                        ", index ", record.id.index(), "), ply ", ply, ": ", fault)};
  };
  const std::unique_ptr<Position> position = game.Start();
  for (std::size_t ply = 0; ply < record.moves.size(); ++ply) {
    const MoveRecord& move = record.moves[ply];
    movers.push_back(position->ToMove());
    if (options.merges_duplicates) {
      notes.keys.push_back(
          HashCombine(position->Hash(), static_cast<std::uint64_t>(position->ToMove())));
    }
    std::int64_t weight = 0;
    for (const PolicyEntry& entry : move.policy) {
      if (!position->IsLegal(entry.action)) {
        return corrupt(ply, StrCat("the policy names action ", Index(entry.action),
                                   ", which is not legal there"));
      }
      weight += entry.weight;
    }
    if (!move.policy.empty() && weight == 0) return corrupt(ply, "the policy has no weight");
    if (Result<void> applied = position->Apply(move.action); !applied) {
      return corrupt(ply, applied.error().message);
    }
  }
  if (record.outcome.has_value() && record.reason == EndReason::kRules &&
      position->FinalOutcome() != record.outcome) {
    return corrupt(record.moves.size(), "the moves do not lead to the recorded outcome");
  }
  if (options.surprise.is_on() && record.outcome.has_value()) {
    notes.weights = SurpriseWeights(record, movers, game.info().shape.cells(), options.surprise);
  }
  return notes;
}

double IterationGames::mean_plies() const {
  return games == 0 ? 0 : static_cast<double>(plies) / static_cast<double>(games);
}

double IterationGames::FromStart::first_player_score() const {
  if (games == 0) return 0;
  return (static_cast<double>(first_player_wins) + 0.5 * static_cast<double>(draws)) /
         static_cast<double>(games);
}

double IterationGames::FromStart::first_move_entropy_nats() const {
  double entropy = 0;
  for (const std::int64_t count : first_moves) {
    if (count == 0) continue;
    const double share = static_cast<double>(count) / static_cast<double>(games);
    entropy -= share * std::log(share);
  }
  return entropy;
}

void ReplayWindow::Open(std::uint32_t iteration) {
  AZ_CHECK(!iteration_.has_value() || iteration >= *iteration_) << iteration;
  iteration_ = iteration;
  std::vector<PackedGame> waiting = std::exchange(later_, {});
  for (PackedGame& game : waiting) Insert(std::move(game));
}

void ReplayWindow::Add(const GameRecord& record, PlyNotes notes) {
  AZ_CHECK(record.id.kind() == GameKind::kSelfPlay) << record.id.packed;
  Insert(PackedGame(record, options_.sampled, std::move(notes)));
}

void ReplayWindow::Insert(PackedGame game) {
  const std::uint32_t iteration = game.id().iteration();
  if (!iteration_.has_value() || iteration > *iteration_) {
    later_.push_back(std::move(game));
    return;
  }
  IterationGames& stats = iterations_[iteration];
  ++stats.games;
  stats.plies += static_cast<std::int64_t>(game.moves().size());
  stats.positions += game.positions();
  switch (game.outcome()) {
    case Outcome::kFirstWins:
      ++stats.first_player_wins;
      break;
    case Outcome::kDraw:
      ++stats.draws;
      break;
    case Outcome::kSecondWins:
      ++stats.second_player_wins;
      break;
  }
  if (!game.moves().empty() && (game.moves().front().flags & kMoveRandomOpening) == 0) {
    IterationGames::FromStart& start = stats.from_start;
    ++start.games;
    start.first_player_wins += game.outcome() == Outcome::kFirstWins ? 1 : 0;
    start.draws += game.outcome() == Outcome::kDraw ? 1 : 0;
    const auto first = static_cast<std::size_t>(Index(game.moves().front().action));
    if (start.first_moves.size() <= first) start.first_moves.resize(first + 1);
    ++start.first_moves[first];
  }
  if (IsHeldOut(game.id(), options_.held_out_fraction)) {
    held_out_.Add(std::move(game));
    return;
  }
  made_positions_ += game.positions();
  train_.Add(std::move(game));
  // Reading a long run's journals must not hold all of it. In whatever order its games come, the
  // oldest of the newest max_positions can only move on.
  if (train_.positions() >= options_.max_positions + options_.max_positions / 8) {
    KeepNewest(options_.max_positions);
  }
}

void ReplayWindow::Settle() {
  KeepNewest(WindowPositions(options_, made_positions_));
  if (options_.has_index()) train_.IndexSamples();
}

void ReplayWindow::KeepNewest(std::int64_t positions) {
  train_.Settle();
  train_.KeepNewest(positions);
  held_out_.Settle();
  if (!train_.games().empty()) held_out_.DropBefore(train_.games().front().id());
}

Bytes ReplayWindow::memory() const {
  Bytes memory = train_.memory() + held_out_.memory();
  for (const PackedGame& game : later_) memory += game.memory();
  return memory;
}

const IterationGames* ReplayWindow::iteration(std::uint32_t iteration) const {
  const auto found = iterations_.find(iteration);
  return found == iterations_.end() ? nullptr : &found->second;
}

}  // namespace az
