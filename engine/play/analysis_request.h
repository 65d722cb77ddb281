#pragma once
// One line of `az_play analyze`, read. Pure text: moves and players are looked at later.
// docs/az_play.md describes the fields.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace az {

inline constexpr std::size_t kMaxRequestBytes = 1 << 20;  // a line, without its end
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
  std::string id = "null";  // as JSON text; null when the line has none that can be read
  Result<AnalysisRequest> request;
};

// Every fault names its field: not JSON, no object, a field that is unknown, missing, of another
// type or out of range.
AnalysisLine ParseAnalysisLine(std::string_view line);

}  // namespace az
