#include "engine/process/player_message.h"

#include "base/check.h"

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

bool DrawsMoves(const PlayerMessage& player) {
  switch (player.type) {
    case PlayerType::kRandom:
    case PlayerType::kPureMcts:
    case PlayerType::kSolver:
      return true;
    case PlayerType::kGtp:
      return false;
    case PlayerType::kNet:
      break;
  }
  const Result<PlayerSettings> settings =
      ParsePlayerSettings(PlayerKind::kCheckpoint, player.settings);
  AZ_CHECK(settings.has_value()) << settings.error().message;
  return settings->temperature > 0;
}

}  // namespace az
