#pragma once
// NotedGame: a game as people and other programs exchange it. What game_text.h writes and reads; a
// GameRecord without what only training needs.

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "engine/data/game_record.h"
#include "games/game_ops.h"

namespace az {

// Values in the view of the player who moved.
struct NotedMove {
  Action action{};
  std::uint32_t visits = 0;  // of the search behind the move; 0: nothing is known of it
  float value = 0;
  friend bool operator==(const NotedMove&, const NotedMove&) = default;
};

struct NotedGame {
  std::string entry;                   // registry entry: "go5"
  std::string name;                    // "self_play/3/17"; may be empty
  std::array<std::string, 2> players;  // who moved first, who moved second; may be empty
  std::optional<double> komi;          // go, where it is not the entry's own
  std::vector<NotedMove> moves;
  std::optional<Outcome> outcome;  // nullopt: open, failed or not known
  std::optional<EndReason> reason;
  friend bool operator==(const NotedGame&, const NotedGame&) = default;
};

// "self_play", "gate", "final", "match".
std::string_view GameKindName(GameKind kind);
// kInvalid lists the names.
Result<GameKind> ParseGameKind(std::string_view name);
// "self_play/3/17": kind, iteration, index.
std::string GameName(GameId id);

// The record without its policies. Players are left empty.
NotedGame Noted(const GameRecord& record, const GameInfo& game);

// "1-0", "0-1", "1/2-1/2", or "*" without an outcome.
std::string_view OutcomeText(std::optional<Outcome> outcome);
std::optional<EndReason> ParseEndReason(std::string_view name);  // nullopt: none has that name

// The position before a game's first move. kInvalid: a komi that the game does not take.
Result<std::unique_ptr<Position>> StartOf(const NotedGame& game, const GameOps& ops);

// Takes on the outcome of the board where the moves end the game and none was given.
void FillOutcome(const Position& last, NotedGame& game);

}  // namespace az
