#include "engine/worker/phase_player.h"

#include <algorithm>
#include <utility>

#include "base/strings.h"
#include "engine/ipc/counters.h"

namespace az {
namespace {

PlayerKind KindOf(PlayerType type) {
  switch (type) {
    case PlayerType::kNet:
      return PlayerKind::kCheckpoint;
    case PlayerType::kRandom:
      return PlayerKind::kRandom;
    case PlayerType::kPureMcts:
      return PlayerKind::kMcts;
    case PlayerType::kSolver:
      return PlayerKind::kSolver;
    case PlayerType::kGtp:
      break;
  }
  return PlayerKind::kGtp;
}

Result<PhasePlayer> Read(const PlayerMessage& message, const SearchOptions& run) {
  if (message.model < 0 || message.model >= kMaxModels) {
    return Error{Errc::kInvalid, StrCat("model slot ", message.model, ", there are ", kMaxModels)};
  }
  if (message.type == PlayerType::kGtp && message.command.empty()) {
    return Error{Errc::kInvalid, "a GTP player without a command"};
  }
  PhasePlayer player{.message = message};
  AZ_ASSIGN_OR_RETURN(player.settings, ParsePlayerSettings(KindOf(message.type), message.settings));
  const int visits = message.visits > 0 ? message.visits : run.visits;
  if (message.type != PlayerType::kNet) {  // the run's root rule is of networks
    const int most = player.settings.is_timed() ? kMostTimedVisits : visits;
    player.search = run;
    player.visits = player.settings.sims.value_or(most);
    return player;
  }
  AZ_ASSIGN_OR_RETURN(PlayerSearch search, SearchFor(player.settings, run, visits));
  player.search = std::move(search.options);
  player.visits = search.visits;
  return player;
}

}  // namespace

Result<std::vector<PhasePlayer>> ReadPhasePlayers(const PhaseMessage& phase,
                                                  const SearchOptions& run) {
  const bool has_one = phase.kind == GameKind::kSelfPlay || phase.kind == GameKind::kYardstick;
  const std::size_t wanted = has_one ? 1 : 2;
  if (phase.players.size() != wanted) {
    return Error{Errc::kInvalid, StrCat("phase ", phase.phase, " has ", phase.players.size(),
                                        " players, its kind needs ", wanted)};
  }
  std::vector<PhasePlayer> players;
  for (const PlayerMessage& message : phase.players) {
    Result<PhasePlayer> player = Read(message, run);
    if (!player) {
      return WithContext(StrCat("phase ", phase.phase, ", player ", players.size()),
                         std::move(player).error());
    }
    players.push_back(std::move(*player));
  }
  return players;
}

int OpenGames(const std::vector<PhasePlayer>& players, int slots) {
  const auto is_program = [](const PhasePlayer& player) {
    return player.message.type == PlayerType::kGtp;
  };
  const auto is_timed = [](const PhasePlayer& player) { return player.settings.is_timed(); };
  if (std::ranges::any_of(players, is_timed)) return 1;
  if (std::ranges::any_of(players, is_program)) return std::min(slots, kProgramSlots);
  return slots;
}

}  // namespace az
