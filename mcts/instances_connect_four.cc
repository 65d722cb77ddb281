#include "games/connect_four/connect_four.h"
#include "mcts/search_inl.h"

namespace az {

template class Search<ConnectFour>;

}  // namespace az
