#pragma once
// The one list of all games. Everything that exists once per game (search, worker, test kit,
// GameOps) is made from it. A person names a game by its entry ("hex5") or by family and board size
// ("hex", 5).

#include <concepts>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "games/breakthrough/breakthrough.h"
#include "games/connect_four/connect_four.h"
#include "games/game.h"
#include "games/game_ops.h"
#include "games/go/go.h"
#include "games/hex/hex.h"
#include "games/mnk/mnk.h"
#include "games/othello/othello.h"
#include "games/tic_tac_toe/tic_tac_toe.h"

namespace az {

template <class... S>
struct TypeList {};

// All games, in the order in which they are listed to people. A family's entries stand together.
using AllGames = TypeList<TicTacToe, ConnectFour,                                      //
                          Mnk<5, 5, 4>, Mnk<9, 9, 5>, Mnk<15, 15, 5>,                  //
                          Hex<3>, Hex<4>, Hex<5>, Hex<6>, Hex<7>, Hex<8>, Hex<9>,      //
                          Hex<10>, Hex<11>,                                            //
                          Hex<5, HexSwap::kYes>, Hex<11, HexSwap::kYes>,               //
                          Othello<6>, Othello<8>,                                      //
                          Breakthrough<5, 5>, Breakthrough<6, 6>, Breakthrough<8, 8>,  //
                          Go<5>, Go<7>, Go<9>>;

// What the registry needs of a state beyond GameState. kBoardSize is 0 when the family has only one
// size.
template <class S>
concept RegisteredGame = GameState<S> && requires {
  { S::kFamily } -> std::convertible_to<std::string_view>;
  { S::kBoardSize } -> std::convertible_to<int>;
};

template <RegisteredGame S>
GameInfo MakeGameInfo() {
  return {.entry = std::string(S::kName),
          .family = std::string(S::kFamily),
          .board_size = S::kBoardSize,
          .num_actions = S::kNumActions,
          .max_plies = S::kMaxPlies,
          .num_symmetries = S::kNumSymmetries,
          .shape = S::kShape};
}

struct GameFamily {
  std::string name;
  std::vector<int> board_sizes;  // rising; empty when there is one size only
  int default_board_size = 0;
};

// The families, in the order of AllGames.
std::vector<GameFamily> GameFamilies();
std::vector<std::string> GameEntries();

// The game with this entry or family name. board_size 0 asks for the family's default. Fails with
// kNotFound, listing what there is. The object lives as long as the process.
Result<const GameOps*> FindGame(std::string_view name, int board_size = 0);

// The error for a name that no entry has; it lists the entries.
Error UnknownGameEntry(std::string_view entry);

namespace registry_internal {
template <class F, class... S>
void ForEach(TypeList<S...>, F& f) {
  (f.template operator()<S>(), ...);
}
template <class F, class First, class... S>
auto With(TypeList<First, S...>, std::string_view entry, F& f)
    -> decltype(f.template operator()<First>()) {
  if (entry == First::kName) return f.template operator()<First>();
  if constexpr (sizeof...(S) == 0) {
    return UnknownGameEntry(entry);
  } else {
    return With(TypeList<S...>{}, entry, f);
  }
}
}  // namespace registry_internal

// Calls f.operator()<S>() for every game: ForEachGame([]<GameState S>() { ... }).
template <class F>
void ForEachGame(F&& f) {
  registry_internal::ForEach(AllGames{}, f);
}

// Turns a name into a type: returns f.operator()<S>() for the game with that entry. f returns the
// same Result<T> for every game. Fails with kNotFound when there is no such entry.
template <class F>
auto WithGame(std::string_view entry, F&& f) {
  return registry_internal::With(AllGames{}, entry, f);
}

}  // namespace az
