#pragma once
// The analysis extensions of GTP as Leela Zero (lz-analyze) and KataGo (kata-analyze) have them:
// their arguments, and the lines of moves with visits, win rates and variations.

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "engine/play/game_session.h"
#include "engine/play/thinker.h"

namespace az {

// Leela Zero counts win rates and priors in ten-thousandths, KataGo in fractions of one.
enum class GtpAnalysisForm : unsigned char { kLeelaZero, kKataGo };

struct GtpAnalysisRequest {
  std::optional<Player> color;  // to move; unset: whose turn it is
  Duration interval = std::chrono::seconds(1);
  std::size_t max_moves = 1000;
  bool root_info = false;  // KataGo: a part for the position itself
};

// [color] [interval in 1/100 s] and then pairs of key and value, in any order: interval, maxmoves,
// rootInfo; minmoves, ownership, movesOwnership, pvVisits and the like are taken and have no
// effect, as this engine has none of that to tell. kInvalid: anything else, avoid and allow among
// it.
Result<GtpAnalysisRequest> ParseGtpAnalysis(std::span<const std::string> arguments);

// "info move D4 visits 9 winrate 5312 prior 2210 order 0 pv D4 C3 info move ..." with the line end.
// Win rates are (value + 1) / 2 in the view of the side to move. `session` is at the position that
// was thought about.
std::string GtpAnalysisLine(GtpAnalysisForm form, const GtpAnalysisRequest& request,
                            const GameSession& session, const Thought& thought);

// A move as GTP writes it: capitals on boards lettered without i (go, gomoku and the rest of
// m,n,k), as the game's own text elsewhere.
std::string GtpMoveText(const GameOps& game, std::string_view name);

}  // namespace az
