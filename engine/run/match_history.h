#pragma once
// MatchHistory: every match of a run by who met whom, in <run>/matches.jsonl, and the ratings that
// follow from all of them: the Elo curve, and matches that no rating explains (A beats B beats C
// beats A).

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "engine/arena/match_score.h"
#include "engine/data/game_record.h"
#include "engine/run/metrics.h"

namespace az {

struct HistoricMatch {
  GameKind kind = GameKind::kGate;  // with `match`, names its games in the journals
  std::uint32_t match = 0;
  std::string a;  // "iter_000012", "random", "mcts:sims=200"
  std::string b;
  MatchTally tally;     // in a's view
  MatchTally replayed;  // those of them that repeat earlier pairs: no rating counts them
  MatchTally distinct() const {
    return {.wins = tally.wins - replayed.wins,
            .draws = tally.draws - replayed.draws,
            .losses = tally.losses - replayed.losses};
  }
};

struct RatedName {
  std::string name;
  double elo = 0;     // the first network's is 0
  double margin = 0;  // 95 %, of the difference to it
};

// A match whose score the ratings do not explain.
struct Upset {
  HistoricMatch match;
  double expected = 0;  // a's score, by the ratings
};

inline constexpr std::string_view kMatchesFile = "matches.jsonl";  // in the folder of a run
// The matches of such a file; none where there is none. Lines that are no match (a kill tears one
// now and then; its match comes again) and matches that came already count for nothing. kIo.
Result<std::vector<HistoricMatch>> ReadMatches(const std::filesystem::path& file);

// Thread-compatible.
class MatchHistory {
 public:
  // Reads what is there, as ReadMatches, and makes the file where there is none. kIo.
  static Result<MatchHistory> Open(const std::filesystem::path& file);

  // Nothing when the match is in already. kNoSpace, kIo.
  Result<void> Add(const HistoricMatch& match);
  bool Holds(GameKind kind, std::uint32_t match) const;

  const std::vector<HistoricMatch>& matches() const { return matches_; }
  // Of everybody whom games join to `anchor`, by rising name. Bradley-Terry
  // (engine/arena/rating.h).
  std::vector<RatedName> Ratings(std::string_view anchor) const;
  // Matches whose score is more than three standard errors away from what the ratings say.
  std::vector<Upset> Upsets(std::string_view anchor) const;

 private:
  explicit MatchHistory(MetricsFile file) : file_(std::move(file)) {}

  MetricsFile file_;
  std::vector<HistoricMatch> matches_;
};

}  // namespace az
