#include "games/breakthrough/breakthrough.h"
#include "mcts/search_inl.h"

namespace az {

template class Search<Breakthrough<5, 5>>;
template class Search<Breakthrough<6, 6>>;
template class Search<Breakthrough<8, 8>>;

}  // namespace az
