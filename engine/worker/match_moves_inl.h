#pragma once
// Bodies of GameSlot<S> for what only matches have: programs, solvers, time.

#include <algorithm>
#include <cctype>
#include <utility>

#include "base/strings.h"
#include "engine/worker/game_slot.h"
#include "games/registry.h"
#include "mcts/move_choice.h"
#include "mcts/node_bytes.h"
#include "mcts/rollout_player.h"

namespace az {

namespace slot_internal {

// Nodes of the tree of a search by time.
constexpr std::uint32_t TimedNodes(std::int64_t node_bytes) {
  return static_cast<std::uint32_t>(kTimedTree.count() / node_bytes);
}
// How often a move of rollouts looks up: so many random games take a millisecond or so.
inline constexpr std::uint32_t kRolloutsBetweenLooks = 64;

inline EndReason ReasonOf(GtpFault fault) {
  switch (fault) {
    case GtpFault::kNoAnswer:
      return EndReason::kNoAnswer;
    case GtpFault::kRefused:
      return EndReason::kRefused;
    case GtpFault::kGone:
      break;
  }
  return EndReason::kGone;
}

}  // namespace slot_internal

template <GameState S>
std::unique_ptr<GtpPlayer> GameSlot<S>::MakeProgram(const PhasePlayer& player) const {
  const GameOps& game = *FindGame(std::string_view(S::kName)).value();
  return std::make_unique<GtpPlayer>(
      GtpPlayerOptions::For(player.message.command, player.settings, game), context_.clock);
}

template <GameState S>
void GameSlot<S>::Forfeit(EndReason reason, std::string_view why) {
  const Player side = game_.ToMove();
  ending_ = Ending{side == Player::kFirst ? Outcome::kSecondWins : Outcome::kFirstWins, reason};
  searching_ = false;
  context_.log.Warn(StrCat("event=", IsForfeit(reason) ? "forfeit" : "resigned",
                           " game=", id_.packed, " ply=", ply_, " player=", ToMove(),
                           " reason=", EndReasonName(reason), " why=\"", why, "\""));
}

// ---- solver -------------------------------------------------------------------------------------

// A best move: the moves are tried in an order that is drawn, until one wins or all are known.
template <GameState S>
Result<std::optional<MoveRecord>> GameSlot<S>::SolvedMove() {
  const Player side = game_.ToMove();
  Rng rng = PlyRng(PlyStream::kMove);
  std::vector<Action> moves;
  game_.LegalActions().ForEach([&](Action action) { moves.push_back(action); });
  for (std::size_t i = moves.size(); i > 1; --i) std::swap(moves[i - 1], moves[rng.Below(i)]);

  MoveRecord move{.ply = static_cast<std::uint16_t>(ply_), .flags = kMoveProven};
  int best_value = -2;
  std::uint64_t positions = 0;
  std::vector<Action> line = played_;
  for (const Action action : moves) {
    S after = game_;
    after.Apply(action);
    line.push_back(action);
    const Result<int> solved = context_.solver->Solve(line);
    line.pop_back();
    positions += context_.solver->positions();
    if (!solved && solved.error().code != Errc::kTimeout) return solved.error();
    if (!solved || positions > kSolverPositions) {  // the worker has other games, and must answer
      Forfeit(EndReason::kNoAnswer, "the position is too large for the solver");
      return std::optional<MoveRecord>();
    }
    const int value = after.ToMove() == side ? *solved : -*solved;
    if (value <= best_value) continue;
    best_value = value;
    move.action = action;
    if (value == 1) break;
  }
  move.root_value = static_cast<float>(best_value);
  return std::optional(std::move(move));
}

// ---- rollouts -----------------------------------------------------------------------------------

// As RolloutMove where simulations are what limits it.
template <GameState S>
Result<std::optional<MoveRecord>> GameSlot<S>::RolloutsMove() {
  MoveRecord move{.ply = static_cast<std::uint16_t>(ply_)};
  Rng rng = PlyRng(PlyStream::kMove);
  const auto most = static_cast<std::uint32_t>(player().visits);
  const bool by_time = player().settings.is_timed();
  BeginThinking();
  constexpr std::uint32_t kMostNodes = slot_internal::TimedNodes(NodeBytes(Tree::Squares::kNone));
  const std::uint32_t nodes = RolloutNodes<S>(player().visits);
  Tree tree(by_time ? std::min(nodes, kMostNodes) : nodes);
  StartRollouts(tree, game_, rng);
  do {
    Rollout(tree, game_, rng);
    ++move.visits;
    if (move.visits % slot_internal::kRolloutsBetweenLooks == 0) {
      AZ_RETURN_IF_ERROR(context_.look_up());
    }
  } while (move.visits < most && tree.HasRoomFor(S::kNumActions) &&
           (!by_time || context_.clock.Now() < think_until_));
  move.action = MostVisitedMove(tree);
  if (!SpendTime()) return std::optional<MoveRecord>();
  return std::optional(std::move(move));
}

// ---- programs -----------------------------------------------------------------------------------

// Tells it the plies that it does not know.
template <GameState S>
void GameSlot<S>::TellProgram() {
  Seat& seat = this->seat();
  S state{};
  for (int ply = 0; ply < ply_; ++ply) {
    const Action action = played_[static_cast<std::size_t>(ply)];
    if (ply >= seat.told) seat.program->TellMove(state.ToMove(), state.MoveText(action));
    state.Apply(action);
  }
  seat.told = ply_;
}

// Its clock runs for the question alone: not while it starts, nor while it takes what it is told.
template <GameState S>
std::optional<MoveRecord> GameSlot<S>::ProgramMove() {
  Seat& seat = this->seat();
  if (!seat.asked) {
    if (seat.told < ply_) TellProgram();
    const std::optional<GtpReply> told = seat.program->PollTold();
    if (!told) return std::nullopt;
    if (told->fault) {
      Forfeit(slot_internal::ReasonOf(*told->fault), told->reason);
      return std::nullopt;
    }
    seat.program->AskMove(game_.ToMove(), seat.clock ? &*seat.clock : nullptr);
    seat.asked = true;
    BeginThinking();
  }
  const std::optional<GtpReply> reply = seat.program->Poll();
  if (!reply) return std::nullopt;
  seat.asked = false;
  if (reply->fault) {
    Forfeit(slot_internal::ReasonOf(*reply->fault), reply->reason);
    return std::nullopt;
  }
  if (!SpendTime()) return std::nullopt;
  if (reply->move.empty()) {
    Forfeit(EndReason::kResigned, "resign");
    return std::nullopt;
  }
  const std::optional<Action> action = LegalMoveNamed(reply->move);
  if (!action) {
    Forfeit(EndReason::kIllegal, reply->move.substr(0, 40));
    return std::nullopt;
  }
  ++seat.told;  // its own move it knows
  return MoveRecord{.ply = static_cast<std::uint16_t>(ply_), .action = *action};
}

template <GameState S>
std::optional<Action> GameSlot<S>::LegalMoveNamed(std::string_view text) const {
  const auto legal = game_.LegalActions();
  for (int i = 0, count = legal.Count(); i < count; ++i) {
    if (game_.MoveText(legal.Nth(i)) == text) return legal.Nth(i);
  }
  return std::nullopt;
}

// ---- time ---------------------------------------------------------------------------------------

// Self-play thinks by simulations alone, so that no clock steers what it plays.
template <GameState S>
void GameSlot<S>::BeginThinking() {
  think_until_ = TimePoint::max();
  const PlayerSettings& settings = player().settings;
  if (is_self_play() || !settings.is_timed()) return;
  began_ = context_.clock.Now();
  if (settings.seconds) {
    think_until_ = began_ + Duration(static_cast<Duration::rep>(*settings.seconds * 1e9));
  } else {
    const int moves_left = ExpectedMovesLeft(S::kShape.cells(), ply_);
    think_until_ = began_ + ThinkTime(*seat().clock, moves_left);
  }
}

// Looked at between simulations. The root must have been evaluated, however late that is.
template <GameState S>
bool GameSlot<S>::TimeIsUp() {
  return think_until_ != TimePoint::max() && search().tree().root().is_expanded() &&
         context_.clock.Now() >= think_until_;
}

template <GameState S>
bool GameSlot<S>::SpendTime() {
  std::optional<GameClock>& clock = seat().clock;
  if (!clock || clock->Spend(context_.clock.Now() - began_)) return true;
  Forfeit(EndReason::kTimeout, "its flag fell");
  return false;
}

}  // namespace az
