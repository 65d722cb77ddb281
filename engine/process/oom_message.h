#pragma once
// OomMessage and the figures of scheduler/oom_figures, both ways; -1 is unknown. Pure.

#include "engine/process/memory_messages.h"
#include "scheduler/oom_figures.h"

namespace az {

// What such a refusal's text says; the layers as far as the figures have them.
OomMessage OomMessageOf(std::string where, std::string text, const OomFigures& figures);

OomFigures FiguresOf(const OomMessage& message);

}  // namespace az
