#pragma once
// Bodies of GameSlot<S> for the next move: who makes it, and a search from its begin to its record.
// Included by engine/worker/game_slot_inl.h.

#include <cmath>
#include <vector>

#include "base/strings.h"
#include "engine/worker/game_slot.h"
#include "engine/worker/search_tally.h"
#include "mcts/move_choice.h"

namespace az {

namespace slot_internal {

inline std::vector<PolicyEntry> ToPolicy(const std::vector<PolicyTarget>& target) {
  std::vector<PolicyEntry> policy;
  policy.reserve(target.size());
  for (const PolicyTarget& entry : target) {
    const auto weight = static_cast<std::uint16_t>(std::lround(entry.weight * 65535.0f));
    if (weight > 0) policy.push_back({entry.action, weight});
  }
  return policy;
}

}  // namespace slot_internal

template <GameState S>
Result<std::optional<MoveRecord>> GameSlot<S>::NextMove() {
  MoveRecord move{.ply = static_cast<std::uint16_t>(ply_)};
  const auto legal = game_.LegalActions();
  if (ply_ < static_cast<int>(opening_.size())) {
    move.action = static_cast<Action>(opening_[static_cast<std::size_t>(ply_)]);
    move.flags = kMoveRandomOpening;
    if (!legal.Contains(move.action)) {
      return Error{Errc::kInvalid,
                   StrCat("opening of game ", id_.packed, ": action ", Index(move.action),
                          " at ply ", ply_, " is not legal in ", S::kName)};
    }
    return std::optional(move);
  }
  const auto draw = [&] {
    Rng rng = PlyRng(PlyStream::kMove);
    return legal.Nth(static_cast<int>(rng.Below(static_cast<std::uint64_t>(legal.Count()))));
  };
  if (ply_ < random_plies_) {
    move.action = draw();
    move.flags = kMoveRandomOpening;
    return std::optional(move);
  }
  switch (player().message.type) {
    case PlayerType::kRandom:
      move.action = draw();
      return std::optional(move);
    case PlayerType::kPureMcts:
      return RolloutsMove();
    case PlayerType::kSolver:
      return SolvedMove();
    case PlayerType::kGtp:
      return ProgramMove();
    case PlayerType::kNet:
      break;
  }
  if (legal.Count() == 1) {
    move.action = legal.Nth(0);
    return std::optional(move);
  }
  if (!searching_) BeginSearch();
  if (!search().Done() && !TimeIsUp()) return std::optional<MoveRecord>();
  if (!SpendTime()) return std::optional<MoveRecord>();
  return std::optional(SearchedMove());
}

template <GameState S>
SearchDepth GameSlot<S>::DrawDepth() const {
  if (!is_self_play()) return SearchDepth::kFull;
  if (ply_ < opening_plies_) return SearchDepth::kPolicy;
  const double full_fraction = context_.search.full_fraction;
  if (full_fraction >= 1.0) return SearchDepth::kFull;
  const double draw = PlyRng(PlyStream::kDepth).Uniform();
  return draw < full_fraction ? SearchDepth::kFull : SearchDepth::kFast;
}

template <GameState S>
void GameSlot<S>::BeginSearch() {
  newest_ = context_.control.Published(model());
  search().SetModel(model().value(), newest_);
  depth_ = DrawDepth();
  search().SetRoot(game_, PlyRng(PlyStream::kSearch),
                   {.depth = depth_, .ply = ply_, .visits = visits_}, seat().moves);
  seat().moves.clear();
  searching_ = true;
  BeginThinking();
}

// Asked once an evaluation. Under a search nothing but its own end is due: the game goes on, the
// player to move is a network, and no opening covers the ply.
template <GameState S>
bool GameSlot<S>::SearchGoesOn() {
  return searching_ && !search().Failed() && !search().Done() && !TimeIsUp();
}

template <GameState S>
float GameSlot<S>::Temperature() const {
  if (!is_self_play()) return player().settings.temperature;
  if (!seats_[ToMove()].search->HasGumbelRoot()) {
    return MoveTemperature(context_.search, ply_, S::kShape.rows);
  }
  const int explores = context_.search.gumbel.explore_plies.value_or(S::kShape.cells() / 3);
  return ply_ < explores ? 1.0f : 0.0f;
}

template <GameState S>
MoveRecord GameSlot<S>::SearchedMove() {
  const SearchReport report = search().Report();
  Rng rng = PlyRng(PlyStream::kMove);
  MoveRecord move{.ply = static_cast<std::uint16_t>(ply_)};
  move.action = depth_ == SearchDepth::kPolicy ? search().DrawFromPolicy(rng)
                                               : search().ChooseMove(Temperature(), rng);
  for (const auto& [action, visits] : report.visits) move.visits += visits;
  move.weights_version = newest_;
  move.root_value = report.root_value;
  move.network_value = report.network_value.value_or(kNoNetworkValue);
  if (report.proven != kNotProven) {
    move.flags |= kMoveProven;
    ++context_.stats.proven_roots;
  }
  if (is_self_play()) TallyVisits(report, context_.stats);
  switch (depth_) {
    case SearchDepth::kFull: {
      if (!is_self_play()) break;
      const double kl_nats = PolicyKlNats(report);
      move.policy = slot_internal::ToPolicy(report.target);
      move.policy_kl_nats = static_cast<float>(kl_nats);
      TallyTarget(report, kl_nats, context_.stats);
      break;
    }
    case SearchDepth::kFast:
      move.flags |= kMoveFast;
      break;
    case SearchDepth::kPolicy:
      move.flags |= kMoveRandomOpening;
      break;
  }
  ++context_.stats.searched_moves;
  context_.stats.simulations += report.simulations;
  context_.stats.rows += report.rows;
  if (is_self_play()) MayEnd(report, move);
  return move;
}

// Whether the game is over with this move, though not by its rules.
template <GameState S>
void GameSlot<S>::MayEnd(const SearchReport& report, MoveRecord& move) {
  const Player side = game_.ToMove();
  if (report.proven != kNotProven) {
    const auto outcome = static_cast<Outcome>(ValueFor(static_cast<Outcome>(report.proven), side));
    if (!proven_) proven_ = outcome;
    if (context_.search.adjudicate_proven && !plays_on_) ending_ = {outcome, EndReason::kProven};
  }
  if (depth_ == SearchDepth::kPolicy || !resignation_.Notes(side, report.root_value)) return;
  move.flags |= kMoveResignable;
  if (!context_.phase.may_resign || plays_on_ || ending_) return;
  const Outcome lost = side == Player::kFirst ? Outcome::kSecondWins : Outcome::kFirstWins;
  ending_ = {lost, EndReason::kResigned};
}

}  // namespace az
