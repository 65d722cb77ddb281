#include "bench/learning/connect_four_labels.h"

#include <algorithm>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>

#include "base/check.h"
#include "base/rng.h"
#include "base/strings.h"
#include "games/registry.h"

namespace az {
namespace {

constexpr int kCols = 7;
constexpr int kCells = 42;

struct Stage {
  int first_ply = 0;
  int last_ply = 0;
  std::span<const std::string_view> classes;  // in rising order of the plies to the end
};
constexpr std::span<const std::string_view> kAll = kConnectFourClasses;
constexpr std::array<Stage, 3> kStages = {
    Stage{29, 41, kAll.first(1)}, Stage{15, 28, kAll.subspan(1, 2)}, Stage{10, 14, kAll.last(3)}};

Action Move(int col) { return Action{static_cast<std::uint16_t>(col)}; }
Action Mirrored(Action move) { return Move(kCols - 1 - Index(move)); }

bool IsOpen(std::span<const Action> moves, int col) {
  return std::ranges::count(moves, Move(col)) < kCells / kCols;
}

// The moves to a running position of random play, or nullopt when the game ended before.
std::optional<std::vector<Action>> RandomMoves(const GameOps& game, int plies, Rng& rng) {
  std::vector<Action> moves;
  const std::unique_ptr<Position> position = game.Start();
  while (!position->FinalOutcome().has_value()) {
    if (std::ssize(moves) == plies) return moves;
    const std::vector<Action> legal = position->LegalActions();
    moves.push_back(legal[static_cast<std::size_t>(rng.Below(legal.size()))]);
    AZ_CHECK(position->Apply(moves.back()).has_value());
  }
  return std::nullopt;
}

// A key that a position and its mirror image share.
std::uint64_t KeyOf(const GameOps& game, std::span<const Action> moves) {
  std::vector<Action> mirrored(moves.size());
  std::ranges::transform(moves, mirrored.begin(), Mirrored);
  const auto hash = [&](std::span<const Action> line) {
    const Result<std::unique_ptr<Position>> position = game.Replay(line);
    AZ_CHECK(position.has_value());
    return (*position)->Hash();
  };
  return std::min(hash(moves), hash(mirrored));
}

// Labels everything but the values of the moves, and these too where all moves lose.
Result<LabelledPosition> Classify(ConnectFourSolver& solver, std::span<const Action> moves) {
  LabelledPosition position;
  position.moves.assign(moves.begin(), moves.end());
  AZ_ASSIGN_OR_RETURN(const int score, solver.Score(moves));
  const int stones = static_cast<int>(moves.size());
  position.plies_left = PliesLeft(stones, score);
  position.in_class = ConnectFourClass(stones, position.plies_left);
  for (int col = 0; col < kCols && score < 0; ++col) {
    if (IsOpen(moves, col)) position.values[static_cast<std::size_t>(col)] = -1;
  }
  return position;
}

Result<void> JudgeMoves(ConnectFourSolver& solver, LabelledPosition& position) {
  for (int col = 0; col < kCols; ++col) {
    std::optional<int>& value = position.values[static_cast<std::size_t>(col)];
    if (value.has_value() || !IsOpen(position.moves, col)) continue;
    std::vector<Action> line = position.moves;
    line.push_back(Move(col));
    AZ_ASSIGN_OR_RETURN(const int after, solver.Solve(line));
    value = -after;
  }
  return {};
}

}  // namespace

std::string_view ConnectFourClass(int stones, int plies_left) {
  const auto stage = std::ranges::find_if(kStages.rbegin(), kStages.rend(),
                                          [&](const Stage& s) { return stones <= s.last_ply; });
  const std::size_t level = plies_left < 14 ? 0 : plies_left <= 28 ? 1 : 2;
  AZ_CHECK_LT(level, stage->classes.size());
  return stage->classes[level];
}

int PliesLeft(int stones, int score) {
  // A score counts the winner's stones that are left, including the winning one.
  if (score > 0) return 2 * ((kCells + 1 - stones) / 2 - score) + 1;
  if (score < 0) return 2 * ((kCells - stones) / 2 + score) + 2;
  return kCells - stones;
}

Result<LabelledPosition> Label(ConnectFourSolver& solver, std::span<const Action> moves) {
  AZ_ASSIGN_OR_RETURN(LabelledPosition position, Classify(solver, moves));
  AZ_RETURN_IF_ERROR(JudgeMoves(solver, position));
  return position;
}

Result<void> FindLabelled(ConnectFourSolver& solver, int per_class, std::uint64_t seed,
                          const std::function<void(const LabelledPosition&)>& found) {
  AZ_ASSIGN_OR_RETURN(const GameOps* game, FindGame("connect_four"));
  std::set<std::uint64_t> seen;
  std::map<std::string_view, int> counts;
  const auto is_full = [&](std::string_view in_class) { return counts[in_class] >= per_class; };
  for (const Stage& stage : kStages) {
    Rng rng = Rng(seed).Fork(static_cast<std::uint64_t>(stage.first_ply));
    const auto range = static_cast<std::uint64_t>(stage.last_ply - stage.first_ply + 1);
    while (!std::ranges::all_of(stage.classes, is_full)) {
      const int plies = stage.first_ply + static_cast<int>(rng.Below(range));
      const std::optional<std::vector<Action>> moves = RandomMoves(*game, plies, rng);
      if (!moves.has_value() || !seen.insert(KeyOf(*game, *moves)).second) continue;
      AZ_ASSIGN_OR_RETURN(LabelledPosition position, Classify(solver, *moves));
      if (is_full(position.in_class)) continue;
      AZ_RETURN_IF_ERROR(JudgeMoves(solver, position));
      ++counts[position.in_class];
      found(position);
    }
  }
  return {};
}

std::string ToJson(const LabelledPosition& position) {
  nlohmann::ordered_json values = nlohmann::ordered_json::array();
  for (const std::optional<int>& value : position.values) {
    values.push_back(value.has_value() ? nlohmann::ordered_json(*value) : nullptr);
  }
  std::string moves;
  for (const Action move : position.moves) moves += StrCat(Index(move) + 1);
  return nlohmann::ordered_json{{"class", position.in_class},
                                {"moves", moves},
                                {"plies_left", position.plies_left},
                                {"values", values}}
      .dump();
}

Result<void> CheckLabel(ConnectFourSolver& solver, std::string_view line) {
  const Error no_label{Errc::kInvalid, StrCat("no labelled position: ", line)};
  const nlohmann::json json = nlohmann::json::parse(line, nullptr, false);
  if (!json.is_object() || !json.contains("moves") || !json["moves"].is_string()) return no_label;
  std::vector<Action> moves;
  for (const char column : json["moves"].get<std::string>()) {
    if (column < '1' || column > '7') return no_label;
    moves.push_back(Move(column - '1'));
  }
  AZ_ASSIGN_OR_RETURN(const LabelledPosition position, Label(solver, moves));
  if (const std::string found = ToJson(position); found != line) {
    return Error{Errc::kInvalid, StrCat("labelled as ", line, ", the solver says ", found)};
  }
  return {};
}

}  // namespace az
