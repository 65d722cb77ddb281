#include "games/hex/hex.h"
#include "mcts/search_inl.h"

namespace az {

template class Search<Hex<3>>;
template class Search<Hex<4>>;
template class Search<Hex<5>>;
template class Search<Hex<6>>;
template class Search<Hex<7>>;
template class Search<Hex<8>>;
template class Search<Hex<9>>;
template class Search<Hex<10>>;
template class Search<Hex<11>>;

}  // namespace az
