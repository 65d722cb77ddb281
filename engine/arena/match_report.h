#pragma once
// MatchReport: what is reported of a match: its score, the length of the games, the results by
// first move, and who forfeited. Built game by game, so that it can be shown while the match goes
// on.

#include <array>
#include <cstdint>
#include <map>
#include <optional>

#include "engine/arena/match_score.h"
#include "engine/data/game_record.h"

namespace az {

// A finished game, as the report needs it.
struct MatchGame {
  std::uint32_t index = 0;
  std::optional<Outcome> outcome;  // nullopt: given up
  int plies = 0;
  std::optional<Action> first;  // the first ply's action
  EndReason reason = EndReason::kRules;
  std::uint64_t moves = 0;  // a hash of all actions in their order, the opening's included
};

// Thread-compatible.
class MatchReport {
 public:
  // Adds a game. `news`: as for MatchScore::Add. REQUIRES: each game is added once.
  void Add(const MatchGame& game, PairNews news = PairNews::kNew);

  const MatchScore& score() const { return score_; }
  MatchTally total() const { return score_.total(); }
  // The games that have ended, including those given up.
  std::int64_t finished() const { return total().games() + score_.given_up(); }
  double mean_plies() const;  // 0 before the first game
  // The games that the loser forfeited: it broke the rules, died, or did not answer.
  std::int64_t forfeits() const { return forfeits_of(0) + forfeits_of(1); }
  // The games that the match's player 0 or 1 forfeited.
  std::int64_t forfeits_of(int player) const;
  const std::map<EndReason, std::int64_t>& forfeit_reasons(int player) const {
    return forfeits_[static_cast<std::size_t>(player)];
  }
  // The games with a result by their first move, in the view of the player who made it.
  const std::map<Action, MatchTally>& first_moves() const { return first_moves_; }

 private:
  MatchScore score_;
  std::int64_t plies_ = 0;
  std::array<std::map<EndReason, std::int64_t>, 2> forfeits_;
  std::map<Action, MatchTally> first_moves_;
};

}  // namespace az
