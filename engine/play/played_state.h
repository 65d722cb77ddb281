#pragma once
// Makes the position after a list of moves, with error messages for a person.

#include <span>

#include "base/result.h"
#include "base/strings.h"
#include "games/game.h"
#include "games/game_ops.h"

namespace az {

// The start of a game. Fails with kInvalid for an option that the game does not have, or a value
// that it refuses.
template <GameState S>
Result<S> StartOf(const StartOptions& options) {
  if (!options.komi.has_value()) return S{};
  if constexpr (requires { S::WithKomi(*options.komi); }) {
    return S::WithKomi(*options.komi);
  } else {
    return Error{Errc::kInvalid, StrCat("game '", S::kName, "' has no option komi")};
  }
}

// The state after `moves`. Fails with kInvalid for an illegal move, naming its ply.
template <GameState S>
Result<S> StateAfter(S state, std::span<const Action> moves) {
  for (std::size_t ply = 0; ply < moves.size(); ++ply) {
    if (!state.LegalActions().Contains(moves[ply])) {
      return Error{Errc::kInvalid,
                   StrCat("move ", ply + 1, " of ", moves.size(), ": action ", Index(moves[ply]),
                          state.Result() ? " comes after the end of the game"
                                         : " is not legal in the position before it")};
    }
    state.Apply(moves[ply]);
  }
  return state;
}

// The same for a Thinker: fails with kInvalid also when the game is over.
template <GameState S>
Result<S> PositionToThinkAbout(const S& start, std::span<const Action> moves) {
  AZ_ASSIGN_OR_RETURN(const S state, StateAfter(start, moves));
  if (state.Result()) {
    return Error{Errc::kInvalid, StrCat("the game is over after ", moves.size(), " moves")};
  }
  return state;
}

}  // namespace az
