#pragma once
// A fleet's workers as the player that a yardstick asks: each position is granted as a game of one
// move. Rows go the way of every other search.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "base/result.h"
#include "engine/fleet/fleet.h"
#include "games/solvers/yardstick_measure.h"

namespace az {

struct FleetQuestion {
  std::uint32_t number = 0;  // in place of the iteration: names its games; one question a number
  int workers = 1;
  PlayerMessage player;
  // After each answer, for whoever shows it. May be empty.
  std::function<void(std::size_t answered)> on_answer;
};

struct FleetAnswers {
  std::vector<PlayerAnswer> of_positions;  // in their order
  // Why they are no use, though the fleet is well. kNotFinite: the network's were not finite;
  // kCorrupt: the journals hold answers to other questions under this number, or some are missing.
  std::optional<Error> fault;
};

// From the journals what they hold already. Fails as Fleet::Play.
Result<FleetAnswers> AskFleet(Fleet& fleet, const FleetQuestion& question,
                              std::span<const std::vector<Action>> positions);

// A network's message for each kind of thinking: its likeliest move, or that of a search.
PlayerMessage YardstickPlayer(Thinking thinking, int model, int simulations);

}  // namespace az
