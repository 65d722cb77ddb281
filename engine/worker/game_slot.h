#pragma once
// GameSlot<S>: one game that a worker plays, as a resumable machine. It goes on by itself until its
// search needs the network; then the worker gives it a row and, later, the answer. Moves are
// committed to the journal before they are applied.

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "base/result.h"
#include "base/rng.h"
#include "engine/data/journal.h"
#include "engine/ipc/evaluator.h"
#include "engine/process/messages.h"
#include "engine/worker/worker_control.h"
#include "engine/worker/worker_stats.h"
#include "mcts/resignation.h"
#include "mcts/search.h"

namespace az {

// What all slots of a worker share in a phase. Everything outlives the slots.
struct SlotContext {
  const SearchOptions& search;
  std::uint64_t run_seed = 0;
  PhaseMessage phase;
  EvalCache* cache = nullptr;  // nullable
  TreeScratch& scratch;
  JournalWriter& journal;
  WorkerControl& control;
  WorkerStats& stats;
};

enum class SlotState : std::uint8_t {
  kIdle,      // no game
  kWantsRow,  // its search needs the network: Fill, of model()
  kWaits,     // a row is out: Absorb
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

  // Plays until the network is needed or the game has ended; an answer that is not finite ends it
  // without a result. Fails with the journal's errors.
  // REQUIRES: not kWaits.
  Result<SlotState> Advance();

  // Writes the position that waits into the row; false when none was needed after all: Advance
  // again. REQUIRES: kWantsRow.
  bool Fill(EvalRow row);
  // REQUIRES: kWaits. The row that Fill wrote, answered.
  void Absorb(const EvalRow& row, WeightsVersion version);

  // REQUIRES: kWaits. The row was lost: the position is asked for again.
  void AskAgain();
  // Ends the game without a result, in the journal too: its rows cannot be answered.
  Result<void> GiveUp();
  // Forgets the game; its committed moves stay in the journal.
  void LetGo();

  SlotState state() const { return state_; }
  ModelId model() const;  // REQUIRES: kWantsRow or kWaits

 private:
  using PlayerIndex = std::size_t;
  bool is_self_play() const { return context_.phase.kind == GameKind::kSelfPlay; }
  PlayerIndex ToMove() const;
  const PlayerMessage& player() const { return context_.phase.players[ToMove()]; }
  Search<S>& search() { return *searches_[ToMove()]; }
  Rng PlyRng() const;
  // What is drawn once a game: whether it is an audit, and how many plies open by policy.
  void DrawCourse();
  SearchDepth DrawDepth() const;
  float Temperature() const;

  // The next move if it needs no network now: an opening action, the only action, another player's,
  // a finished search's.
  Result<std::optional<MoveRecord>> NextMove();
  void BeginSearch();
  MoveRecord SearchedMove();
  void MayEnd(const SearchReport& report, MoveRecord& move);
  Result<void> Commit(MoveRecord move);
  struct Ending {
    Outcome outcome{};
    EndReason reason = EndReason::kRules;
  };
  Result<void> Finish(Ending ending);

  SlotContext& context_;
  std::vector<std::unique_ptr<Search<S>>>
      searches_;                            // by player; null for players without a network
  std::vector<std::vector<Action>> moves_;  // by player: played since its last root
  SlotState state_ = SlotState::kIdle;
  GameId id_;
  S game_{};
  int ply_ = 0;
  std::vector<std::uint16_t> opening_;
  bool plays_on_ = true;  // to the end, whatever is proven or hopeless
  int policy_plies_ = 0;
  Resignation resignation_{0.0, 1};
  std::optional<Outcome> proven_;  // what the first proven root said
  std::optional<Ending> ending_;   // after the move that is being committed
  SearchDepth depth_ = SearchDepth::kFull;
  bool searching_ = false;
  WeightsVersion newest_ = 0;  // of the weights that answered this search
};

}  // namespace az
