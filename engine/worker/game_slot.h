#pragma once
// GameSlot<S>: one game that a worker plays, as a resumable machine. It goes on by itself until its
// search needs the network; then the worker gives it a row and, later, the answer. Moves are
// committed to the journal before they are applied.

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/log.h"
#include "base/result.h"
#include "base/rng.h"
#include "engine/config/visits_schedule.h"
#include "engine/data/journal.h"
#include "engine/ipc/evaluator.h"
#include "engine/players/gtp_player.h"
#include "engine/players/time_control.h"
#include "engine/process/messages.h"
#include "engine/process/worker_counts.h"
#include "engine/worker/phase_player.h"
#include "engine/worker/slot_streams.h"
#include "engine/worker/worker_control.h"
#include "games/solvers/solver.h"
#include "mcts/resignation.h"
#include "mcts/search.h"

namespace az {

// What all slots of a worker share in a phase. Everything outlives the slots.
struct SlotContext {
  const SearchOptions& search;
  std::uint64_t run_seed = 0;
  std::optional<VisitsSchedule> visits = std::nullopt;  // in self-play; none: the player's
  PhaseMessage phase;
  std::vector<PhasePlayer> players;
  Solver* solver = nullptr;    // not null when a player is one
  EvalCache* cache = nullptr;  // nullable
  TreeScratch& scratch;
  JournalWriter& journal;
  WorkerControl& control;
  // Called every few milliseconds of a move that a slot makes by itself. kStopped: the move is
  // dropped, for whoever runs the slot has something to do first.
  std::function<Result<void>()> look_up;
  WorkerCounts& stats;
  const Clock& clock;
  const Log& log;
};

enum class SlotState : std::uint8_t {
  kIdle,      // no game
  kWantsRow,  // its search needs the network: Fill, of model()
  kWaits,     // a row is out: Absorb
  kAwaits,    // its program thinks: Advance when program() has something to say, or is too late
  kYields,    // has made or dropped a move by itself: Advance, after the others
  kFailed,    // an answer cannot be used: GiveUp
  kFinished,  // the game's end is in the journal
};

// Confined to the worker's thread.
template <GameState S>
class GameSlot {
 public:
  // Makes the searches of the phase's players; they serve all games of the slot. The context
  // outlives the slot.
  explicit GameSlot(SlotContext& context);

  // Takes a game. The prefix must be legal: kCorrupt with the ply otherwise. REQUIRES: no game
  // under way.
  Result<void> Start(const GrantedGame& game);

  // Plays until the network is needed, a player without one has moved, the game has ended, or an
  // answer has turned out as not finite or outside [-1, 1]. Fails with the errors of the journal
  // and of SlotContext::look_up, but for its kStopped: then the move under way is dropped. The next
  // Advance begins it anew, with the same draws. REQUIRES: not kWaits.
  Result<SlotState> Advance();

  // Writes the position that waits into the row; false when none was needed after all: Advance
  // again. REQUIRES: kWantsRow.
  bool Fill(EvalRow row);
  // REQUIRES: kWaits. The row that Fill wrote, answered.
  void Absorb(const EvalRow& row, WeightsVersion version);

  // REQUIRES: kWaits. The row was lost: the position is asked for again.
  void AskAgain();
  // REQUIRES: kWaits or kFailed. Ends the game without a result, in the journal too: its rows
  // cannot be answered.
  Result<void> GiveUp();

  SlotState state() const { return state_; }
  ModelId model() const;  // REQUIRES: kWantsRow or kWaits
  // REQUIRES: kAwaits.
  const GtpPlayer& program() const { return *seats_[ToMove()].program; }

 private:
  using PlayerIndex = std::size_t;
  // What the slot has of one player.
  struct Seat {
    std::unique_ptr<Search<S>> search;   // null for players without a network
    std::unique_ptr<GtpPlayer> program;  // null for all but programs
    std::vector<Action> moves;           // played since the search's last root
    int told = 0;                        // plies that the program knows
    bool asked = false;                  // for its move
    std::optional<GameClock> clock;
  };
  bool is_self_play() const { return context_.phase.kind == GameKind::kSelfPlay; }
  PlayerIndex ToMove() const;
  const PhasePlayer& player() const { return context_.players[ToMove()]; }
  Seat& seat() { return seats_[ToMove()]; }
  Search<S>& search() { return *seat().search; }
  Rng PlyRng(PlyStream stream) const;
  // What is drawn once a game: whether it is an audit, and how many plies open by policy.
  void DrawCourse();
  SearchDepth DrawDepth() const;
  int VisitsOfGame() const;
  float Temperature() const;

  // A search is under way and wants more simulations.
  bool SearchGoesOn();
  // The next move if it needs no network now: an opening action, the only action, another player's,
  // a finished search's.
  Result<std::optional<MoveRecord>> NextMove();
  void BeginSearch();
  // Match players (match_moves_inl.h). Nothing: not yet, or the side has forfeited (ending_).
  std::unique_ptr<GtpPlayer> MakeProgram(const PhasePlayer& player) const;
  Result<std::optional<MoveRecord>> SolvedMove();
  Result<std::optional<MoveRecord>> RolloutsMove();
  std::optional<MoveRecord> ProgramMove();
  void TellProgram();
  std::optional<Action> LegalMoveNamed(std::string_view text) const;
  void BeginThinking();
  bool TimeIsUp();
  // Takes the time of a move off its side's clock; false: its flag fell, and it has forfeited.
  bool SpendTime();
  void Forfeit(EndReason reason, std::string_view why);
  MoveRecord SearchedMove();
  void MayEnd(const SearchReport& report, MoveRecord& move);
  bool IsAudit() const;
  Result<void> Commit(MoveRecord move);
  // Whether the phase asks for no more moves of this game.
  bool IsCut() const;
  struct Ending {
    std::optional<Outcome> outcome;
    EndReason reason = EndReason::kRules;
  };
  Result<void> Finish(Ending ending);

  SlotContext& context_;
  std::vector<Seat> seats_;  // by player
  SlotState state_ = SlotState::kIdle;
  GameId id_;
  S game_{};
  int ply_ = 0;
  std::vector<Action> played_;  // since the start of the game
  std::vector<std::uint16_t> opening_;
  bool plays_on_ = true;   // to the end, whatever is proven or hopeless
  int visits_ = 0;         // as RootTask::visits
  int random_plies_ = 0;   // the first ones, drawn evenly
  int opening_plies_ = 0;  // random_plies_ and those after them that the network's policy draws
  Resignation resignation_{0.0, 1};
  std::optional<Outcome> proven_;  // what the first proven root said
  std::optional<Ending> ending_;   // after the move that is being committed
  SearchDepth depth_ = SearchDepth::kFull;
  bool searching_ = false;
  WeightsVersion newest_ = 0;  // version among the answers to this search
  TimePoint began_{};          // to think about this move
  TimePoint think_until_ = TimePoint::max();
};

}  // namespace az
