#pragma once
// NotedGame: a game as people and other programs exchange it, which game_text.h writes and reads.
// It is a GameRecord without the parts that only training needs.

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

// A move; its value is in the view of the player who made it.
struct NotedMove {
  Action action{};
  std::uint32_t visits = 0;  // the search's visits for this move; 0: the search is unknown
  float value = 0;
  friend bool operator==(const NotedMove&, const NotedMove&) = default;
};

struct NotedGame {
  std::string entry;                   // registry entry: "go5"
  std::string name;                    // "self_play/3/17"; may be empty
  std::array<std::string, 2> players;  // who moved first, who moved second; may be empty
  std::optional<double> komi;          // go, where it is not the entry's default
  std::vector<NotedMove> moves;
  std::optional<Outcome> outcome;  // nullopt: unfinished, failed or unknown
  std::optional<EndReason> reason;
  friend bool operator==(const NotedGame&, const NotedGame&) = default;
};

// The name of a kind of games: "self_play", "gate", "final", "match", "yardstick".
std::string_view GameKindName(GameKind kind);
// The kind with this name. Fails with kInvalid, listing the names.
Result<GameKind> ParseGameKind(std::string_view name);
// Kind, iteration and index of a game: "self_play/3/17".
std::string GameName(GameId id);

// The record without its policies; the players' names are left empty.
NotedGame Noted(const GameRecord& record, const GameInfo& game);

// The outcome as text: "1-0", "0-1", "1/2-1/2", or "*" for none.
std::string_view OutcomeText(std::optional<Outcome> outcome);
std::optional<EndReason> ParseEndReason(std::string_view name);  // nullopt: none has that name

// The position before a game's first move. Fails with kInvalid for a komi that the game refuses.
Result<std::unique_ptr<Position>> StartOf(const NotedGame& game, const GameOps& ops);

// Sets the outcome to the board's where the moves end the game and no outcome was given.
void FillOutcome(const Position& last, NotedGame& game);

}  // namespace az
