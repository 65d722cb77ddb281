#pragma once
// One line that `az_play analyze` answers. docs/az_play.md describes the fields.

#include <string>
#include <string_view>

#include "base/result.h"
#include "engine/play/thinker.h"
#include "games/game_ops.h"

namespace az {

// Lines of JSON without their end. `id` is JSON text. REQUIRES: the thought is of that position.
std::string AnswerLine(std::string_view id, const Position& position, const Thought& thought);
// Bytes of the message that are no text are replaced.
std::string FaultLine(std::string_view id, const Error& error);

}  // namespace az
