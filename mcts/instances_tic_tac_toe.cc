#include "games/tic_tac_toe/tic_tac_toe.h"
#include "mcts/search_inl.h"

namespace az {

template class Search<TicTacToe>;

}  // namespace az
