#pragma once
// TrainingLoop: the phases of a run, self_play -> train -> arena -> publish, then the final
// matches. Every step is redone from RunState after a kill; games are never played twice because
// the journals hold them.

#include <cstdint>
#include <optional>
#include <string>

#include "base/clock.h"
#include "base/log.h"
#include "base/result.h"
#include "engine/loop/fleet.h"
#include "engine/loop/governor.h"
#include "engine/loop/metrics.h"
#include "engine/loop/progress.h"
#include "engine/loop/rate_meter.h"
#include "engine/loop/run_dir.h"
#include "games/game_ops.h"

namespace az {

// Confined to the supervisor's main thread.
class TrainingLoop {
 public:
  struct Setup {
    const RunConfig& config;
    Governor& governor;  // whose plan is followed
    const GameOps& game;
    RunDir& dir;
    Fleet& fleet;
    MetricsFile& metrics;
    Display& display;
    const Clock& clock;
    const Log& log;
  };
  explicit TrainingLoop(const Setup& setup);

  // Runs from where the state stands to kComplete. kStopped: a signal asked for it; everything is
  // on disk.
  Result<void> Run();

  // For the fleet's OnTick: draws the display.
  void Tick();

 private:
  struct IterationFacts {
    std::uint64_t games = 0;   // of the iteration
    std::uint64_t played = 0;  // in its phase: some were played before, and some of the next are
    std::uint64_t plies = 0;
    std::uint64_t policy_samples = 0;
    std::uint64_t first_wins = 0;
    std::uint64_t draws = 0;
    std::uint64_t failed = 0;  // without a result
    double seconds = 0;
    FleetTotals before;
  };

  Result<void> CreateFirstNetwork();
  Result<void> LoadBest();
  Result<void> SelfPlay();
  Result<void> Train();
  Result<void> Arena();
  Result<void> Publish();
  Result<void> Final();
  Result<void> FinalMatch(std::size_t number, const std::string& opponent, PlayerMessage player,
                          std::optional<std::string> checkpoint);
  Result<MatchResult> PlayMatch(GameKind kind, std::uint32_t match, int games, int opening_plies,
                                PlayerMessage opponent, const std::string& name, bool may_stop);
  Result<void> WriteIterationMetrics();
  Result<void> Phases();
  Result<void> SaveState();
  void ForgetLostBytes();
  void AddServerMetrics(MetricsLine& line) const;
  void AddSearchMetrics(MetricsLine& line) const;
  Bytes WindowBytes() const;  // of the replay window, as the last training told
  const Plan& plan() const { return s_.governor.plan(); }
  void BeginPhase(std::int64_t wanted, std::string match);
  std::uint32_t GamesPerIteration() const;

  Setup s_;
  ProgressView view_;
  RateMeter meter_;
  TimePoint started_;
  TimePoint phase_started_;  // epoch: no phase has begun
  std::optional<std::int64_t>
      done_before_;  // of the phase's games, those that the journals held at its start
  double seconds_before_ = 0;
  IterationFacts facts_;
  std::string train_metrics_;  // JSON object of the last training
  double train_seconds_ = 0;
  double arena_seconds_ = 0;
  std::optional<MatchResult> gate_;
  bool promoted_ = false;
  std::uint32_t iterations_this_start_ = 0;
  TimePoint iteration_started_;  // or this start of the run
};

}  // namespace az
