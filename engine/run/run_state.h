#pragma once
// RunState: where a run stands, as kept in <run>/state.json. Written atomically at every step
// between phases, so that the same command goes on there after any kill. A pure value; the phases
// themselves are redone from it.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "engine/run/fleet_totals.h"
#include "engine/run/memory_state.h"
#include "engine/run/resign_audit.h"

namespace az {

// Within an iteration only ever forward; kFinal and kComplete follow the last iteration.
enum class Phase : std::uint8_t { kSelfPlay, kTrain, kArena, kPublish, kFinal, kComplete };
std::string_view PhaseName(Phase phase);

struct LaneBytes {
  std::string file;        // name inside <run>/journal
  std::int64_t bytes = 0;  // how far this step reads it
};

// A finished match, in the view of its first player.
struct MatchResult {
  std::string opponent;  // "its first network", "random moves", "pure MCTS with 200 simulations"
  std::int64_t wins = 0;
  std::int64_t draws = 0;
  std::int64_t losses = 0;
  double score_low = 0;  // 95 % interval of the score, from pairs of games
  double score_high = 1;
  // Of the same pairs as the interval (MatchScore::score); nullopt: of all games, as in files of
  // before.
  std::optional<double> pairs_score{};
  std::int64_t replayed_pairs = 0;  // games of earlier pairs over again: in neither
  std::int64_t games() const { return wins + draws + losses; }
  double score() const;
};

// What the yardstick took and said so far.
struct YardstickState {
  int looks = 0;               // ended, with answers or without
  double seconds = 0;          // of everything, looks that were stopped and setting up included
  double look_seconds = 0;     // of the look ended last, in all its starts; setting up not included
  std::uint32_t question = 0;  // number of the look begun last: names its games in the journals
  std::string asked;           // by that look: of whom and how; another one has another number
  double asked_seconds = 0;    // that it took so far
  std::string last;            // what the last whole look found, in words; empty: none yet
};

// What the fleet did for the current iteration, in all starts of the run.
struct IterationTotals {
  FleetTotals all;  // in every phase that ended or was stopped
  FleetTotals self_play;
  double self_play_s = 0;
  bool is_open = false;   // self-play is on, and what it does is not in the sums yet
  bool has_lost = false;  // a start was killed while that was so: the sums lack what it did
};

struct RunState {
  static constexpr int kFormat = 1;

  std::string run_id;           // 32 hex digits; names the run in journals and segments
  std::uint32_t iteration = 0;  // the current one, from 0
  Phase phase = Phase::kSelfPlay;
  std::string best;  // checkpoint folder name that plays: "iter_000003"; empty: none was made yet
  std::uint64_t best_version = 0;
  std::string candidate;  // what the last training wrote
  std::uint64_t next_version = 1;
  std::string learner;  // newest learner checkpoint; the next training starts from it
  // Opponents of this iteration's panel, once it has begun.
  std::vector<std::string> panel;
  std::vector<LaneBytes>
      train_reads;      // set on entering kTrain, so that a redone training sees the same games
  std::string metrics;  // JSON object: the iteration's line so far, by its ended phases; or empty
  IterationTotals totals;
  std::uint32_t games_per_iteration = 0;
  int promotions = 0;
  int gates = 0;                // gate matches decided
  std::uint64_t games = 0;      // finished self-play games of finished iterations
  std::uint64_t positions = 0;  // their positions
  ResignAudit resign;           // threshold 0: search.resign.threshold, until the first audit
  double seconds = 0;           // spent in earlier starts of this run
  YardstickState yardstick;
  std::vector<MatchResult> final_results;
  // Simulations of pure MCTS that a final match of this end has begun against, in their order.
  std::vector<int> final_mcts;
  MemoryState memory;
};

std::string ToJson(const RunState& state);
// kIncompatible: another format. kCorrupt: not what ToJson writes; names the field.
Result<RunState> RunStateFromJson(std::string_view text);

}  // namespace az
