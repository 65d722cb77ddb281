#pragma once
// What is kept of a game: the currency of journal, replay window, arena and tools.

#include <compare>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "games/game.h"

namespace az {

// kYardstick: a position and the few moves of the player that is measured there; no game.
enum class GameKind : std::uint8_t {
  kSelfPlay = 0,
  kGate = 1,
  kFinal = 2,
  kMatch = 3,
  kYardstick = 4,
};

// Names a game for good: kind, iteration and index within it. One number, so that files and messages carry one number.
struct GameId {
  std::uint64_t packed = 0;  // kind << 56 | iteration << 32 | index

  static constexpr GameId Make(GameKind kind, std::uint32_t iteration, std::uint32_t index) {
    return {static_cast<std::uint64_t>(kind) << 56 |
            static_cast<std::uint64_t>(iteration & 0xFFFFFF) << 32 | index};
  }
  constexpr GameKind kind() const { return static_cast<GameKind>(packed >> 56); }
  constexpr std::uint32_t iteration() const {
    return static_cast<std::uint32_t>(packed >> 32) & 0xFFFFFF;
  }
  constexpr std::uint32_t index() const { return static_cast<std::uint32_t>(packed); }
  friend constexpr auto operator<=>(const GameId&, const GameId&) = default;
};

struct PolicyEntry {
  Action action{};
  std::uint16_t weight = 0;  // share of the target policy in units of 1/65535
};

// One move with what its search found. Values in the view of the side to move.
struct MoveRecord {
  std::uint16_t ply = 0;
  Action action{};
  std::uint8_t flags = 0;  // kMove… below
  // Visits of the root's children, kept ones included; of rollouts, the simulations. 0 for random or
  // forced moves.
  std::uint32_t visits = 0;
  std::uint64_t weights_version = 0;  // newest weights that answered during this search
  float root_value = 0;               // the search's
  float network_value = 0;            // the raw network's at the root; kNoNetworkValue: not known
  float policy_kl_nats = 0;           // KL(policy target ‖ the network's); 0 without a policy
  std::vector<PolicyEntry> policy;    // target over legal actions; empty: no policy sample
};
inline constexpr float kNoNetworkValue =
    std::numeric_limits<float>::quiet_NaN();           // of a proof that was kept
inline constexpr std::uint8_t kMoveRandomOpening = 1;  // chosen by the opening, not by a search
inline constexpr std::uint8_t kMoveProven = 2;         // the root was proven; root_value is exact
inline constexpr std::uint8_t kMoveFast =
    4;  // of a fast search (search.full_fraction): no policy sample
inline constexpr std::uint8_t kMoveResignable =
    8;  // the side to move would resign here, unless it plays on

// How a game ended. kProven: adjudicated at a proven root. kFailed: given up, no result. kResigned: self-play, by who
// chose the last move; matches: by the side to move. kIllegal to kGone and kNoAnswer (matches): forfeited
// by the side to move. kCut: the phase asked for no more moves; no result.
enum class EndReason : std::uint8_t {
  kRules = 0,
  kProven = 1,
  kFailed = 2,
  kResigned = 3,
  kIllegal = 4,  // its program played an illegal move
  kTimeout = 5,  // its flag fell
  kRefused = 6,  // its program refused a command, or answered what is no move
  kGone = 7,     // its program died, or could not be started
  kCut = 8,
  kNoAnswer = 9,  // its program, or the solver, did not answer
};
inline constexpr EndReason kLastEndReason = EndReason::kNoAnswer;

constexpr bool IsForfeit(EndReason reason) {
  return (reason >= EndReason::kIllegal && reason <= EndReason::kGone) ||
         reason == EndReason::kNoAnswer;
}
// Whether a game that ended so has an outcome.
constexpr bool HasOutcome(EndReason reason) {
  return reason != EndReason::kFailed && reason != EndReason::kCut;
}

// "rules", "illegal_move": for records and tables.
constexpr std::string_view EndReasonName(EndReason reason) {
  switch (reason) {
    case EndReason::kRules:
      return "rules";
    case EndReason::kProven:
      return "proven";
    case EndReason::kFailed:
      return "failed";
    case EndReason::kResigned:
      return "resigned";
    case EndReason::kIllegal:
      return "illegal_move";
    case EndReason::kTimeout:
      return "timeout";
    case EndReason::kRefused:
      return "refused";
    case EndReason::kGone:
      return "program_gone";
    case EndReason::kCut:
      return "cut";
    case EndReason::kNoAnswer:
      return "no_answer";
  }
  return "?";
}

struct GameRecord {
  GameId id;
  std::vector<MoveRecord> moves;
  std::optional<Outcome> outcome;  // nullopt: still open, failed or cut
  EndReason reason = EndReason::kRules;
};

}  // namespace az
