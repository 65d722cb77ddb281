#pragma once
// MatchReport: a match as it is told of: its score, how long the games were, what first moves
// decided, and who forfeited. Built game by game, so that it can be shown while the match goes on.

#include <array>
#include <cstdint>
#include <map>
#include <optional>

#include "engine/arena/match_score.h"
#include "engine/data/game_record.h"

namespace az {

// What a finished game leaves for the report.
struct MatchGame {
  std::uint32_t index = 0;
  std::optional<Outcome> outcome;  // nullopt: given up
  int plies = 0;
  std::optional<Action> first;  // of the first ply
  EndReason reason = EndReason::kRules;
  std::uint64_t moves = 0;  // a hash of all actions in their order, those of the opening included
};

// Thread-compatible.
class MatchReport {
 public:
  // `news`: as MatchScore::Add. REQUIRES: once a game.
  void Add(const MatchGame& game, PairNews news = PairNews::kNew);

  const MatchScore& score() const { return score_; }
  MatchTally total() const { return score_.total(); }
  // Games that have ended, those given up included.
  std::int64_t finished() const { return total().games() + score_.given_up(); }
  double mean_plies() const;  // 0 before the first game
  // Games that the loser forfeited: it broke the rules, died, or did not answer.
  std::int64_t forfeits() const { return forfeits_of(0) + forfeits_of(1); }
  // By the match's player 0 or 1; each reason that came up.
  std::int64_t forfeits_of(int player) const;
  const std::map<EndReason, std::int64_t>& forfeit_reasons(int player) const {
    return forfeits_[static_cast<std::size_t>(player)];
  }
  // Games with a result by their first move, in the view of who made it.
  const std::map<Action, MatchTally>& first_moves() const { return first_moves_; }

 private:
  MatchScore score_;
  std::int64_t plies_ = 0;
  std::array<std::map<EndReason, std::int64_t>, 2> forfeits_;
  std::map<Action, MatchTally> first_moves_;
};

}  // namespace az
