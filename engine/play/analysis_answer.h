#pragma once
// Writes the answer lines of `az_play analyze`. docs/az_play.md describes the fields.

#include <string>
#include <string_view>

#include "base/result.h"
#include "engine/play/thinker.h"
#include "games/game_ops.h"

namespace az {

// The answer to a request, as a line of JSON without a newline. `id` is JSON text. REQUIRES: the
// thought is about that position.
std::string AnswerLine(std::string_view id, const Position& position, const Thought& thought);
// The answer to a request that failed. Bytes of the message that are no text are replaced.
std::string FaultLine(std::string_view id, const Error& error);

}  // namespace az
