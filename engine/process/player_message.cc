#include "engine/process/player_message.h"

namespace az {
namespace {

PlayerType TypeFor(PlayerKind kind) {
  switch (kind) {
    case PlayerKind::kCheckpoint:
      return PlayerType::kNet;
    case PlayerKind::kRandom:
      return PlayerType::kRandom;
    case PlayerKind::kMcts:
      return PlayerType::kPureMcts;
    case PlayerKind::kSolver:
      return PlayerType::kSolver;
    case PlayerKind::kGtp:
      break;
  }
  return PlayerType::kGtp;
}

}  // namespace

PlayerMessage MessageFor(const PlayerSpec& spec, int model) {
  return {.type = TypeFor(spec.kind),
          .model = spec.kind == PlayerKind::kCheckpoint ? model : 0,
          .visits = spec.settings.sims.value_or(0),
          .settings = ToString(spec.settings),
          .command = spec.kind == PlayerKind::kGtp ? spec.source : std::string()};
}

}  // namespace az
