#include "engine/arena/match_count.h"

namespace az {

std::optional<SprtVerdict> Stops(const std::optional<Sprt>& test, const MatchReport& report) {
  const SprtVerdict verdict =
      test ? test->Verdict(report.score().distinct_pairs()) : SprtVerdict::kContinue;
  return verdict == SprtVerdict::kContinue ? std::nullopt : std::optional(verdict);
}

void MatchCount::Add(const MatchGame& game) {
  ++ended_;
  if (!game.outcome) ++given_up_;
  if (order_ == CountOrder::kAsTheyEnd) {
    Count(game);
    Ask();
    return;
  }
  if (is_decided_) return;
  waiting_.emplace(game.index, game);
  // One game may let many pairs count, but they are tested one by one, so that the match ends at
  // the pair that decided it.
  while (!is_decided_) {
    const auto first = waiting_.find(next_);
    const auto second = waiting_.find(next_ + 1);
    if (first == waiting_.end() || second == waiting_.end()) return;
    Count(first->second);
    Count(second->second);
    waiting_.erase(first);
    waiting_.erase(second);
    next_ += 2;
    Ask();
  }
  waiting_.clear();
}

}  // namespace az
