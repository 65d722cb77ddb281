#pragma once
// The text of the Go Text Protocol, version 2 (G. Farneback, draft 2, sections 2 and 3): reads the
// command of an input line, without control characters, comments and tabs, and writes answers.
// Pure; used by GtpEngine.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "games/game.h"

namespace az {

struct GtpCommand {
  std::optional<std::uint32_t> id;  // at most 2^31 - 1
  std::string name;                 // empty: the line has only an id
  std::vector<std::string> arguments;
};

// Reads the command of a line, with or without its line end. nullopt: the line is empty after
// cleaning and gets no answer. A leading number too large for an id counts as an (unknown) name.
std::optional<GtpCommand> ParseGtpLine(std::string_view line);

enum class GtpStatus : char { kSuccess = '=', kFailure = '?' };
// The start of an answer: "=7" or "?".
std::string GtpAnswerStart(GtpStatus status, std::optional<std::uint32_t> id);
// A whole answer with the empty line that ends it. Control characters and empty lines in the text
// are left out, as they would break the protocol.
std::string GtpAnswer(GtpStatus status, std::optional<std::uint32_t> id, std::string_view text);

// Reads "b", "black", "w" or "white" in upper or lower case; black is the first player.
std::optional<Player> ParseGtpColor(std::string_view text);
// The name of a player's colour: "black" or "white".
std::string_view GtpColorName(Player player);

}  // namespace az
