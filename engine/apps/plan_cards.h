#pragma once
// az_plan --cards: what fits onto cards of 4 to 80 GB, as the table of docs/memory.md.

#include <string>

#include "base/result.h"

namespace az {

// Markdown. The same on every machine: the cards are simulated, the hosts made up.
Result<std::string> CardsMarkdown();

}  // namespace az
