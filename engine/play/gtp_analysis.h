#pragma once
// The analysis extensions of GTP that Leela Zero (lz-analyze) and KataGo (kata-analyze) have: their
// arguments, and the lines of moves with visits, win rates and variations.

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

// The dialect. Leela Zero writes win rates and priors in ten-thousandths, KataGo as fractions of
// one.
enum class GtpAnalysisForm : unsigned char { kLeelaZero, kKataGo };

struct GtpAnalysisRequest {
  std::optional<Player> color;  // the side to move; nullopt: the one whose turn it is
  Duration interval = std::chrono::seconds(1);
  std::size_t max_moves = 1000;
  bool root_info = false;  // KataGo: also describes the position itself
};

// Reads [color] [interval in 1/100 s] and then pairs of key and value in any order: interval,
// maxmoves, rootInfo. Keys for what this engine does not know, such as minmoves, ownership,
// movesOwnership and pvVisits, are accepted without effect. Fails with kInvalid for anything else,
// including avoid and allow.
Result<GtpAnalysisRequest> ParseGtpAnalysis(std::span<const std::string> arguments);

// The line "info move D4 visits 9 winrate 5312 prior 2210 order 0 pv D4 C3 info move ..." with a
// newline. Win rates are (value + 1) / 2 in the view of the side to move. `session` is at the
// position that was thought about.
std::string GtpAnalysisLine(GtpAnalysisForm form, const GtpAnalysisRequest& request,
                            const GameSession& session, const Thought& thought);

// A move as GTP writes it: in capitals on boards whose letters skip i (go and all m,n,k-games), and
// as the game's own text elsewhere.
std::string GtpMoveText(const GameOps& game, std::string_view name);

}  // namespace az
