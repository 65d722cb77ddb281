#pragma once
// The text of the Go Text Protocol, version 2 (G. Farneback, draft 2, sections 2 and 3): what a
// line of input means once control characters, comments and tabs are gone, and how an answer is
// written. Pure; used by GtpEngine.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "games/game.h"

namespace az {

struct GtpCommand {
  std::optional<std::uint32_t> id;  // at most 2^31 - 1
  std::string name;                 // empty: the line held nothing but an id
  std::vector<std::string> arguments;
};

// The command of a line, with or without its line end. nullopt when nothing is left of it, which
// asks for no answer. A leading number beyond the range of an id is taken as a (unknown) name.
std::optional<GtpCommand> ParseGtpLine(std::string_view line);

enum class GtpStatus : char { kSuccess = '=', kFailure = '?' };
// The start of an answer: "=7", "?".
std::string GtpAnswerStart(GtpStatus status, std::optional<std::uint32_t> id);
// A whole answer with the empty line that ends it. Control characters and empty lines in the text
// would break the protocol: they are left out.
std::string GtpAnswer(GtpStatus status, std::optional<std::uint32_t> id, std::string_view text);

// "b", "black", "w", "white", letters in either case; black is the first player.
std::optional<Player> ParseGtpColor(std::string_view text);
// "black" or "white".
std::string_view GtpColorName(Player player);

}  // namespace az
