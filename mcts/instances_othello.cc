#include "games/othello/othello.h"
#include "mcts/search_inl.h"

namespace az {

template class Search<Othello<6>>;
template class Search<Othello<8>>;

}  // namespace az
