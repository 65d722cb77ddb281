#pragma once
// TrainingLoop: the phases of a run, self_play -> train -> arena -> publish, then the final
// matches. Every step is redone from RunState after a kill; games are never played twice because
// the journals hold them. The state is right for that whenever the fleet ticks: a phase adds what
// it did to it after the last of its calls that can wait.

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/log.h"
#include "base/result.h"
#include "engine/arena/gate.h"
#include "engine/fleet/fleet.h"
#include "engine/fleet/match_run.h"
#include "engine/loop/panel_players.h"
#include "engine/memory/governor.h"
#include "engine/memory/lesson_keeper.h"
#include "engine/run/match_history.h"
#include "engine/run/metrics.h"
#include "engine/run/progress.h"
#include "engine/run/rate_meter.h"
#include "engine/run/run_dir.h"
#include "engine/run/yardstick_curve.h"
#include "games/game_ops.h"
#include "games/solvers/yardstick_measure.h"

namespace az {

// Confined to the supervisor's main thread.
class TrainingLoop {
 public:
  struct Setup {
    const RunConfig& config;
    Governor& governor;  // whose plan is followed
    const GameOps& game;
    const Panel& panel;
    RunDir& dir;
    Fleet& fleet;
    MetricsFile& metrics;
    MatchHistory& history;
    Display& display;
    const Clock& clock;
    const Log& log;
  };
  explicit TrainingLoop(const Setup& setup);

  // Runs from where the state stands to kComplete. kStopped: a signal asked for it; everything is
  // on disk. Whatever ends it: what was learned of memory is.
  Result<void> Run();

  // For the fleet's on_tick, after the governor's: keeps what that learned, draws the display.
  void Tick();

 private:
  // Of a match.
  struct Opponent {
    std::string words;              // "its first network"
    std::string name;               // in the history
    PlayerMessage player;           // a checkpoint's is in slot 1, the best network's in slot 0
    std::filesystem::path weights;  // to be loaded; empty: none
  };
  // Of the iteration's self-play, as the journals hold them, whichever start played them.
  struct GameFacts {
    std::uint64_t games = 0;
    std::uint64_t plies = 0;
    std::uint64_t policy_samples = 0;
    std::uint64_t first_wins = 0;
    std::uint64_t draws = 0;
    std::uint64_t failed = 0;  // without a result
  };

  Result<void> CreateFirstNetwork();
  Result<void> LoadBest();
  Result<void> OpenTotals();  // before self-play, so that a kill in it is seen
  Result<void> SelfPlay();
  Result<void> PlayGames(GamePhaseSpec spec);
  Result<void> Train();
  // Through the governor, with the sizes of the plan that is then in force.
  Result<TrainedMessage> TrainFleet(
      TrainMessage message, const std::function<void(const TrainProgressMessage&)>& on_progress);
  Result<void> Arena();
  Result<void> Publish();
  Result<void> Final();
  Result<void> FinalMatch(std::size_t order, std::uint32_t number, const Opponent& opponent);
  Result<std::uint32_t> NumberOfMctsMatch();
  // training_matches.cc
  struct Match {
    GameKind kind = GameKind::kGate;
    std::uint32_t number = 0;
    int games = 0;
    int opening_plies = 0;
    Phase shown_as = Phase::kArena;
    bool is_candidates = false;  // of the candidate, in slot 1; otherwise of the best network
    std::function<bool(const MatchReport&)> is_decided;  // may be empty
  };
  // Loads the opponent where it is a checkpoint.
  Result<MatchReport> PlayMatch(const Match& match, const Opponent& opponent);
  Opponent CheckpointOpponent(std::string words, const std::string& name) const;
  static Opponent RandomOpponent();
  Opponent MctsOpponent() const;
  GateVerdict Judge(const MatchReport& report, std::int64_t games) const;
  void AddRatings(MetricsLine& line) const;
  // training_panel.cc
  Result<void> MeetPanel();
  Result<void> MeetOfPanel(const PanelPlayer& player, const Opponent& opponent,
                           std::uint32_t number);
  std::vector<Opponent> PanelOpponents(const PanelPlayer& player) const;
  Result<Opponent> CheckpointOfPanel(const PanelPlayer& player) const;
  void SayPanelWithout(const PanelPlayer& player, const Error& why) const;
  bool GoesOnWithout(const Opponent& opponent, const Error& failed);
  // training_yardstick.cc
  Result<void> Yardstick(bool is_last);
  Result<void> Look();
  Result<bool> SetUpYardstick();
  bool YardstickHasTime() const;
  YardstickSettings SettingsOfYardstick() const;
  Result<void> NumberTheLook();
  Result<std::vector<PlayerAnswer>> AskBest(std::uint32_t question,
                                            std::span<const std::vector<Action>> positions,
                                            Thinking thinking);
  Result<YardstickReport> AskEverything();
  Result<MetricsLine> PointOf(const YardstickReport& report) const;
  Result<void> WriteIterationMetrics();
  Result<void> Phases();
  Result<void> SaveState();
  // What the fleet did since the last call, which is the iteration's.
  FleetTotals CountTotals();
  void ForgetLostBytes();
  void AddServerMetrics(MetricsLine& line) const;
  void AddSelfPlayFaults(MetricsLine& line) const;
  MetricsLine SelfPlayMetrics() const;
  void AddSelfPlaySearch(MetricsLine& line) const;
  // Keeps a phase's part of the iteration's line in the run's state, where a kill leaves it.
  Result<void> KeepMetrics(const MetricsLine& part);
  // `name` of the parts kept so far.
  std::int64_t KeptMetric(std::string_view name, std::int64_t otherwise) const;
  const Plan& plan() const { return s_.governor.plan(); }
  void BeginPhase(Phase phase, std::int64_t wanted, std::string match);
  std::uint32_t GamesPerIteration() const;

  Setup s_;
  LessonKeeper lessons_;
  ProgressView view_;
  RateMeter meter_;
  TimePoint started_;
  TimePoint phase_started_;  // epoch: no phase has begun
  std::optional<std::int64_t>
      done_before_;  // of the phase's games, those that the journals held at its start
  double seconds_before_ = 0;
  std::optional<YardstickMeasure> measure_;  // from the first look on
  std::optional<YardstickCurve> curve_;
  bool yardstick_is_off_ = false;  // the solver gave up
  bool look_is_useless_ = false;   // the answers were, and the fleet is well
  GameFacts facts_;
  FleetTotals counted_;       // of the fleet's, what the iteration has or nobody wants
  std::optional<Sprt> sprt_;  // of gate = sprt
  std::uint32_t iterations_this_start_ = 0;
  TimePoint iteration_started_;  // or this start of the run
};

}  // namespace az
