#pragma once
// Rules over several options of the search. Part of Validate (validate.h).

#include <vector>

#include "engine/config/validate.h"
#include "mcts/search_options.h"

namespace az {

// Appends a fault for each pair of options that contradict each other, or where one makes the other
// useless.
void CheckSearch(const SearchOptions& search, std::vector<ConfigFault>& faults);

}  // namespace az
