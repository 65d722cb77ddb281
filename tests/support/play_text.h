#pragma once
// Plays moves as a person writes them: After<Hex<5>>("c3 b3 d1").

#include <gtest/gtest.h>

#include <optional>
#include <string_view>

#include "base/strings.h"
#include "games/game.h"

namespace az::testing {

// The state after `moves`, separated by blanks. A move that is not legal fails the test and is
// skipped.
template <GameState S>
S After(std::string_view moves, S state = {}) {
  for (const std::string_view move : Split(moves, ' ')) {
    std::optional<Action> found;
    state.LegalActions().ForEach([&](Action a) {
      if (state.MoveText(a) == move) found = a;
    });
    EXPECT_TRUE(found.has_value()) << move << " in " << moves << "\n" << state.ToString();
    if (found.has_value()) state.Apply(*found);
  }
  return state;
}

}  // namespace az::testing
