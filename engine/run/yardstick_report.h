#pragma once
// What the yardstick found, as text: for a run's curve and for people.

#include <string>
#include <string_view>

#include "games/solvers/yardstick_measure.h"

namespace az {

// A JSON object on one line (docs/learning.md, "Yardstick"). Values of openings in the view of who
// made the first move.
std::string YardstickJson(const YardstickReport& report);

// "openings 25 of 25 (smallest margin 0.41), mistakes raw 2.5 %, search 0.0 %, held 100 of 100".
std::string YardstickLine(const YardstickReport& report);

// Several lines for a person, no newline at the end. `game`: to name the first moves.
std::string YardstickTable(const GameOps& game, const YardstickReport& report);

}  // namespace az
