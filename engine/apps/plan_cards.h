#pragma once
// az_plan --cards: the table of docs/memory.md that shows what fits onto cards of 4 to 80 GB.

#include <string>

#include "base/result.h"

namespace az {

// The table in Markdown. The same on every machine: the cards are simulated, the hosts made up.
Result<std::string> CardsMarkdown();

}  // namespace az
