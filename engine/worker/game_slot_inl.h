#pragma once
// Bodies of GameSlot<S>: the life of a game.

#include <algorithm>
#include <utility>

#include "base/strings.h"
#include "engine/worker/game_slot.h"
#include "engine/worker/game_slot_search_inl.h"
#include "engine/worker/match_moves_inl.h"
#include "mcts/move_choice.h"

namespace az {

template <GameState S>
GameSlot<S>::GameSlot(SlotContext& context) : context_(context) {
  const SearchMode mode = is_self_play() ? SearchMode::kSelfPlay : SearchMode::kPlay;
  for (const PhasePlayer& player : context_.players) {
    Seat seat;
    if (player.message.type == PlayerType::kNet) {
      const bool by_time = player.visits == kMostTimedVisits;
      seat.search = std::make_unique<Search<S>>(
          player.search, mode, player.visits, context_.run_seed,
          SearchResources{
              .cache = context_.cache,
              .scratch = &context_.scratch,
              .max_nodes = by_time ? slot_internal::TimedNodes(NodeBytes(player.search)) : 0});
    } else if (player.message.type == PlayerType::kGtp) {
      seat.program = MakeProgram(player);
    }
    seats_.push_back(std::move(seat));
  }
}

template <GameState S>
Result<void> GameSlot<S>::Start(const GrantedGame& game) {
  id_ = GameId{game.id};
  game_ = S{};
  ply_ = 0;
  searching_ = false;
  DrawCourse();
  visits_ = VisitsOfGame();
  played_.clear();
  for (std::size_t i = 0; i < seats_.size(); ++i) {
    Seat& seat = seats_[i];
    if (seat.search) seat.search->Clear();  // the slot's last game may have ended anywhere
    if (seat.program) seat.program->NewGame();
    seat.moves.clear();
    seat.told = 0;
    seat.asked = false;
    const PlayerSettings& settings = context_.players[i].settings;
    if (!settings.clock.empty()) seat.clock.emplace(settings.time_control());
  }
  opening_ = game.opening;
  for (const std::uint16_t number : game.prefix) {
    const auto action = static_cast<Action>(number);
    if (!game_.LegalActions().Contains(action)) {
      return Error{Errc::kCorrupt,
                   StrCat("granted game ", id_.packed, " of ", S::kName, ": ply ", ply_,
                          " has the action ", number, ", which is not legal")};
    }
    // Else a side that recovers is forgotten, and only those that stay lost are audited.
    if (ply_ == game.noted_ply && IsAudit()) resignation_.Restore(game_.ToMove());
    game_.Apply(action);
    played_.push_back(action);
    ++ply_;
  }
  if (game.prefix.empty()) AZ_RETURN_IF_ERROR(context_.journal.StartGame(id_));
  state_ = SlotState::kWantsRow;
  return {};
}

template <GameState S>
void GameSlot<S>::DrawCourse() {
  const SearchOptions& options = context_.search;
  Rng rng = RngOfCourse(context_.run_seed, id_);
  plays_on_ = !is_self_play() || rng.Uniform() < static_cast<double>(options.resign.play_on);
  random_plies_ = is_self_play() ? DrawOpeningPlies(options.random_opening_plies, rng) : 0;
  opening_plies_ =
      random_plies_ + (is_self_play() ? DrawOpeningPlies(options.policy_opening_plies, rng) : 0);
  const double threshold = is_self_play() ? context_.phase.resign_threshold : 0.0;
  resignation_ = Resignation(threshold, options.resign.streak);
  proven_.reset();
  ending_.reset();
}

// By the iteration of its id, not of the phase: a game that was begun in advance, or goes on in a
// later phase, is searched as it would have been.
template <GameState S>
int GameSlot<S>::VisitsOfGame() const {
  if (!is_self_play() || !context_.visits) return 0;
  return std::min(VisitsOfIteration(*context_.visits, id_.iteration()), context_.players[0].visits);
}

template <GameState S>
auto GameSlot<S>::ToMove() const -> PlayerIndex {
  if (context_.players.size() == 1) return 0;
  const bool player_0_is_first = id_.index() % 2 == 0;
  return (game_.ToMove() == Player::kFirst) == player_0_is_first ? 0 : 1;
}

template <GameState S>
Rng GameSlot<S>::PlyRng(PlyStream stream) const {
  return RngOfPly(context_.run_seed, id_, ply_, stream);
}

template <GameState S>
ModelId GameSlot<S>::model() const {
  return ModelId{static_cast<std::uint16_t>(player().message.model)};
}

template <GameState S>
Result<SlotState> GameSlot<S>::Advance() {
  while (true) {
    if (SearchGoesOn()) return state_ = SlotState::kWantsRow;
    const std::optional<Outcome> outcome = game_.Result();
    if (outcome || ending_) {
      // What the rules say comes first: the move of a side that resigns may end the game otherwise.
      AZ_RETURN_IF_ERROR(Finish(outcome ? Ending{.outcome = *outcome} : *ending_));
      return state_ = SlotState::kFinished;
    }
    if (searching_ && search().Failed()) return state_ = SlotState::kFailed;
    if (IsCut()) {
      ending_ = Ending{std::nullopt, EndReason::kCut};
      continue;
    }
    const bool by_itself = player().message.type != PlayerType::kNet;
    Result<std::optional<MoveRecord>> next = NextMove();
    if (!next && next.error().code == Errc::kStopped) return state_ = SlotState::kYields;
    AZ_ASSIGN_OR_RETURN(std::optional<MoveRecord> move, std::move(next));
    if (!move && ending_) continue;  // the side to move has forfeited
    if (!move) return state_ = seat().program ? SlotState::kAwaits : SlotState::kWantsRow;
    AZ_RETURN_IF_ERROR(Commit(std::move(*move)));
    if (by_itself) return state_ = SlotState::kYields;
  }
}

template <GameState S>
bool GameSlot<S>::IsCut() const {
  const int moves = context_.phase.moves;
  return moves > 0 && ply_ >= static_cast<int>(opening_.size()) + moves;
}

template <GameState S>
Result<void> GameSlot<S>::Commit(MoveRecord move) {
  const Action action = move.action;
  AZ_RETURN_IF_ERROR(context_.journal.Move(id_, std::move(move)));
  game_.Apply(action);
  played_.push_back(action);
  for (Seat& seat : seats_) seat.moves.push_back(action);
  ++ply_;
  searching_ = false;
  ++context_.stats.moves;
  return {};
}

// Whether the end of the game says if a side that was noted was right to be. Once games may be
// resigned, one that does not play on is noted at its end only by the move that ended it.
template <GameState S>
bool GameSlot<S>::IsAudit() const {
  return plays_on_ || !context_.phase.may_resign;
}

template <GameState S>
Result<void> GameSlot<S>::Finish(Ending ending) {
  ++context_.stats.games_finished;
  if (ending.reason == EndReason::kRules && proven_ && ending.outcome != *proven_) {
    ++context_.stats.proven_errors;
  }
  // A proof is as good as an end by the rules. Leaving those games out would bend the audit towards
  // the long ones.
  if (ending.outcome && IsAudit() && resignation_.noted()) {
    ++context_.stats.resign_audited;
    if (resignation_.WasWrong(*ending.outcome)) ++context_.stats.resign_errors;
  }
  return context_.journal.EndGame({.id = id_,
                                   .outcome = ending.outcome,
                                   .reason = ending.reason,
                                   .plies = static_cast<std::uint16_t>(ply_)});
}

template <GameState S>
bool GameSlot<S>::Fill(EvalRow row) {
  if (search().Gather(std::span(&row, 1)) == 0) return false;
  state_ = SlotState::kWaits;
  return true;
}

template <GameState S>
void GameSlot<S>::Absorb(const EvalRow& row, WeightsVersion version) {
  newest_ = std::max(newest_, version);
  search().SetModel(model().value(), version);
  search().Absorb(std::span(&row, 1));
  state_ = SlotState::kWantsRow;
}

template <GameState S>
void GameSlot<S>::AskAgain() {
  search().Abandon();
  state_ = SlotState::kWantsRow;
}

template <GameState S>
Result<void> GameSlot<S>::GiveUp() {
  search().Abandon();
  searching_ = false;
  state_ = SlotState::kFinished;
  ++context_.stats.failed_games;
  return context_.journal.EndGame({.id = id_,
                                   .outcome = std::nullopt,
                                   .reason = EndReason::kFailed,
                                   .plies = static_cast<std::uint16_t>(ply_)});
}

}  // namespace az
