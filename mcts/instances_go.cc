#include "games/go/go.h"
#include "mcts/search_inl.h"

namespace az {

template class Search<Go<5>>;
template class Search<Go<7>>;
template class Search<Go<9>>;

}  // namespace az
