#include "games/mnk/mnk.h"
#include "mcts/search_inl.h"

namespace az {

template class Search<Mnk<5, 5, 4>>;
template class Search<Mnk<9, 9, 5>>;
template class Search<Mnk<15, 15, 5>>;

}  // namespace az
