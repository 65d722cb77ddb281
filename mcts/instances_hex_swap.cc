#include "games/hex/hex.h"
#include "mcts/search_inl.h"

namespace az {

template class Search<Hex<5, HexSwap::kYes>>;
template class Search<Hex<11, HexSwap::kYes>>;

}  // namespace az
