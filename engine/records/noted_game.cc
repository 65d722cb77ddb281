#include "engine/records/noted_game.h"

#include <utility>

#include "base/strings.h"

namespace az {
namespace {

constexpr std::array<std::pair<GameKind, std::string_view>, 5> kKinds = {
    {{GameKind::kSelfPlay, "self_play"},
     {GameKind::kGate, "gate"},
     {GameKind::kFinal, "final"},
     {GameKind::kMatch, "match"},
     {GameKind::kYardstick, "yardstick"}}};

}  // namespace

std::string_view GameKindName(GameKind kind) {
  for (const auto& [candidate, name] : kKinds) {
    if (candidate == kind) return name;
  }
  return "?";
}

Result<GameKind> ParseGameKind(std::string_view name) {
  std::vector<std::string> names;
  for (const auto& [kind, candidate] : kKinds) {
    if (candidate == name) return kind;
    names.emplace_back(candidate);
  }
  return Error{Errc::kInvalid,
               StrCat("no kind of game is named '", name, "' (there are ", Join(names, ", "), ")")};
}

std::string GameName(GameId id) {
  return StrCat(GameKindName(id.kind()), "/", id.iteration(), "/", id.index());
}

NotedGame Noted(const GameRecord& record, const GameInfo& game) {
  NotedGame noted{.entry = game.entry, .name = GameName(record.id)};
  noted.moves.reserve(record.moves.size());
  for (const MoveRecord& move : record.moves) {
    const float value = move.visits == 0 ? 0.0f : move.root_value;
    noted.moves.push_back({.action = move.action, .visits = move.visits, .value = value});
  }
  noted.outcome = record.outcome;
  noted.reason = record.reason;
  return noted;
}

std::string_view OutcomeText(std::optional<Outcome> outcome) {
  if (!outcome) return "*";
  switch (*outcome) {
    case Outcome::kFirstWins:
      return "1-0";
    case Outcome::kDraw:
      return "1/2-1/2";
    case Outcome::kSecondWins:
      return "0-1";
  }
  return "*";
}

std::optional<EndReason> ParseEndReason(std::string_view name) {
  for (int i = 0; i <= static_cast<int>(kLastEndReason); ++i) {
    const auto reason = static_cast<EndReason>(i);
    if (EndReasonName(reason) == name) return reason;
  }
  return std::nullopt;
}

Result<std::unique_ptr<Position>> StartOf(const NotedGame& game, const GameOps& ops) {
  return ops.Start(StartOptions{.komi = game.komi});
}

void FillOutcome(const Position& last, NotedGame& game) {
  if (game.outcome || game.reason) return;
  game.outcome = last.FinalOutcome();
  if (game.outcome) game.reason = EndReason::kRules;
}

}  // namespace az
