#pragma once
// AnalysisRequest: one request line of `az_play analyze`. Reading it works on text alone; moves and
// players are checked later. docs/az_play.md describes the fields.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace az {

inline constexpr std::size_t kMaxRequestBytes = 1 << 20;  // the longest line, without its end
inline constexpr std::size_t kMaxIdBytes = 256;

struct AnalysisRequest {
  std::string player;  // empty: the command line's
  std::string game;    // family or entry; empty: the command line's, or the player's
  int board_size = 0;  // 0: as for `game`
  std::optional<double> komi;
  std::vector<std::string> moves;  // as a person writes them
  std::optional<int> simulations;
  std::uint64_t seed = 0;
};

struct AnalysisLine {
  std::string id = "null";  // as JSON text; null when the line has no readable id
  Result<AnalysisRequest> request;
};

// Reads a line. Its faults are: not JSON, not an object, and a field that is unknown, missing, of
// another type or out of range, which the message names.
AnalysisLine ParseAnalysisLine(std::string_view line);

}  // namespace az
