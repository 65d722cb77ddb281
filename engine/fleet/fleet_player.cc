#include "engine/fleet/fleet_player.h"

#include <string_view>
#include <utility>

#include "base/strings.h"

namespace az {
namespace {

// One simulation below the root goes to the likeliest move, the first of equals.
constexpr std::string_view kRawSettings =
    "sims=1&gumbel=0&gumbel.full=false&solver=false&symmetry=none";

std::optional<Error> FaultOf(const FinishedGame& game, std::size_t plies_before) {
  if (game.reason == EndReason::kFailed) {
    return Error{Errc::kNotFinite, "yardstick: the network's answers are not finite"};
  }
  if (game.last && static_cast<std::size_t>(game.plies) == plies_before + 1) return std::nullopt;
  return Error{Errc::kCorrupt,
               StrCat("yardstick: game ", game.id.packed, " has ", game.plies,
                      " plies in the journals, and was asked for with ", plies_before, " + 1")};
}

}  // namespace

Result<FleetAnswers> AskFleet(Fleet& fleet, const FleetQuestion& question,
                              std::span<const std::vector<Action>> positions) {
  FleetAnswers answers{.of_positions = std::vector<PlayerAnswer>(positions.size()), .fault = {}};
  std::optional<Error>& fault = answers.fault;
  std::size_t answered = 0;
  GamePhaseSpec spec;
  spec.kind = GameKind::kYardstick;
  spec.iteration = question.number;
  spec.games = static_cast<std::uint32_t>(positions.size());
  spec.workers = question.workers;
  spec.players = {question.player};
  spec.moves = 1;
  spec.opening = [&](std::uint32_t index) { return positions[index]; };
  spec.on_finished = [&](const FinishedGame& game) {
    if (fault) return false;  // games that end while the phase does are told of too
    const std::size_t index = game.id.index();
    fault = FaultOf(game, positions[index].size());
    if (fault) return false;
    answers.of_positions[index] = {.move = *game.last, .raw_value = game.last_network_value};
    ++answered;
    if (question.on_answer) question.on_answer(answered);
    return true;
  };
  AZ_RETURN_IF_ERROR(fleet.Play(spec));
  if (!fault && answered != positions.size()) {
    fault = Error{Errc::kCorrupt, StrCat("yardstick: ", answered, " of ", positions.size(),
                                         " positions of question ", question.number,
                                         " were answered, and the phase has ended")};
  }
  return answers;
}

PlayerMessage YardstickPlayer(Thinking thinking, int model, int simulations) {
  PlayerMessage player;
  player.type = PlayerType::kNet;
  player.model = model;
  if (thinking == Thinking::kSearch) {
    player.visits = simulations;
  } else {
    player.settings = kRawSettings;
  }
  return player;
}

}  // namespace az
